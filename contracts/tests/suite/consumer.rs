use odra::casper_types::U512;
use odra::host::Deployer;
use odra::prelude::*;
use wattfeed::Error;
use wattfeed_consumer::{Consumer, ConsumerHostRef, ConsumerInitArgs};
use wattfeed_contracts::feed_registry::Feed;

use crate::support::{wti_feed, World, WTI};

const MAX_AGE_MS: u64 = 60_000;

/// Trusts alice's values of the feed in support.rs.
fn install(world: &World) -> ConsumerHostRef {
    let args = ConsumerInitArgs {
        feed_registry: world.feeds.address(),
        attestation_registry: world.attestations.address(),
        seed: None,
        feed_id: WTI.into(),
        attester: world.alice,
        unit: wti_feed().unit,
        decimals: wti_feed().decimals,
        max_age_ms: MAX_AGE_MS,
    };
    Consumer::deploy(&world.env, args)
}

/// The contract's answer after the claimant has replaced the metadata of a feed that has a value.
fn value_after(change: Feed) -> Result<U512, OdraError> {
    let mut world = World::with_feed(WTI);
    let consumer = install(&world);
    assert_eq!(world.attest(world.alice, WTI, 1), Ok(()));
    assert_eq!(world.register_as(world.alice, WTI, change), Ok(()));
    consumer.try_get_value()
}

#[test]
fn reads_the_newest_value() {
    let mut world = World::with_feed(WTI);
    let consumer = install(&world);
    for amount in [59_910_000, 60_000_001] {
        assert_eq!(world.attest(world.alice, WTI, amount), Ok(()));
        assert_eq!(consumer.get_value(), U512::from(amount));
    }
}

#[test]
fn an_unregistered_feed_is_refused() {
    let world = World::wired();
    assert_eq!(install(&world).try_get_value(), Err(Error::NotRegistered.into()));
}

#[test]
fn a_feed_whose_unit_changed_is_refused() {
    assert_eq!(value_after(Feed { unit: "cents/bbl".into(), ..wti_feed() }), Err(Error::OtherUnit.into()));
    assert_eq!(value_after(Feed { title: "another title".into(), ..wti_feed() }), Ok(U512::from(1)));
}
