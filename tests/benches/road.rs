//! What a delivery costs, in one run: CPU time of the road without the store, and deliveries per second through one
//! receiver on the embedded database. Absolute numbers are this machine's; the ratios are what to compare.
//!
//! `cargo bench -p hookledger-tests`

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::float_arithmetic,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]

use std::hint::black_box;
use std::time::Instant;

use bytes::Bytes;
use hookledger::claim::{Digest, Effect};
use hookledger::items::{self, Guard, NewClaim, Skip, Stroke, Tables};
use hookledger::plan::Write;
use hookledger::provider::Provider as _;
use hookledger::request::{Algorithm, Headers, KeySet, Secret, UnverifiedRequest};
use hookledger::time::UnixMs;
use hookledger_stripe::Stripe;
use hookledger_tests::World;

const SECRET: &str = "whsec_bench";
const NOW: UnixMs = UnixMs::new(1_796_000_000_000);

fn main() {
    println!("CPU time of one delivery without the store (verify, identify, interpret, build)\n");
    println!("{:>9} {:>10} {:>22} {:>22} {:>22}", "body", "road", "HMAC", "raw digest", "effect digest");
    for size in [2_000, 200_000] {
        cpu(size);
    }
    println!();
    through_one_receiver();
}

/// A payment whose body has about `size` bytes.
fn body(size: usize) -> Bytes {
    let text = include_str!("../../events/stripe/charge_succeeded.json");
    let note = "x".repeat(size.saturating_sub(text.len() + 16));
    Bytes::from(text.replacen("\"object\": \"charge\"", &format!("\"object\": \"charge\", \"note\": \"{note}\""), 1))
}

fn request(body: &Bytes) -> UnverifiedRequest {
    let headers = Headers::new(Stripe.sign(body, &Secret::new(SECRET), NOW));
    let (method, path, query) = ("POST".into(), "/webhooks/stripe".into(), String::new());
    UnverifiedRequest { method, path, query, headers, body: body.clone() }
}

fn cpu(size: usize) {
    let body = body(size);
    let request = request(&body);
    let keys = KeySet::parse(SECRET).unwrap();
    let tables = Tables { claims: "claims".into(), ledger: "ledger".into() };
    let stroke = Stroke { owner: "0".repeat(32), now: NOW };
    let rounds = if size > 10_000 { 2_000 } else { 50_000 };
    let road_us = time_us(rounds, || {
        let request = request.clone();
        let signature = Stripe.signature(&request).unwrap();
        let verified = request.verify(&signature, &keys, NOW).unwrap();
        let events = Stripe.identify(&verified);
        let claim = NewClaim::new(&Stripe, &events[0]);
        let write = Stripe.interpret(&events[0]).write().unwrap();
        items::transaction(&tables, &claim, &write, &Guard::Absent, &Skip::default(), &stroke)
    });
    let secret = Secret::new(SECRET);
    let hmac_us = time_us(rounds, || Algorithm::HmacSha256.sign(std::slice::from_ref(&body), &secret));
    let raw_us = time_us(rounds, || Digest::of(&body));
    let write = settled(&request, &keys);
    let effect_us = time_us(rounds, || Effect::of(&write, &[]));
    let share = |us: f64| format!("{us:.2} µs ({:.0} %)", 100.0 * us / road_us);
    println!(
        "{:>7} B {road_us:>7.1} µs {:>22} {:>22} {:>22}",
        body.len(),
        share(hmac_us),
        share(raw_us),
        share(effect_us)
    );
}

fn settled(request: &UnverifiedRequest, keys: &KeySet) -> Write {
    let signature = Stripe.signature(request).unwrap();
    let verified = request.clone().verify(&signature, keys, NOW).unwrap();
    let write = Stripe.interpret(&Stripe.identify(&verified)[0]).write().unwrap();
    assert!(matches!(write, Write::Settle(_)), "the body is not read as a payment: {write:?}");
    write
}

/// The mean of the best of five runs.
fn time_us<T>(rounds: u32, mut work: impl FnMut() -> T) -> f64 {
    let mut run = || {
        let began = Instant::now();
        for _ in 0..rounds {
            black_box(work());
        }
        began.elapsed().as_secs_f64() * 1e6 / f64::from(rounds)
    };
    (0..5).map(|_| run()).fold(f64::INFINITY, f64::min)
}

/// One sender, one delivery after the other, as one Lambda environment sees them.
fn through_one_receiver() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    println!("Deliveries through one receiver, one after the other, on the embedded database\n");
    runtime.block_on(async {
        let world = World::builder().provider(Stripe).gate_bytes(0).build().await;
        let bodies: Vec<Bytes> =
            (0..2_000).map(|at| Bytes::from(Stripe.refresh(&body(2_000), &at.to_string()))).collect();
        let new_per_s = per_second(&world, bodies.iter().cloned()).await;
        let again_per_s = per_second(&world, bodies.iter().cloned()).await;
        let remembering = World::builder().provider(Stripe).gate_bytes(8 << 20).build().await;
        per_second(&remembering, bodies.iter().cloned()).await;
        let gate_per_s = per_second(&remembering, (0..20_000).map(|at| bodies[at % bodies.len()].clone())).await;
        for (what, per_s) in [("new", new_per_s), ("duplicate", again_per_s), ("gate hit", gate_per_s)] {
            println!("{what:>10} {per_s:>9.0} /s   {:>6.2} × new", per_s / new_per_s);
        }
        println!("\n10,000 duplicates at once: the process grew by {} MiB", at_once(&world, &bodies[0]).await / 1_024);
    });
}

async fn per_second(world: &World, bodies: impl ExactSizeIterator<Item = Bytes>) -> f64 {
    let count = f64::from(u32::try_from(bodies.len()).unwrap());
    let began = Instant::now();
    for body in bodies {
        assert_eq!(world.deliver(body).await.reply.status, 200);
    }
    count / began.elapsed().as_secs_f64()
}

/// How much the process's peak grew, in KiB.
async fn at_once(world: &World, body: &Bytes) -> u64 {
    let before = peak_kib();
    let deliveries = (0..10_000).map(|_| world.deliver(body.clone()));
    for answer in futures_util::future::join_all(deliveries).await {
        assert!(matches!(answer.reply.status, 200 | 409 | 503));
    }
    peak_kib() - before
}

fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
