//! The board: values of series that one proof has shown, read by other contracts.
use odra::casper_types::runtime_args;
use odra::host::Deployer;
use odra::prelude::*;
use wattfeed::board::{BoardPin, BoardValue};
use wattfeed::series::{Series, SeriesPin, Settled};
use wattfeed::Error;
use wattfeed_board::{Board, BoardHostRef, BoardInitArgs};
use wattfeed_stubs::board_reader::{BoardReader, BoardReaderHostRef, BoardReaderInitArgs};

use crate::gas::{assert_deployed, assert_used};
use crate::series_pin::{attest, cases, settled_case, try_attest, Case, LARGE};
use crate::support::{call, on_casper, seed_of, World};

const MAX_AGE_MS: u64 = 60_000;

/// A board, and alice's root of a dataset.
struct Boarded {
    world: World,
    board: BoardHostRef,
}

impl Boarded {
    fn of(case: &Case) -> Self {
        let mut world = World::wired();
        let id = case.pin.feed_id();
        assert_eq!(world.register(world.alice, &id), Ok(()));
        attest(&mut world, &id, &case.root);
        let args = BoardInitArgs {
            feed_registry: world.feeds.address(),
            attestation_registry: world.attestations.address(),
            seed: seed_of(&world),
            feed_id: id,
        };
        let board = Board::deploy(&world.env, args);
        // Anyone may put.
        world.env.set_caller(world.bob);
        Self { world, board }
    }

    fn put(&mut self, case: &Case) -> OdraResult<()> {
        self.put_of(&case.pin, case)
    }

    fn put_of(&mut self, series: &Series, case: &Case) -> OdraResult<()> {
        let proof = case.proof.clone().into();
        match case.statement.as_str() {
            "value_of" => self.board.try_put(series.clone(), case.named_period(), proof),
            "newest_value" => self.board.try_put_latest(series.clone(), proof),
            other => panic!("no statement of a board: {other}"),
        }
    }

    /// What the board keeps for a case of alice's.
    fn kept(&self, case: &Case) -> Option<BoardValue> {
        let id = self.pin(&case.pin, self.world.alice).id;
        match case.statement.as_str() {
            "value_of" => self.board.get(id, case.named_period()),
            _ => self.board.get_latest(id),
        }
    }

    fn pin(&self, series: &Series, attester: Address) -> BoardPin {
        self.reader(series, attester).pin()
    }

    fn reader(&self, series: &Series, attester: Address) -> BoardReaderHostRef {
        let pin = SeriesPin { attester, max_age_ms: MAX_AGE_MS, series: series.clone() };
        BoardReader::deploy(&self.world.env, BoardReaderInitArgs { board: Some(self.board.address()), pin })
    }
}

/// Settles by the period of a case.
fn settle(reader: &mut BoardReaderHostRef, case: &Case) -> OdraResult<()> {
    reader.try_settle((case.statement == "value_of").then(|| case.named_period()))
}

#[test]
fn keeps_what_a_proof_shows_and_a_contract_reads_it() {
    for statement in ["value_of", "newest_value"] {
        for size in [1_000, LARGE] {
            let case = settled_case(statement, size);
            let mut boarded = Boarded::of(&case);
            let mut reader = boarded.reader(&case.pin, boarded.world.alice);
            assert_eq!(settle(&mut reader, &case), Err(Error::NotOnBoard.into()));
            assert_eq!(boarded.put(&case), Ok(()), "{statement} of {size}");
            let newest = boarded.world.attestations.get_latest(case.pin.feed_id()).expect("a root");
            let kept = boarded.kept(&case).expect("a value");
            let value = case.outcome.parse().expect("a value");
            let expected = BoardValue {
                period: kept.period.clone(),
                value,
                decimals: case.pin.decimals,
                root: case.root.hash,
                attester: boarded.world.alice,
                root_timestamp: newest.timestamp,
                timestamp: kept.timestamp,
            };
            assert_eq!(kept, expected);
            assert_eq!(case.period.as_ref().unwrap_or(&kept.period), &kept.period);
            assert!(kept.timestamp >= newest.timestamp && kept.timestamp <= boarded.world.env.block_time());
            assert_eq!(settle(&mut reader, &case), Ok(()));
            assert_eq!(reader.settled(), Some(Settled { period: kept.period, value }));
        }
    }
}

#[test]
fn the_newest_value_and_that_of_its_period_are_kept_apart() {
    let (newest, named) = (settled_case("newest_value", 1_000), settled_case("value_of", 1_000));
    let mut boarded = Boarded::of(&named);
    assert_eq!(boarded.put(&newest), Ok(()));
    assert_eq!(boarded.kept(&named), None);
    assert_eq!(boarded.put(&named), Ok(()));
    assert_ne!(boarded.kept(&newest).expect("a value").period, named.named_period());
}

#[test]
fn a_value_by_a_newer_root_replaces_one_and_no_older_root_brings_it_back() {
    let older = case_of("2026-02", 2);
    let newer = case_of("2026-02", 3);
    let mut boarded = Boarded::of(&older);
    assert_eq!(boarded.put(&older), Ok(()));
    attest(&mut boarded.world, &older.pin.feed_id(), &newer.root);
    boarded.world.env.set_caller(boarded.world.bob);
    // The older value stays until somebody puts the newer one.
    assert_eq!(boarded.kept(&older).expect("a value").root, older.root.hash);
    assert_eq!(boarded.put(&older), Err(Error::NotInTree.into()));
    assert_eq!(boarded.put(&newer), Ok(()));
    let kept = boarded.kept(&newer);
    assert_eq!(kept.as_ref().expect("a value").root, newer.root.hash);
    assert_eq!(boarded.put(&older), Ok(()), "nothing is verified, and nothing changes");
    assert_eq!(boarded.kept(&newer), kept);
}

/// Nobody pays for a proof again, and its time stays that of the first call.
#[test]
fn what_the_newest_root_has_shown_stays() {
    let case = settled_case("value_of", 1_000);
    let mut boarded = Boarded::of(&case);
    assert_eq!(boarded.put(&case), Ok(()));
    let kept = boarded.kept(&case);
    boarded.world.env.advance_block_time(1_000);
    assert_eq!(boarded.put(&Case { proof: vec![], ..case.clone() }), Ok(()));
    assert_eq!(boarded.kept(&case), kept);
    // The same root, attested again, counts as newer: its age begins again.
    attest(&mut boarded.world, &case.pin.feed_id(), &case.root);
    assert_eq!(boarded.put(&case), Ok(()));
    assert!(boarded.kept(&case).expect("a value").root_timestamp > kept.expect("a value").root_timestamp);
}

#[test]
fn a_contract_reads_no_value_of_another_attester_unit_or_scale() {
    let case = settled_case("value_of", 1_000);
    let mut boarded = Boarded::of(&case);
    assert_eq!(boarded.put(&case), Ok(()));
    let Boarded { world: World { alice, bob, .. }, .. } = boarded;
    let others = [
        (bob, case.pin.clone()),
        (alice, Series { decimals: case.pin.decimals + 1, ..case.pin.clone() }),
        (alice, Series { unit: None, ..case.pin.clone() }),
        (alice, Series { column: "sales".into(), ..case.pin.clone() }),
    ];
    for (attester, series) in others {
        assert_eq!(settle(&mut boarded.reader(&series, attester), &case), Err(Error::NotOnBoard.into()));
    }
}

#[test]
fn a_root_counts_until_it_is_older_than_the_pinned_age() {
    let case = settled_case("value_of", 1_000);
    let mut boarded = Boarded::of(&case);
    assert_eq!(boarded.put(&case), Ok(()));
    let mut reader = boarded.reader(&case.pin, boarded.world.alice);
    let env = &boarded.world.env;
    env.advance_block_time(MAX_AGE_MS - (env.block_time() - boarded.kept(&case).expect("a value").root_timestamp));
    assert_eq!(settle(&mut reader, &case), Ok(()));
    boarded.world.env.advance_block_time(1);
    assert_eq!(settle(&mut reader, &case), Err(Error::TooOld.into()));
}

#[test]
fn a_contract_without_a_board_reads_nothing() {
    let world = World::unwired();
    let case = settled_case("value_of", 1_000);
    let pin = SeriesPin { attester: world.alice, max_age_ms: MAX_AGE_MS, series: case.pin.clone() };
    let mut reader = BoardReader::deploy(&world.env, BoardReaderInitArgs { board: None, pin });
    assert_eq!(settle(&mut reader, &case), Err(Error::BoardUnset.into()));
}

#[test]
fn what_no_proof_shows_is_not_kept() {
    let case = settled_case("value_of", 1_000);
    let mut boarded = Boarded::of(&case);
    let withheld = cases()
        .into_iter()
        .find(|each| each.root.hash == case.root.hash && each.statement == "value_of" && each.outcome == "Withheld");
    let forged = Case { proof: [&case.proof[..case.proof.len() - 1], &[0]].concat(), ..case.clone() };
    for (refused, error) in [(withheld.expect("a case"), Error::Withheld), (forged, Error::NotInTree)] {
        assert_eq!(boarded.put(&refused), Err(error.into()));
        assert_eq!(boarded.kept(&refused), None);
    }
    let no_leaf = Series { decimals: 19, ..case.pin.clone() };
    assert_eq!(boarded.put_of(&no_leaf, &case), Err(Error::MalformedPin.into()));
    let no_dataset = Series { route: "coal".into(), ..case.pin.clone() };
    assert_eq!(boarded.put_of(&no_dataset, &case), Err(Error::NoValue.into()));
    assert_eq!(try_attest(&mut boarded.world, &case.pin.feed_id(), 202608, 1, "A".repeat(64)), Ok(()));
    assert_eq!(boarded.put(&case), Err(Error::NotARoot.into()));
}

/// What it costs to put a value, and to settle by it.
#[test]
fn putting() {
    if !on_casper() {
        return;
    }
    for (statement, size, most) in [
        ("value_of", 1_000, 620_000_000),
        ("value_of", LARGE, 800_000_000),
        ("newest_value", 1_000, 660_000_000),
        ("newest_value", LARGE, 830_000_000),
    ] {
        let case = settled_case(statement, size);
        let mut boarded = Boarded::of(&case);
        let reader = boarded.reader(&case.pin, boarded.world.alice);
        assert_eq!(boarded.put(&case), Ok(()));
        assert_used(&boarded.world, boarded.board.address(), &format!("put, {statement} of {size}"), most);
        assert_eq!(boarded.put(&case), Ok(()));
        assert_used(&boarded.world, boarded.board.address(), &format!("put again, {statement} of {size}"), 240_000_000);
        let period = (case.statement == "value_of").then(|| case.named_period());
        let settled = call(&boarded.world.env, reader.address(), "settle", runtime_args! { "period" => period });
        assert_eq!(settled, Ok(()));
        let what = format!("settle by the board, {statement} of {size}");
        assert_used(&boarded.world, reader.address(), &what, 240_000_000);
        assert_deployed(&boarded.world.env, "Board.wasm", 215_000_000_000, 0);
    }
}

/// A case of the first pin of the small trees, one of which has another root for each size.
fn case_of(period: &str, size: u64) -> Case {
    let is_wanted = |case: &Case| {
        case.statement == "value_of"
            && case.root.size == size
            && case.period.as_deref() == Some(period)
            && case.outcome.parse::<i64>().is_ok()
    };
    cases().into_iter().find(is_wanted).unwrap_or_else(|| panic!("no case of {period} in {size} leaves"))
}
