use odra::args::Maybe;
use odra::casper_types::runtime_args;
use odra::host::{Deployer, NoArgs};
use odra::prelude::*;
use wattfeed_contracts::eligibility_gate::{EligibilityGate, EligibilityGateInitArgs};
use wattfeed_contracts::feed_registry::{Error, Feed, FeedRegistered, FeedRegistry, FeedRegistryUpgradeArgs};

use crate::support::{call, install_feeds, on_casper, refused, wti_feed, World, BRENT, UNAUTHORIZED, WTI};
use wattfeed_stubs::open_gate::OpenGate;

fn other_feed() -> Feed {
    Feed {
        decimals: 0,
        unit: "€/MWh".into(),
        title: "".into(),
        source: "ENTSO-E".into(),
        route: "a/b".into(),
        frequency: "hourly".into(),
        description: "°F \n \u{1f50c}".into(),
    }
}

#[test]
fn errors_have_their_numbers() {
    assert_eq!(OdraError::from(Error::Unauthorized).code(), 1);
    assert_eq!(OdraError::from(Error::InvalidFeedId).code(), 2);
}

#[test]
fn a_fresh_registry_is_empty() {
    let world = World::unwired();
    assert_eq!(world.feeds.feed_count(), 0);
    assert_eq!(world.feeds.get_feed_at(0), None);
    assert_eq!(world.feeds.get_feed(WTI.into()), None);
    assert_eq!(world.feeds.get_attester(WTI.into()), None);
}

#[test]
fn the_owner_sets_the_gate_and_nobody_else() {
    let mut world = World::unwired();
    for stranger in [world.alice, world.bob] {
        world.env.set_caller(stranger);
        assert_eq!(world.feeds.try_set_eligibility_gate(world.gate.address()), refused(UNAUTHORIZED));
    }
    assert_eq!(world.register(world.alice, WTI), refused(UNAUTHORIZED));
    world.env.set_caller(world.owner);
    assert_eq!(world.feeds.try_set_eligibility_gate(world.gate.address()), Ok(()));
    assert_eq!(world.register(world.alice, WTI), Ok(()));
}

#[test]
fn the_owner_is_whom_init_names_not_who_installs() {
    let mut world = World::unwired();
    world.feeds = install_feeds(&world.env, world.alice);
    assert_eq!(world.feeds.try_set_eligibility_gate(world.gate.address()), refused(UNAUTHORIZED));
    world.env.set_caller(world.alice);
    assert_eq!(world.feeds.try_set_eligibility_gate(world.gate.address()), Ok(()));
}

#[test]
fn nobody_registers_while_no_gate_is_set() {
    let mut world = World::unwired();
    for caller in [world.owner, world.alice] {
        assert_eq!(world.register(caller, WTI), refused(UNAUTHORIZED));
    }
    assert_eq!(world.feeds.feed_count(), 0);
}

#[test]
fn an_eligible_caller_becomes_the_claimant_of_a_new_feed() {
    let mut world = World::wired();
    assert_eq!(world.register(world.alice, WTI), Ok(()));
    assert_eq!(world.register_as(world.bob, BRENT, other_feed()), Ok(()));
    assert_eq!(world.feeds.get_feed(WTI.into()), Some(wti_feed()));
    assert_eq!(world.feeds.get_feed(BRENT.into()), Some(other_feed()));
    assert_eq!(world.feeds.get_attester(WTI.into()), Some(world.alice));
    assert_eq!(world.feeds.get_attester(BRENT.into()), Some(world.bob));
    assert_eq!(world.feeds.get_feed_at(0), Some(WTI.into()));
    assert_eq!(world.feeds.get_feed_at(1), Some(BRENT.into()));
    assert_eq!(world.feeds.get_feed_at(2), None);
    assert_eq!(world.feeds.feed_count(), 2);
}

#[test]
fn a_registration_is_logged() {
    let mut world = World::wired();
    assert_eq!(world.register(world.alice, WTI), Ok(()));
    assert_eq!(world.register_as(world.alice, WTI, other_feed()), Ok(()));
    let first = FeedRegistered { feed_id: WTI.into(), decimals: 6, unit: "$/bbl".into(), source: "EIA".into() };
    let second = FeedRegistered { feed_id: WTI.into(), decimals: 0, unit: "€/MWh".into(), source: "ENTSO-E".into() };
    assert_eq!(world.snapshot(&[]).registered, [first, second]);
}

#[test]
fn an_account_that_is_not_eligible_cannot_register() {
    let mut world = World::wired();
    world.gate.refuse(world.alice);
    let before = world.snapshot(&[WTI]);
    assert_eq!(world.register(world.alice, WTI), refused(UNAUTHORIZED));
    assert_eq!(world.snapshot(&[WTI]), before);
    world.env.set_caller(world.owner);
    world.gate.admit(world.alice);
    assert_eq!(world.register(world.alice, WTI), Ok(()));
}

#[test]
fn the_owner_needs_the_gate_too() {
    let mut world = World::wired();
    world.gate.refuse(world.owner);
    assert_eq!(world.register(world.owner, WTI), refused(UNAUTHORIZED));
}

#[test]
fn the_claimant_replaces_the_metadata_eligible_or_not() {
    let mut world = World::with_feed(WTI);
    world.gate.refuse(world.alice);
    assert_eq!(world.register_as(world.alice, WTI, other_feed()), Ok(()));
    assert_eq!(world.feeds.get_feed(WTI.into()), Some(other_feed()));
    assert_eq!(world.feeds.get_attester(WTI.into()), Some(world.alice));
    assert_eq!(world.feeds.feed_count(), 1);
    assert_eq!(world.feeds.get_feed_at(1), None);
}

#[test]
fn nobody_else_replaces_the_metadata() {
    let mut world = World::with_feed(WTI);
    let before = world.snapshot(&[WTI]);
    for stranger in [world.bob, world.owner] {
        assert_eq!(world.register_as(stranger, WTI, other_feed()), refused(UNAUTHORIZED));
    }
    assert_eq!(world.snapshot(&[WTI]), before);
}

#[test]
fn an_id_is_not_empty_and_has_no_control_characters() {
    let mut world = World::wired();
    let before = world.snapshot(&[]);
    for id in ["", "\0", "a\nb", "a\t", "\u{1b}[0m", "a\u{7f}", "a\u{85}b", "\u{9f}"] {
        assert_eq!(world.register(world.alice, id), refused(2), "{id:?}");
    }
    assert_eq!(world.snapshot(&[]), before);
}

#[test]
fn any_other_id_will_do() {
    let mut world = World::wired();
    let long = "x".repeat(300);
    let ids = [" ", "#", "EIA#1", "é/°F €", "\u{a0}", "\u{202e}", "\u{1f50c}", long.as_str()];
    for id in ids {
        assert_eq!(world.register(world.alice, id), Ok(()), "{id:?}");
        assert_eq!(world.feeds.get_feed(id.into()), Some(wti_feed()), "{id:?}");
    }
    assert_eq!(world.feeds.feed_count(), ids.len() as u64);
}

#[test]
fn authorization_comes_before_content() {
    let mut world = World::wired();
    world.gate.refuse(world.bob);
    for id in ["", "a\nb"] {
        assert_eq!(world.register(world.bob, id), refused(UNAUTHORIZED), "{id:?}");
    }
}

#[test]
fn another_gate_counts_from_when_it_is_set() {
    let mut world = World::with_feed(WTI);
    let mut strict = OpenGate::deploy(&world.env, NoArgs);
    strict.refuse(world.alice);
    world.env.set_caller(world.owner);
    world.feeds.set_eligibility_gate(strict.address());
    assert_eq!(world.register(world.alice, BRENT), refused(UNAUTHORIZED));
    assert_eq!(world.register(world.alice, WTI), Ok(()));
    assert_eq!(world.register(world.bob, BRENT), Ok(()));
}

#[test]
fn the_eligibility_gate_keeps_out_who_has_not_claimed() {
    let mut world = World::unwired();
    let gate = EligibilityGate::deploy(&world.env, EligibilityGateInitArgs { owner: world.owner });
    world.feeds.set_eligibility_gate(gate.address());
    for caller in [world.owner, world.alice] {
        assert_eq!(world.register(caller, WTI), refused(UNAUTHORIZED));
    }
}

#[test]
fn a_gate_that_cannot_be_asked_lets_nobody_in() {
    let mut world = World::wired();
    world.feeds.set_eligibility_gate(world.attestations.address());
    assert!(world.register(world.alice, WTI).is_err());
    assert_eq!(world.feeds.feed_count(), 0);
}

/// OdraVM does not store fields in a dictionary.
#[test]
fn the_seed_of_the_fields_is_told_on_chain_and_survives_an_upgrade() {
    let mut world = World::wired();
    let seed = world.feeds.state_seed();
    assert_eq!(seed.is_some(), on_casper());
    world.env.set_caller(world.owner);
    let keep_gate = FeedRegistryUpgradeArgs { eligibility_gate: Maybe::None };
    world.feeds = FeedRegistry::try_upgrade(&world.env, world.feeds.address(), keep_gate).expect("an upgrade");
    assert_eq!(world.feeds.state_seed(), seed);
}

#[test]
fn init_cannot_be_called_again() {
    let world = World::with_feed(WTI);
    for caller in [world.owner, world.bob] {
        world.env.set_caller(caller);
        let init = call(&world.env, world.feeds.address(), "init", runtime_args! { "owner" => world.bob });
        assert!(init.is_err());
    }
}
