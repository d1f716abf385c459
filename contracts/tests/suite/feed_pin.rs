use odra::host::{Deployer, NoArgs};
use odra::prelude::*;
use wattfeed::{Error, FeedPin, Reading};
use wattfeed_contracts::attestation_registry::AttestationRegistry;
use wattfeed_contracts::feed_registry::{Feed, FeedRegistry};
use wattfeed_stubs::feed_reader::{FeedReader, FeedReaderHostRef};

use crate::support::{
    install_attestations, keep_feed_registry, keep_gate, on_casper, seed_of, wti_feed, World, BRENT, WTI,
};

const MAX_AGE_MS: u64 = 60_000;

/// Alice's values of the feed in support.rs.
fn wti_pin(world: &World) -> FeedPin {
    let Feed { unit, decimals, .. } = wti_feed();
    FeedPin { feed_id: WTI.into(), attester: world.alice, unit, decimals, max_age_ms: MAX_AGE_MS }
}

/// A feed with one value.
fn world_with_value() -> World {
    let mut world = World::with_feed(WTI);
    assert_eq!(world.attest(world.alice, WTI, 59_910_000), Ok(()));
    world
}

/// Installs a reader with this seed.
fn try_install(world: &World, seed: Option<[u8; 32]>, feed_id: &str) -> OdraResult<FeedReaderHostRef> {
    let mut reader = FeedReader::deploy(&world.env, NoArgs);
    let (feeds, attestations) = (world.feeds.address(), world.attestations.address());
    reader.try_install(feeds, attestations, seed, feed_id.into())?;
    Ok(reader)
}

/// One reader that calls the registries, and on the engine one that reads them directly. The feed must have a value.
fn readers(world: &World) -> Vec<FeedReaderHostRef> {
    let mut readers = vec![try_install(world, None, WTI).expect("a reader by calls")];
    if let Some(seed) = seed_of(world) {
        readers.push(try_install(world, Some(seed), WTI).expect("a direct reader"));
    }
    readers
}

fn assert_refused(world: &World, pin: &FeedPin, error: Error) {
    for reader in readers(world) {
        assert_eq!(reader.try_read(pin.clone()), Err(error.into()));
    }
}

#[test]
fn reads_the_newest_value() {
    let mut world = world_with_value();
    let readers = readers(&world);
    for amount in [0, 59_910_000, u64::MAX] {
        assert_eq!(world.attest(world.alice, WTI, amount), Ok(()));
        let timestamp = world.env.block_time();
        for reader in &readers {
            let reading = Reading { amount: amount.into(), period: 20261116, timestamp, decimals: 6 };
            assert_eq!(reader.read(wti_pin(&world)), reading);
        }
    }
}

#[test]
fn reads_what_the_registries_answer() {
    let mut world = world_with_value();
    assert_eq!(world.register(world.bob, BRENT), Ok(()));
    for reader in readers(&world) {
        for id in [WTI, BRENT, "unregistered", ""] {
            assert_eq!(
                format!("{:?}", reader.latest(id.into())),
                format!("{:?}", world.attestations.get_latest(id.into()))
            );
            assert_eq!(format!("{:?}", reader.feed(id.into())), format!("{:?}", world.feeds.get_feed(id.into())));
        }
    }
}

#[test]
fn a_feed_without_metadata_or_value_is_refused() {
    let mut world = world_with_value();
    let brent = FeedPin { feed_id: BRENT.into(), ..wti_pin(&world) };
    assert_refused(&world, &brent, Error::NotRegistered);
    assert_eq!(world.register(world.alice, BRENT), Ok(()));
    assert_refused(&world, &brent, Error::NoValue);
}

#[test]
fn a_value_of_another_attester_is_refused() {
    let world = world_with_value();
    assert_refused(&world, &FeedPin { attester: world.bob, ..wti_pin(&world) }, Error::OtherAttester);
}

#[test]
fn a_feed_whose_unit_or_decimals_changed_is_refused() {
    let mut world = world_with_value();
    let pin = wti_pin(&world);
    let cents = Feed { unit: "cents/bbl".into(), ..wti_feed() };
    assert_eq!(world.register_as(world.alice, WTI, cents), Ok(()));
    assert_refused(&world, &pin, Error::OtherUnit);
    assert_eq!(world.register_as(world.alice, WTI, Feed { decimals: 2, ..wti_feed() }), Ok(()));
    assert_refused(&world, &pin, Error::OtherDecimals);
}

#[test]
fn a_value_counts_until_it_is_older_than_the_limit() {
    let world = world_with_value();
    let readers = readers(&world);
    let read_at = world.env.block_time() + MAX_AGE_MS;
    let age = |reader: &FeedReaderHostRef| reader.try_read(wti_pin(&world)).map(|reading| read_at - reading.timestamp);
    world.env.advance_block_time(MAX_AGE_MS);
    for reader in &readers {
        assert_eq!(age(reader), Ok(MAX_AGE_MS));
    }
    world.env.advance_block_time(1);
    for reader in &readers {
        assert_eq!(age(reader), Err(Error::TooOld.into()));
    }
}

#[test]
fn nothing_is_read_before_the_registries_are_known() {
    let world = world_with_value();
    let reader = FeedReader::deploy(&world.env, NoArgs);
    assert_eq!(reader.try_read(wti_pin(&world)), Err(Error::RegistriesUnset.into()));
    assert_eq!(reader.try_latest(WTI.into()).err(), Some(Error::RegistriesUnset.into()));
}

/// Off chain, a seed is of no use, so it is not checked.
#[test]
fn a_seed_is_compared_with_a_call() {
    let mut world = world_with_value();
    let Some(seed) = seed_of(&world) else {
        let reader = try_install(&world, Some([7; 32]), WTI).expect("a reader by calls");
        assert_eq!(reader.try_read(wti_pin(&world)).map(|reading| reading.amount), Ok(59_910_000.into()));
        return;
    };
    assert_eq!(world.register(world.alice, BRENT), Ok(()));
    for id in [BRENT, "unregistered"] {
        assert_eq!(try_install(&world, Some(seed), id).err(), Some(Error::SeedUnchecked.into()));
    }
    for other in [[7; 32], world.feeds.state_seed().expect("a seed"), other_seed(&mut world)] {
        assert_eq!(try_install(&world, Some(other), WTI).err(), Some(Error::OtherSeed.into()));
    }
}

/// The seed of another registry, to which the same value was attested later.
fn other_seed(world: &mut World) -> [u8; 32] {
    world.env.set_caller(world.owner);
    let mut other = install_attestations(&world.env, world.owner);
    other.set_feed_registry(world.feeds.address());
    let ours = std::mem::replace(&mut world.attestations, other);
    world.env.advance_block_time(1);
    assert_eq!(world.attest(world.alice, WTI, 59_910_000), Ok(()));
    let seed = seed_of(world).expect("a seed");
    world.attestations = ours;
    seed
}

#[test]
fn a_direct_read_makes_no_call_and_an_upgrade_keeps_it() {
    let mut world = world_with_value();
    let readers = readers(&world);
    let read_all = |world: &World| {
        readers.iter().map(|reader| (reader.read(wti_pin(world)).amount, gas_of(world, reader))).collect::<Vec<_>>()
    };
    let before = read_all(&world);
    world.env.set_caller(world.owner);
    FeedRegistry::try_upgrade(&world.env, world.feeds.address(), keep_gate()).expect("an upgrade");
    let attestations = world.attestations.address();
    AttestationRegistry::try_upgrade(&world.env, attestations, keep_feed_registry()).expect("an upgrade");
    assert_eq!(world.attest(world.alice, WTI, 59_920_000), Ok(()));
    let after = read_all(&world);
    assert!(after.iter().all(|(amount, _)| *amount == 59_920_000.into()));
    if on_casper() {
        for read in [before, after] {
            assert!(read[1].1 + 500_000_000 < read[0].1, "{read:?}: two calls cost 0.6 CSPR");
        }
    }
}

fn gas_of(world: &World, reader: &FeedReaderHostRef) -> u64 {
    world.env.last_call_result(reader.address()).callee_contract_gas_used()
}
