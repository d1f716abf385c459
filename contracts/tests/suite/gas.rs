//! Maximum costs of calls and installations, in motes: a thousand million are one CSPR.
//!
//! The engine's figures equal a node's exactly. Each test prints its measurement with `--nocapture`.
use odra::args::Maybe;
use odra::casper_types::runtime_args;
use odra::host::{Deployer, HostEnv};
use odra::prelude::*;
use odra::DeployReport;
use wattfeed_consumer::{Consumer, ConsumerInitArgs};
use wattfeed_contracts::attestation_registry::{AttestationRegistry, AttestationRegistryUpgradeArgs};
use wattfeed_contracts::feed_registry::{FeedRegistry, FeedRegistryUpgradeArgs};

use crate::support::{call, on_casper, refused, seed_of, wti_feed, World, BRENT, UNAUTHORIZED, WTI};

/// A test that only makes sense on the engine: OdraVM has no gas.
macro_rules! on_engine {
    () => {
        if !on_casper() {
            return;
        }
    };
}

/// Fails if the last call of a contract used more than `most` motes.
pub fn assert_used(world: &World, contract: Address, what: &str, most: u64) {
    let used = world.env.last_call_result(contract).callee_contract_gas_used();
    println!("{what}: {used} of {most} motes");
    assert!(used <= most, "{what}: {used} motes are more than {most}");
}

/// Fails if an installation used more than `most` motes, or an upgrade more than `most_later`.
pub fn assert_deployed(env: &HostEnv, file: &str, most: u64, most_later: u64) {
    let report = env.gas_report();
    let used = report.iter().filter_map(|report| match report {
        DeployReport::WasmDeploy { gas, file_name } if file_name == file => Some(gas.as_u64()),
        _ => None,
    });
    let used: Vec<u64> = used.collect();
    println!("{file}: {used:?} of {most} motes, upgrades of {most_later}");
    assert!(used[0] <= most, "{file}: {} motes are more than {most}", used[0]);
    assert!(used[1..].iter().all(|used| *used <= most_later), "{file}: {used:?} are more than {most_later}");
}

#[test]
fn installing() {
    on_engine!();
    let world = World::unwired();
    assert_deployed(&world.env, "FeedRegistry.wasm", 185_000_000_000, 0);
    assert_deployed(&world.env, "AttestationRegistry.wasm", 185_000_000_000, 0);
}

/// More than an installation, and slightly more every time, because the package has more versions.
#[test]
fn upgrading() {
    on_engine!();
    let world = World::with_feed(WTI);
    world.env.set_caller(world.owner);
    let (feeds, attestations) = (world.feeds.address(), world.attestations.address());
    for _ in 0..5 {
        let keep_gate = FeedRegistryUpgradeArgs { eligibility_gate: Maybe::None };
        FeedRegistry::try_upgrade(&world.env, feeds, keep_gate).expect("an upgrade");
        let keep_registry = AttestationRegistryUpgradeArgs { feed_registry: Maybe::None };
        AttestationRegistry::try_upgrade(&world.env, attestations, keep_registry).expect("an upgrade");
    }
    assert_deployed(&world.env, "FeedRegistry.wasm", 185_000_000_000, 195_000_000_000);
    assert_deployed(&world.env, "AttestationRegistry.wasm", 185_000_000_000, 205_000_000_000);
}

#[test]
fn registering() {
    on_engine!();
    let mut world = World::wired();
    assert_eq!(world.register(world.alice, WTI), Ok(()));
    assert_used(&world, world.feeds.address(), "register_feed, new", 1_400_000_000);
    assert_eq!(world.register(world.alice, WTI), Ok(()));
    assert_used(&world, world.feeds.address(), "register_feed, known", 550_000_000);
    assert_eq!(world.register(world.bob, WTI), refused(UNAUTHORIZED));
    assert_used(&world, world.feeds.address(), "register_feed, unauthorized", 100_000_000);
    world.gate.refuse(world.bob);
    assert_eq!(world.register(world.bob, BRENT), refused(UNAUTHORIZED));
    // The gate must be called, and a read cannot replace that, because any contract may be the gate.
    assert_used(&world, world.feeds.address(), "register_feed, not eligible", 450_000_000);
}

#[test]
fn attesting() {
    on_engine!();
    let mut world = World::with_feed(WTI);
    assert_eq!(world.attest(world.alice, WTI, 59_910_000), Ok(()));
    assert_eq!(world.attest(world.alice, WTI, 59_910_000), Ok(()));
    assert_used(&world, world.attestations.address(), "attest, second of the feed", 1_150_000_000);
    for stranger in [world.bob, world.owner] {
        assert_eq!(world.attest(stranger, WTI, 59_910_000), refused(UNAUTHORIZED));
        assert_used(&world, world.attestations.address(), "attest, unauthorized", 100_000_000);
    }
    assert_eq!(world.attest(world.bob, "unregistered", 59_910_000), refused(UNAUTHORIZED));
    assert_used(&world, world.attestations.address(), "attest, unregistered", 100_000_000);
}

#[test]
fn attesting_five_times_to_one_feed() {
    on_engine!();
    let mut world = World::with_feed(WTI);
    assert_eq!(world.attest(world.alice, WTI, 59_910_000), Ok(()));
    assert_eq!(world.attest_many(world.alice, &[(WTI, 59_910_000); 5]), Ok(()));
    assert_used(&world, world.attestations.address(), "attest_many, one feed", 4_800_000_000);
}

#[test]
fn attesting_to_five_feeds() {
    on_engine!();
    let mut world = World::with_feed(WTI);
    let ids = ["A", "B", "C", "D"].map(|letter| WTI.replace("WTI", &letter.repeat(3)));
    let mut batch = vec![(WTI, 59_910_000)];
    for id in &ids {
        assert_eq!(world.register(world.alice, id), Ok(()));
        batch.push((id, 59_910_000));
    }
    assert_eq!(world.attest_many(world.alice, &batch), Ok(()));
    assert_eq!(world.attest_many(world.alice, &batch), Ok(()));
    assert_used(&world, world.attestations.address(), "attest_many, five feeds", 4_800_000_000);
    assert_eq!(world.attest_many(world.bob, &batch), refused(UNAUTHORIZED));
    assert_used(&world, world.attestations.address(), "attest_many, unauthorized", 150_000_000);
}

#[test]
fn reading_a_feed() {
    on_engine!();
    let mut world = World::with_feed(WTI);
    assert_eq!(world.attest(world.alice, WTI, 59_910_000), Ok(()));
    for (seed, way, most) in [(seed_of(&world), "directly", 110_000_000), (None, "by calls", 860_000_000)] {
        let args = ConsumerInitArgs {
            feed_registry: world.feeds.address(),
            attestation_registry: world.attestations.address(),
            seed,
            feed_id: WTI.into(),
            attester: world.alice,
            unit: wti_feed().unit,
            decimals: wti_feed().decimals,
            max_age_ms: 60_000,
        };
        let consumer = Consumer::deploy(&world.env, args);
        assert_eq!(consumer.get_value(), 59_910_000.into());
        // As a transaction: what the framework reads an answer with calls the contract, and a call costs 0.30 CSPR more.
        assert_eq!(call(&world.env, consumer.address(), "get_value", runtime_args! {}), Ok(()));
        assert_used(&world, consumer.address(), &format!("get_value, {way}"), most);
    }
    assert_deployed(&world.env, "Consumer.wasm", 176_000_000_000, 176_000_000_000);
}
