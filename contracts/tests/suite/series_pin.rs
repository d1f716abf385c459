//! Values of series, by the cases that `wattfeed/tests/series.rs` compares with the verifier of TypeScript.
use odra::casper_types::bytesrepr::Bytes;
use odra::casper_types::U512;
use odra::host::Deployer;
use odra::prelude::*;
use wattfeed::series::{Root, Series, SeriesPin, Settled};
use wattfeed::Error;
use wattfeed_stubs::series_reader::{SeriesReader, SeriesReaderHostRef, SeriesReaderInitArgs};

use crate::gas::assert_used;
use crate::support::{on_casper, seed_of, World};
use crate::vectors::{fixture, Vectors};

const MAX_AGE_MS: u64 = 60_000;
pub const LARGE: u64 = 2_000_000;

/// What a contract pins, and a proof of it.
#[derive(Clone)]
pub struct Case {
    pub pin: Series,
    pub root: Root,
    pub statement: String,
    pub period: Option<String>,
    pub proof: Vec<u8>,
    /// The scaled value, or the name of an error.
    pub outcome: String,
}

impl Case {
    pub fn named_period(&self) -> String {
        self.period.clone().expect("a period")
    }
}

pub fn cases() -> Vec<Case> {
    let Vectors { pins, roots, questions, proofs, cases } = Vectors::parse(&fixture("series-proofs.jsonl"));
    let case = |([pin, root, question, proof], outcome): ([usize; 4], String)| {
        let (statement, period) = questions[question].clone();
        let (pin, root, proof) = (pins[pin].clone(), roots[root].clone(), proofs[proof].clone());
        Case { pin, root, statement, period, proof, outcome }
    };
    cases.into_iter().map(case).collect()
}

/// The first case of a statement that settles by a tree of this size.
pub fn settled_case(statement: &str, size: u64) -> Case {
    let is_settled = |case: &Case| case.outcome.parse::<i64>().is_ok();
    let found =
        cases().into_iter().find(|case| case.statement == statement && case.root.size == size && is_settled(case));
    found.unwrap_or_else(|| panic!("no case of {statement}"))
}

/// A contract that pins a series, and alice's root of its dataset.
struct Market {
    world: World,
    contract: SeriesReaderHostRef,
}

impl Market {
    fn of(case: &Case) -> Self {
        let mut world = World::wired();
        let id = case.pin.feed_id();
        assert_eq!(world.register(world.alice, &id), Ok(()));
        attest(&mut world, &id, &case.root);
        let seed = seed_of(&world);
        let contract = install(&world, seed, &case.pin, world.alice).expect("a contract");
        Self { world, contract }
    }

    fn settle(&mut self, case: &Case) -> OdraResult<()> {
        let proof = Bytes::from(case.proof.clone());
        match (case.statement.as_str(), case.period.clone()) {
            ("value_of", Some(period)) => self.contract.try_settle_value_of(period, proof),
            ("newest_period", None) => self.contract.try_settle_newest_period(proof),
            ("newest_value", None) => self.contract.try_settle_newest_value(proof),
            other => panic!("no statement: {other:?}"),
        }
    }

    fn settled_value(&self) -> Option<String> {
        self.contract.settled().map(|Settled { value, .. }| value.to_string())
    }
}

pub fn attest(world: &mut World, id: &str, root: &Root) {
    let hash: String = root.hash.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(try_attest(world, id, root.period, root.size, hash), Ok(()));
}

pub fn try_attest(world: &mut World, id: &str, period: u64, size: u64, hash: String) -> OdraResult<()> {
    world.env.set_caller(world.alice);
    world.attestations.try_attest(id.into(), period, U512::from(size), hash)
}

fn install(world: &World, seed: Option<[u8; 32]>, pin: &Series, attester: Address) -> OdraResult<SeriesReaderHostRef> {
    let args = SeriesReaderInitArgs {
        feed_registry: world.feeds.address(),
        attestation_registry: world.attestations.address(),
        seed,
        pin: SeriesPin { attester, max_age_ms: MAX_AGE_MS, series: pin.clone() },
    };
    SeriesReader::try_deploy(&world.env, args)
}

#[test]
fn settles_each_statement() {
    for statement in ["value_of", "newest_period", "newest_value"] {
        for size in [1_000, LARGE] {
            let case = settled_case(statement, size);
            let mut market = Market::of(&case);
            assert_eq!(market.settle(&case), Ok(()), "{statement} of {size}");
            assert_eq!(market.settled_value(), Some(case.outcome), "{statement} of {size}");
        }
    }
}

/// Twenty cases of one tree, so that the registries are installed once.
#[test]
fn settles_as_the_verifier_says() {
    let cases: Vec<Case> = cases().into_iter().filter(|case| case.root.size == 1_000).collect();
    let mut market = Market::of(&cases[0]);
    for case in cases.iter().step_by(cases.len() / 20).take(20) {
        market.contract = install(&market.world, None, &case.pin, market.world.alice).expect("a contract");
        let found = market.settle(case);
        match case.outcome.parse::<i64>() {
            Ok(value) => assert_eq!((found, market.settled_value()), (Ok(()), Some(value.to_string()))),
            Err(_) => assert!(found.is_err(), "{}", case.outcome),
        }
    }
}

#[test]
fn a_dataset_without_a_root_is_refused() {
    let case = settled_case("value_of", 1_000);
    let mut world = World::wired();
    let id = case.pin.feed_id();
    assert_eq!(world.register(world.alice, &id), Ok(()));
    let contract = install(&world, None, &case.pin, world.alice).expect("a contract");
    let mut market = Market { world, contract };
    assert_eq!(market.settle(&case), Err(Error::NoValue.into()));
    for (size, hash) in [(1_000, "d40bab3b102d38fc6074ccb9317bee27".into()), (0, "a".repeat(64)), (1, "A".repeat(64))] {
        assert_eq!(try_attest(&mut market.world, &id, 202608, size, hash), Ok(()));
        assert_eq!(market.settle(&case), Err(Error::NotARoot.into()), "{size}");
    }
}

#[test]
fn a_root_of_another_attester_is_refused() {
    let case = settled_case("value_of", 1_000);
    let mut market = Market::of(&case);
    market.contract = install(&market.world, None, &case.pin, market.world.bob).expect("a contract");
    assert_eq!(market.settle(&case), Err(Error::OtherAttester.into()));
}

#[test]
fn a_root_counts_until_it_is_older_than_the_limit() {
    let case = settled_case("value_of", 1_000);
    let mut market = Market::of(&case);
    let age_ms = market.world.env.block_time()
        - market.world.attestations.get_latest(case.pin.feed_id()).expect("a root").timestamp;
    market.world.env.advance_block_time(MAX_AGE_MS - age_ms);
    assert_eq!(market.settle(&case), Ok(()));
    market.world.env.advance_block_time(1);
    assert_eq!(market.settle(&case), Err(Error::TooOld.into()));
}

#[test]
fn a_newer_root_makes_a_proof_stale_but_not_by_a_frozen_root() {
    let case = settled_case("value_of", 1_000);
    let mut market = Market::of(&case);
    assert_eq!(
        market.contract.try_settle_frozen("2022-01".into(), case.proof.clone().into()),
        Err(Error::NoValue.into())
    );
    market.contract.freeze();
    let newer = Root { hash: [7; 32], size: 1_001, ..case.root.clone() };
    attest(&mut market.world, &case.pin.feed_id(), &newer);
    assert_eq!(market.settle(&case), Err(Error::NotInTree.into()));
    assert_eq!(market.contract.try_settle_frozen(case.named_period(), case.proof.clone().into()), Ok(()));
    assert_eq!(market.settled_value(), Some(case.outcome));
}

#[test]
fn a_pin_of_no_leaf_cannot_be_installed() {
    let world = World::wired();
    let pin = settled_case("value_of", 1_000).pin;
    let wrong = [
        Series { route: "".into(), ..pin.clone() },
        Series { facets: pin.facets.iter().rev().cloned().collect(), ..pin.clone() },
        Series { unit: Some("".into()), ..pin.clone() },
        Series { decimals: 19, ..pin.clone() },
    ];
    for pin in wrong {
        assert_eq!(install(&world, None, &pin, world.alice).err(), Some(Error::MalformedPin.into()));
    }
}

/// What a settlement costs: the root is read directly, and the value is kept.
#[test]
fn settling() {
    if !on_casper() {
        return;
    }
    for (statement, size, most) in [
        ("value_of", 1_000, 450_000_000),
        ("value_of", LARGE, 620_000_000),
        ("newest_period", 1_000, 450_000_000),
        ("newest_period", LARGE, 620_000_000),
        ("newest_value", 1_000, 500_000_000),
        ("newest_value", LARGE, 650_000_000),
    ] {
        let case = settled_case(statement, size);
        let mut market = Market::of(&case);
        assert_eq!(market.settle(&case), Ok(()));
        let what = format!("settle, {statement} of {size}, a proof of {} bytes", case.proof.len());
        assert_used(&market.world, market.contract.address(), &what, most);
    }
    let case = settled_case("value_of", LARGE);
    let mut market = Market::of(&case);
    market.contract.freeze();
    assert_used(&market.world, market.contract.address(), "freeze", 450_000_000);
    assert_eq!(market.contract.try_settle_frozen(case.named_period(), case.proof.clone().into()), Ok(()));
    assert_used(&market.world, market.contract.address(), "settle, value_of of 2000000, by a frozen root", 620_000_000);
    let forged = Case { proof: [&case.proof[..case.proof.len() - 1], &[0]].concat(), ..case };
    assert_eq!(market.settle(&forged), Err(Error::NotInTree.into()));
    assert_used(&market.world, market.contract.address(), "settle, forged", 620_000_000);
}
