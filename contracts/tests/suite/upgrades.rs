use odra::args::Maybe;
use odra::casper_types::runtime_args;
use odra::host::{Deployer, HostEnv, InstallConfig, NoArgs};
use odra::prelude::*;
use wattfeed::FeedPin;
use wattfeed_contracts::attestation_registry::{AttestationRegistry, AttestationRegistryUpgradeArgs};
use wattfeed_contracts::feed_registry::{Feed, FeedRegistry, FeedRegistryUpgradeArgs};
use wattfeed_stubs::feed_reader::FeedReader;
use wattfeed_stubs::legacy_attestation_registry::{
    LegacyAttestationRegistry, LegacyAttestationRegistryHostRef, LegacyAttestationRegistryInitArgs,
};
use wattfeed_stubs::legacy_feed_registry::{LegacyFeedRegistry, LegacyFeedRegistryHostRef, LegacyFeedRegistryInitArgs};
use wattfeed_stubs::open_gate::OpenGate;

use crate::support::{
    call, keep_feed_registry, keep_gate, on_casper, refused, seed_of, wti_feed, World, BRENT, SOURCE_HASH,
    UNAUTHORIZED, WTI,
};

/// Two registries of the first party from before claims existed, with one feed that has one value.
struct Legacy {
    env: HostEnv,
    feeds: LegacyFeedRegistryHostRef,
    attestations: LegacyAttestationRegistryHostRef,
}

impl Legacy {
    fn install() -> Self {
        let env = odra_test::env();
        let owner = env.get_account(0);
        let mut feeds = LegacyFeedRegistry::deploy_with_cfg(
            &env,
            LegacyFeedRegistryInitArgs { owner },
            InstallConfig::upgradable::<LegacyFeedRegistry>(),
        );
        let mut attestations = LegacyAttestationRegistry::deploy_with_cfg(
            &env,
            LegacyAttestationRegistryInitArgs { attester: owner },
            InstallConfig::upgradable::<LegacyAttestationRegistry>(),
        );
        attestations.set_feed_registry(feeds.address());
        let Feed { decimals, unit, title, source, route, frequency, description } = wti_feed();
        feeds.register_feed(WTI.into(), decimals, unit, title, source, route, frequency, description);
        attestations.attest(WTI.into(), 20261113, 58_000_000.into(), SOURCE_HASH.into());
        Self { env, feeds, attestations }
    }

    /// Upgrades both in the right order, and opens the gate to every account.
    fn upgrade(self) -> World {
        let Self { env, feeds, attestations } = self;
        let gate = OpenGate::deploy(&env, NoArgs);
        let with_gate = FeedRegistryUpgradeArgs { eligibility_gate: Maybe::Some(gate.address()) };
        World {
            feeds: FeedRegistry::try_upgrade(&env, feeds.address(), with_gate).expect("an upgrade"),
            attestations: AttestationRegistry::try_upgrade(&env, attestations.address(), keep_feed_registry())
                .expect("an upgrade"),
            gate,
            owner: env.get_account(0),
            alice: env.get_account(1),
            bob: env.get_account(2),
            env,
        }
    }
}

#[test]
fn a_legacy_feed_stays_with_the_first_party() {
    let mut world = Legacy::install().upgrade();
    assert_eq!(world.feeds.get_attester(WTI.into()), Some(world.owner));
    for stranger in [world.alice, world.bob] {
        assert_eq!(world.register(stranger, WTI), refused(UNAUTHORIZED));
        assert_eq!(world.attest(stranger, WTI, 1), refused(UNAUTHORIZED));
        assert_eq!(world.attest_many(stranger, &[(WTI, 1)]), refused(UNAUTHORIZED));
    }
    assert_eq!(world.attest(world.owner, WTI, 59_910_000), Ok(()));
    assert_eq!(world.attest_many(world.owner, &[(WTI, 60_000_000)]), Ok(()));
    assert_eq!(world.attestations.get_count(WTI.into()), 3);
}

#[test]
fn a_legacy_feed_s_metadata_is_replaced_by_the_owner() {
    let mut world = Legacy::install().upgrade();
    let feed = Feed { unit: "USD/bbl".into(), ..wti_feed() };
    world.gate.refuse(world.owner);
    assert_eq!(world.register_as(world.owner, WTI, feed.clone()), Ok(()));
    assert_eq!(world.feeds.get_feed(WTI.into()), Some(feed));
    assert_eq!(world.feeds.feed_count(), 1);
    assert_eq!(world.feeds.get_attester(WTI.into()), Some(world.owner));
}

#[test]
fn new_feeds_are_claimed_behind_the_legacy_ones() {
    let mut world = Legacy::install().upgrade();
    assert_eq!(world.register(world.alice, BRENT), Ok(()));
    assert_eq!(world.feeds.get_feed_at(0), Some(WTI.into()));
    assert_eq!(world.feeds.get_feed_at(1), Some(BRENT.into()));
    assert_eq!(world.attest(world.alice, BRENT, 1), Ok(()));
    for stranger in [world.owner, world.bob] {
        assert_eq!(world.attest(stranger, BRENT, 1), refused(UNAUTHORIZED));
    }
}

#[test]
fn an_upgrade_of_legacy_registries_keeps_their_data() {
    let world = Legacy::install().upgrade();
    let snapshot = world.snapshot(&[WTI]);
    assert_eq!(snapshot.ids, [Some(WTI.into()), None]);
    assert_eq!(snapshot.feeds[0].feed, Some(wti_feed()));
    assert_eq!(snapshot.feeds[0].history.len(), 2);
    assert_eq!(snapshot.feeds[0].latest, snapshot.feeds[0].history[0]);
    assert_eq!(snapshot.feeds[0].latest.as_ref().map(|latest| latest.amount), Some(58_000_000.into()));
    assert_eq!(snapshot.total, 1);
    assert_eq!((snapshot.registered.len(), snapshot.attested.len()), (1, 1));
    assert_eq!(world.attestations.get_attester(), world.owner);
}

#[test]
fn contracts_read_a_legacy_value() {
    let mut world = Legacy::install().upgrade();
    let Feed { unit, decimals, .. } = wti_feed();
    let pin = FeedPin { feed_id: WTI.into(), attester: world.owner, unit, decimals, max_age_ms: u64::MAX };
    let mut reader = FeedReader::deploy(&world.env, NoArgs);
    let seed = seed_of(&world);
    reader.install(world.feeds.address(), world.attestations.address(), seed, WTI.into());
    for amount in [58_000_000, 59_910_000] {
        assert_eq!(reader.read(pin.clone()).amount, amount.into());
        assert_eq!(world.attest(world.owner, WTI, 59_910_000), Ok(()));
    }
}

#[test]
fn an_upgrade_without_a_gate_leaves_registration_closed() {
    let mut world = Legacy::install().upgrade();
    let legacy = Legacy::install();
    world.feeds = FeedRegistry::try_upgrade(&legacy.env, legacy.feeds.address(), keep_gate()).expect("an upgrade");
    world.env = legacy.env;
    assert_eq!(world.register(world.owner, BRENT), refused(UNAUTHORIZED));
    assert_eq!(world.register(world.owner, WTI), Ok(()));
}

#[test]
fn the_feed_registry_is_upgraded_first() {
    let Legacy { env, attestations, .. } = Legacy::install();
    assert!(AttestationRegistry::try_upgrade(&env, attestations.address(), keep_feed_registry()).is_err());
}

#[test]
fn an_upgrade_keeps_everything() {
    let mut world = World::with_feed(WTI);
    assert_eq!(world.register(world.bob, BRENT), Ok(()));
    assert_eq!(world.attest_many(world.alice, &[(WTI, 1), (WTI, 2)]), Ok(()));
    assert_eq!(world.attest(world.bob, BRENT, 3), Ok(()));
    let before = world.snapshot(&[WTI, BRENT]);
    world.env.set_caller(world.owner);
    world.feeds = FeedRegistry::try_upgrade(&world.env, world.feeds.address(), keep_gate()).expect("an upgrade");
    let address = world.attestations.address();
    world.attestations =
        AttestationRegistry::try_upgrade(&world.env, address, keep_feed_registry()).expect("an upgrade");
    assert_eq!(world.snapshot(&[WTI, BRENT]), before);
    assert_eq!(world.attestations.get_attester(), world.owner);
    assert_eq!(world.attest(world.alice, WTI, 4), Ok(()));
    assert_eq!(world.attest(world.alice, BRENT, 4), refused(UNAUTHORIZED));
    assert_eq!(world.register(world.bob, "new"), Ok(()));
    assert_eq!(world.snapshot(&[]).attested.len(), 4);
}

#[test]
fn an_upgrade_may_rewire() {
    let mut world = World::with_feed(WTI);
    world.env.set_caller(world.owner);
    let mut strict = OpenGate::deploy(&world.env, NoArgs);
    strict.refuse(world.alice);
    let with_gate = FeedRegistryUpgradeArgs { eligibility_gate: Maybe::Some(strict.address()) };
    world.feeds = FeedRegistry::try_upgrade(&world.env, world.feeds.address(), with_gate).expect("an upgrade");
    assert_eq!(world.register(world.alice, BRENT), refused(UNAUTHORIZED));
    assert_eq!(world.register(world.bob, BRENT), Ok(()));
    world.env.set_caller(world.owner);
    let others = crate::support::install_feeds(&world.env, world.owner);
    let with_feeds = AttestationRegistryUpgradeArgs { feed_registry: Maybe::Some(others.address()) };
    let address = world.attestations.address();
    world.attestations = AttestationRegistry::try_upgrade(&world.env, address, with_feeds).expect("an upgrade");
    assert_eq!(world.attest(world.alice, WTI, 1), refused(UNAUTHORIZED));
}

#[test]
fn an_upgrade_before_anything_is_wired_wires_nothing() {
    let mut world = World::unwired();
    let address = world.attestations.address();
    world.attestations =
        AttestationRegistry::try_upgrade(&world.env, address, keep_feed_registry()).expect("an upgrade");
    assert_eq!(world.attest(world.owner, WTI, 1), refused(UNAUTHORIZED));
}

/// OdraVM does not know who may upgrade a package, or who may call `upgrade`.
#[test]
fn a_stranger_cannot_upgrade() {
    if !on_casper() {
        return;
    }
    let mut world = World::with_feed(WTI);
    world.env.set_caller(world.bob);
    assert!(FeedRegistry::try_upgrade(&world.env, world.feeds.address(), keep_gate()).is_err());
    let address = world.attestations.address();
    assert!(AttestationRegistry::try_upgrade(&world.env, address, keep_feed_registry()).is_err());
    for caller in [world.bob, world.owner] {
        world.env.set_caller(caller);
        let gate = runtime_args! { "eligibility_gate" => world.bob };
        assert!(call(&world.env, world.feeds.address(), "upgrade", gate).is_err());
        let registry = runtime_args! { "feed_registry" => world.gate.address() };
        assert!(call(&world.env, address, "upgrade", registry).is_err());
    }
    assert_eq!(world.attest(world.alice, WTI, 1), Ok(()));
    assert_eq!(world.register(world.bob, BRENT), Ok(()));
}
