//! Who meets whom: small casts, each explored to the end.

use super::config::{Config, Content, Plan, Tell, Wish, content};

const DEFERRED: &[Content] = &[content(0, 5, Plan::Defer)];
/// The same event again with other bytes, and with another effect.
const UNLIKE: &[Content] = &[content(0, 5, Plan::Settle), content(0, 5, Plan::Settle), content(0, 7, Plan::Settle)];
const DEFERRED_UNLIKE: &[Content] = &[content(0, 5, Plan::Defer), content(0, 7, Plan::Defer)];
const TWO_EVENTS: &[Content] = &[content(0, 5, Plan::Settle), content(1, 5, Plan::Settle)];
const TWO_DEFERRED: &[Content] = &[content(0, 5, Plan::Defer), content(1, 5, Plan::Defer)];
const TWO_AMOUNTS: &[Content] = &[content(0, 5, Plan::Settle), content(1, 7, Plan::Defer)];
const LATER: &[Content] = &[
    Content { later: true, ..content(0, 5, Plan::Defer) },
    Content { later: true, ..content(0, 5, Plan::Defer) },
    Content { later: true, ..content(0, 7, Plan::Defer) },
];
const ALL_WISHES: &[Wish] = &[Wish::Retry, Wish::Park, Wish::ResolveNothing, Wish::ResolveMissing];

/// Every scenario.
pub(super) fn scenarios() -> Vec<Config> {
    let new = Config::new;
    vec![
        Config { deliveries: &[0, 0], lost_answers: true, skew: true, ..new("one event twice", UNLIKE, 846) },
        Config { deliveries: &[0, 1], lost_answers: true, ..new("one event in other bytes", UNLIKE, 701) },
        Config { deliveries: &[0, 2], lost_answers: true, ..new("two effects under one id", UNLIKE, 2_791) },
        Config {
            deliveries: &[0, 1],
            lost_answers: true,
            tell: Tell::Entry,
            ..new("two events of one movement", TWO_EVENTS, 7_949)
        },
        Config {
            before: &[0],
            workers: 2,
            watch: true,
            lost_answers: true,
            ..new("two workers and the watch", DEFERRED, 5_656)
        },
        Config {
            before: &[0],
            workers: 2,
            watch: true,
            hold: true,
            lost_answers: true,
            ..new("the same on hold", DEFERRED, 2_340)
        },
        Config {
            before: &[0],
            workers: 2,
            watch: true,
            skew: true,
            ..new("the same by clocks that differ", DEFERRED, 755)
        },
        Config {
            before: &[0],
            workers: 1,
            watch: true,
            person: ALL_WISHES,
            hold: true,
            ..new("a worker on hold, the watch and a person", DEFERRED, 4_018)
        },
        Config {
            before: &[0],
            workers: 1,
            person: ALL_WISHES,
            lost_answers: true,
            ..new("a worker and a person who ask again", DEFERRED, 86_279)
        },
        Config { before: &[0], workers: 2, person: ALL_WISHES, ..new("two workers and a person", DEFERRED, 7_624) },
        Config {
            deliveries: &[0, 1],
            workers: 1,
            watch: true,
            bytes_vanish: true,
            ..new("deliveries and a worker", DEFERRED_UNLIKE, 20_341)
        },
        Config {
            deliveries: &[0, 1],
            workers: 1,
            person: &[Wish::Retry, Wish::Park],
            ..new("a claim that is brought back", LATER, 33_794)
        },
        Config {
            deliveries: &[0, 2],
            workers: 1,
            person: &[Wish::ResolveNothing],
            ..new("a parked claim and another effect", LATER, 13_706)
        },
        Config {
            before: &[0, 1],
            workers: 2,
            watch: true,
            ..new("two owed events of one movement", TWO_DEFERRED, 96_501)
        },
        Config {
            deliveries: &[0, 1],
            workers: 1,
            watch: true,
            ..new("two amounts of one movement", TWO_AMOUNTS, 12_520)
        },
        Config {
            before: &[0],
            workers: 2,
            watch: true,
            tell: Tell::Entry,
            ..new("a message about an entry", DEFERRED, 32_500)
        },
        Config {
            deliveries: &[0],
            workers: 1,
            watch: true,
            tell: Tell::Event,
            ..new("a message about an event", UNLIKE, 4_783)
        },
    ]
}

/// Larger casts, and all the others.
pub(super) fn deep() -> Vec<Config> {
    let new = Config::new;
    let larger = vec![
        Config {
            before: &[0],
            workers: 1,
            watch: true,
            person: ALL_WISHES,
            lost_answers: true,
            hold: true,
            ..new("a worker, the watch and a person who ask again", DEFERRED, 733_084)
        },
        Config {
            deliveries: &[0, 1],
            workers: 2,
            watch: true,
            ..new("two deliveries, two workers and the watch", DEFERRED_UNLIKE, 186_493)
        },
        Config {
            before: &[0],
            workers: 2,
            watch: true,
            skew: true,
            lost_answers: true,
            ..new("two workers whose clocks differ and who ask again", DEFERRED, 9_148)
        },
        Config {
            deliveries: &[0, 1],
            workers: 1,
            watch: true,
            person: ALL_WISHES,
            ..new("everybody, and code that learns", LATER, 3_975_204)
        },
        Config {
            before: &[0],
            workers: 1,
            watch: true,
            person: ALL_WISHES,
            tell: Tell::Entry,
            ..new("a message, the watch and a person", DEFERRED, 16_404)
        },
    ];
    [scenarios(), larger].concat()
}
