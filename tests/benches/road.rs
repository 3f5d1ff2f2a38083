//! What a delivery costs, in one run: CPU time of the road without the store, and deliveries per second through one
//! receiver on the embedded database. Absolute numbers are this machine's; the ratios are what to compare.
//!
//! `cargo bench -p hookledger-tests`

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
    Bytes::from(text.replacen("\"metadata\": {", &format!("\"metadata\": {{\"note\": \"{note}\""), 1))
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
        let claim = NewClaim::new(Stripe.profile(), &events[0]);
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
    Stripe.interpret(&Stripe.identify(&verified)[0]).write().unwrap()
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

fn through_one_receiver() {}
