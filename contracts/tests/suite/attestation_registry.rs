use odra::casper_types::{runtime_args, U512};
use odra::prelude::*;
use wattfeed_contracts::attestation_registry::{Attestation, Error, RevenueAttested};

use crate::support::{
    call, install_attestations, install_feeds, new_attestation, refused, World, BRENT, SOURCE_HASH, UNAUTHORIZED, WTI,
};

fn attestation(attester: Address, amount: u64, timestamp: u64) -> Attestation {
    Attestation { period: 20261116, amount: amount.into(), source_hash: SOURCE_HASH.into(), attester, timestamp }
}

#[test]
fn errors_have_their_numbers() {
    assert_eq!(OdraError::from(Error::Unauthorized).code(), 1);
    assert_eq!(OdraError::from(Error::NoAttestations).code(), 2);
}

#[test]
fn a_fresh_registry_is_empty() {
    let world = World::unwired();
    assert_eq!(world.attestations.total_attestations(), 0);
    assert_eq!(world.attestations.get_count(WTI.into()), 0);
    assert_eq!(world.attestations.get_latest(WTI.into()), None);
    assert_eq!(world.attestations.get_at(WTI.into(), 0), None);
}

#[test]
fn the_first_party_attester_is_whom_init_names() {
    let world = World::unwired();
    assert_eq!(world.attestations.get_attester(), world.owner);
    assert_eq!(install_attestations(&world.env, world.bob).get_attester(), world.bob);
}

#[test]
fn the_first_party_attester_sets_the_feed_registry_and_nobody_else() {
    let mut world = World::unwired();
    world.feeds.set_eligibility_gate(world.gate.address());
    assert_eq!(world.register(world.alice, WTI), Ok(()));
    for stranger in [world.alice, world.bob] {
        world.env.set_caller(stranger);
        assert_eq!(world.attestations.try_set_feed_registry(world.feeds.address()), refused(UNAUTHORIZED));
    }
    assert_eq!(world.attest(world.alice, WTI, 1), refused(UNAUTHORIZED));
    world.env.set_caller(world.owner);
    assert_eq!(world.attestations.try_set_feed_registry(world.feeds.address()), Ok(()));
    assert_eq!(world.attest(world.alice, WTI, 1), Ok(()));
}

#[test]
fn nobody_attests_while_no_feed_registry_is_set() {
    let mut world = World::unwired();
    for caller in [world.owner, world.alice] {
        assert_eq!(world.attest(caller, WTI, 1), refused(UNAUTHORIZED));
        assert_eq!(world.attest_many(caller, &[(WTI, 1)]), refused(UNAUTHORIZED));
        assert_eq!(world.attest_many(caller, &[]), refused(UNAUTHORIZED));
    }
    assert_eq!(world.attestations.total_attestations(), 0);
}

#[test]
fn the_claimant_attests() {
    let mut world = World::with_feed(WTI);
    world.env.advance_block_time(1_000);
    let first = attestation(world.alice, 59_910_000, world.env.block_time());
    assert_eq!(world.attest(world.alice, WTI, 59_910_000), Ok(()));
    assert_eq!(world.attestations.get_latest(WTI.into()), Some(first.clone()));
    world.env.advance_block_time(1_000);
    let second = attestation(world.alice, 0, world.env.block_time());
    assert_eq!(world.attest(world.alice, WTI, 0), Ok(()));
    assert_eq!(world.attestations.get_latest(WTI.into()), Some(second.clone()));
    assert_eq!(world.attestations.get_at(WTI.into(), 0), Some(first));
    assert_eq!(world.attestations.get_at(WTI.into(), 1), Some(second));
    assert_eq!(world.attestations.get_at(WTI.into(), 2), None);
    assert_eq!(world.attestations.get_count(WTI.into()), 2);
    assert_eq!(world.attestations.total_attestations(), 2);
}

#[test]
fn an_attestation_is_logged() {
    let mut world = World::with_feed(WTI);
    assert_eq!(world.attest(world.alice, WTI, 5), Ok(()));
    world.env.advance_block_time(7);
    assert_eq!(world.attest(world.alice, WTI, 6), Ok(()));
    let logged = world.snapshot(&[]).attested;
    let second = RevenueAttested {
        asset_id: WTI.into(),
        period: 20261116,
        amount: 6.into(),
        source_hash: SOURCE_HASH.into(),
        index: 1,
        timestamp: world.env.block_time(),
    };
    assert_eq!(logged.len(), 2);
    assert_eq!(logged[1], second);
    assert_eq!((logged[0].index, logged[0].amount), (0, 5.into()));
}

#[test]
fn nobody_else_attests_to_a_claimed_feed() {
    let mut world = World::with_feed(WTI);
    assert_eq!(world.attest(world.alice, WTI, 1), Ok(()));
    let before = world.snapshot(&[WTI]);
    for stranger in [world.owner, world.bob] {
        assert_eq!(world.attest(stranger, WTI, 2), refused(UNAUTHORIZED));
        assert_eq!(world.attest_many(stranger, &[(WTI, 2)]), refused(UNAUTHORIZED));
    }
    assert_eq!(world.snapshot(&[WTI]), before);
}

#[test]
fn nobody_attests_to_a_feed_that_is_not_registered() {
    let mut world = World::with_feed(WTI);
    for caller in [world.owner, world.alice, world.bob] {
        for id in [BRENT, "", "EIA.PET.PRICE.WTI.DAILY#0"] {
            assert_eq!(world.attest(caller, id, 1), refused(UNAUTHORIZED));
            assert_eq!(world.attest_many(caller, &[(id, 1)]), refused(UNAUTHORIZED));
        }
    }
    assert_eq!(world.attestations.total_attestations(), 0);
}

#[test]
fn a_feed_registered_later_can_be_attested_to_at_once() {
    let mut world = World::wired();
    assert_eq!(world.attest(world.bob, WTI, 1), refused(UNAUTHORIZED));
    assert_eq!(world.register(world.bob, WTI), Ok(()));
    assert_eq!(world.attest(world.bob, WTI, 1), Ok(()));
}

#[test]
fn values_keep_every_digit_and_letter() {
    let mut world = World::with_feed(WTI);
    for (period, amount, source_hash) in [(u64::MAX, U512::MAX, "é €\n"), (0, U512::zero(), "")] {
        assert_eq!(world.attestations.try_attest(WTI.into(), period, amount, source_hash.into()), Ok(()));
        let latest = world.attestations.get_latest(WTI.into()).expect("an attestation");
        assert_eq!((latest.period, latest.amount, latest.source_hash.as_str()), (period, amount, source_hash));
    }
}

#[test]
fn feeds_with_similar_ids_stay_apart() {
    let mut world = World::with_feed("A");
    assert_eq!(world.register(world.alice, "A#1"), Ok(()));
    assert_eq!(world.attest_many(world.alice, &[("A", 10), ("A", 11), ("A#1", 20), ("A", 12)]), Ok(()));
    let amount_at = |id: &str, index| world.attestations.get_at(id.into(), index).map(|found| found.amount.as_u64());
    assert_eq!([0, 1, 2, 3].map(|index| amount_at("A", index)), [Some(10), Some(11), Some(12), None]);
    assert_eq!([0, 1].map(|index| amount_at("A#1", index)), [Some(20), None]);
}

#[test]
fn a_batch_is_stored_in_its_order() {
    let mut world = World::with_feed(WTI);
    assert_eq!(world.register(world.alice, BRENT), Ok(()));
    assert_eq!(world.attest_many(world.alice, &[(WTI, 1), (BRENT, 2), (WTI, 3)]), Ok(()));
    let snapshot = world.snapshot(&[WTI, BRENT]);
    let now = world.env.block_time();
    let [first, second, third] = [1, 2, 3].map(|amount| Some(attestation(world.alice, amount, now)));
    assert_eq!(snapshot.feeds[0].history, [first, third.clone(), None]);
    assert_eq!(snapshot.feeds[0].latest, third);
    assert_eq!(snapshot.feeds[1].history, [second.clone(), None]);
    assert_eq!(snapshot.feeds[1].latest, second);
    assert_eq!(snapshot.total, 3);
    let logged: Vec<_> = snapshot.attested.iter().map(|event| (event.asset_id.as_str(), event.index)).collect();
    assert_eq!(logged, [(WTI, 0), (BRENT, 0), (WTI, 1)]);
}

#[test]
fn a_batch_of_one_is_the_same_as_one() {
    let mut batched = World::with_feed(WTI);
    let mut single = World::with_feed(WTI);
    assert_eq!(batched.attest_many(batched.alice, &[(WTI, 1)]), Ok(()));
    assert_eq!(single.attest(single.alice, WTI, 1), Ok(()));
    assert_eq!(batched.snapshot(&[WTI]).attested, single.snapshot(&[WTI]).attested);
}

#[test]
fn an_empty_batch_is_refused() {
    let mut world = World::with_feed(WTI);
    for caller in [world.owner, world.alice, world.bob] {
        assert_eq!(world.attest_many(caller, &[]), refused(2));
    }
}

#[test]
fn a_batch_is_all_or_nothing() {
    let mut world = World::with_feed(WTI);
    assert_eq!(world.register(world.bob, BRENT), Ok(()));
    assert_eq!(world.attest(world.alice, WTI, 1), Ok(()));
    let before = world.snapshot(&[WTI, BRENT]);
    for refused_id in [BRENT, "unknown", ""] {
        let batch = [(WTI, 2), (WTI, 3), (refused_id, 4)];
        assert_eq!(world.attest_many(world.alice, &batch), refused(UNAUTHORIZED));
        assert_eq!(world.attest_many(world.alice, &[(refused_id, 4), (WTI, 2)]), refused(UNAUTHORIZED));
    }
    assert_eq!(world.snapshot(&[WTI, BRENT]), before);
}

#[test]
fn another_feed_registry_counts_from_when_it_is_set() {
    let mut world = World::with_feed(WTI);
    assert_eq!(world.attest(world.alice, WTI, 1), Ok(()));
    world.env.set_caller(world.owner);
    let mut others = install_feeds(&world.env, world.owner);
    others.set_eligibility_gate(world.gate.address());
    world.attestations.set_feed_registry(others.address());
    assert_eq!(world.attest(world.alice, WTI, 2), refused(UNAUTHORIZED));
    world.feeds = others;
    assert_eq!(world.register(world.bob, WTI), Ok(()));
    assert_eq!(world.attest(world.alice, WTI, 3), refused(UNAUTHORIZED));
    assert_eq!(world.attest(world.bob, WTI, 4), Ok(()));
    assert_eq!(world.attestations.get_count(WTI.into()), 2);
}

#[test]
fn a_contract_that_is_no_feed_registry_cannot_be_set() {
    let mut world = World::with_feed(WTI);
    world.env.set_caller(world.owner);
    assert!(world.attestations.try_set_feed_registry(world.gate.address()).is_err());
    assert_eq!(world.attest(world.alice, WTI, 1), Ok(()));
}

#[test]
fn init_cannot_be_called_again() {
    let world = World::with_feed(WTI);
    for caller in [world.owner, world.bob] {
        world.env.set_caller(caller);
        let init = call(&world.env, world.attestations.address(), "init", runtime_args! { "attester" => world.bob });
        assert!(init.is_err());
    }
    assert_eq!(world.attestations.get_attester(), world.owner);
}

#[test]
fn one_unauthorized_attestation_is_enough_wherever_it_stands() {
    let mut world = World::with_feed(WTI);
    for position in 0..5 {
        let mut batch = vec![new_attestation(WTI, 1); 5];
        batch[position].asset_id = BRENT.into();
        world.env.set_caller(world.alice);
        assert_eq!(world.attestations.try_attest_many(batch), refused(UNAUTHORIZED));
    }
    assert_eq!(world.attestations.total_attestations(), 0);
}
