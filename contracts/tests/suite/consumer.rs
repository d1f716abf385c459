use odra::casper_types::U512;
use odra::host::Deployer;
use odra::prelude::*;
use wattfeed_consumer::{Consumer, ConsumerHostRef, ConsumerInitArgs, Error};
use wattfeed_contracts::feed_registry::Feed;

use crate::support::{wti_feed, World, SOURCE_HASH, WTI};

const MAX_AGE_MS: u64 = 60_000;

fn install(world: &World) -> ConsumerHostRef {
    let args = ConsumerInitArgs {
        feed_registry: world.feeds.address(),
        attestation_registry: world.attestations.address(),
        max_age_ms: MAX_AGE_MS,
    };
    Consumer::deploy(&world.env, args)
}

/// A feed with this many decimals and one value.
fn value_of(decimals: u8, amount: U512) -> Result<U512, OdraError> {
    let mut world = World::wired();
    let consumer = install(&world);
    assert_eq!(world.register_as(world.alice, WTI, Feed { decimals, ..wti_feed() }), Ok(()));
    world.attestations.attest(WTI.into(), 20261116, amount, SOURCE_HASH.into());
    consumer.try_get_value(WTI.into())
}

#[test]
fn reads_the_newest_value_at_its_own_scale() {
    let mut world = World::with_feed(WTI);
    let consumer = install(&world);
    for amount in [59_910_000, 60_000_001] {
        assert_eq!(world.attest(world.alice, WTI, amount), Ok(()));
        assert_eq!(consumer.get_value(WTI.into()), U512::from(amount * 1_000));
    }
}

#[test]
fn scales_by_whole_numbers() {
    assert_eq!(value_of(0, 7.into()), Ok(U512::from(7_000_000_000u64)));
    assert_eq!(value_of(9, 7.into()), Ok(U512::from(7)));
    assert_eq!(value_of(12, 7_999.into()), Ok(U512::from(7)));
    assert_eq!(value_of(255, U512::MAX), Err(Error::OutOfRange.into()));
    assert_eq!(value_of(8, U512::MAX), Err(Error::OutOfRange.into()));
    assert_eq!(value_of(10, U512::MAX), Ok(U512::MAX / 10));
}

#[test]
fn an_unregistered_feed_is_no_data() {
    let world = World::wired();
    assert_eq!(install(&world).try_get_value(WTI.into()), Err(Error::NoData.into()));
}

#[test]
fn a_feed_without_a_value_is_no_data() {
    let world = World::with_feed(WTI);
    assert_eq!(install(&world).try_get_value(WTI.into()), Err(Error::NoData.into()));
}

#[test]
fn a_value_counts_until_it_is_older_than_the_limit() {
    let mut world = World::with_feed(WTI);
    let consumer = install(&world);
    assert_eq!(world.attest(world.alice, WTI, 1), Ok(()));
    world.env.advance_block_time(MAX_AGE_MS);
    assert_eq!(consumer.try_get_value(WTI.into()), Ok(U512::from(1_000)));
    world.env.advance_block_time(1);
    assert_eq!(consumer.try_get_value(WTI.into()), Err(Error::TooOld.into()));
    assert_eq!(world.attest(world.alice, WTI, 2), Ok(()));
    assert_eq!(consumer.try_get_value(WTI.into()), Ok(U512::from(2_000)));
}
