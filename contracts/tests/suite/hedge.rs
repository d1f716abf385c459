//! The hedge, by trees of a single leaf: its hash is the root, and a proof has no path.
use std::cmp::Ordering;

use odra::casper_types::U512;
use odra::host::{Deployer, HostRef};
use odra::prelude::*;
use proptest::prelude::*;
use sha2::{Digest, Sha256};
use wattfeed_hedge::{Error, Hedge, HedgeHostRef, HedgeInitArgs, Outcome};

use crate::gas::assert_used;
use crate::support::{on_casper, seed_of, World};

const FEED_ID: &str = "EIA.DATASET.ELECTRICITY.RETAIL-SALES.MONTHLY";
const MONTH: &str = "2026-08";
const DEPOSIT: u64 = 1_000_000_000;
const MOTES_PER_STEP: u64 = 10_000_000;
const DEPOSIT_MS: u64 = 60_000;
const SETTLE_MS: u64 = 120_000;

/// A hedge between two accounts on alice's roots, for a strike of 17.40 cents: each step moves a hundredth of a deposit.
struct Market {
    world: World,
    hedge: HedgeHostRef,
    long: Address,
    short: Address,
}

impl Market {
    fn new() -> Self {
        Self::with(|terms| terms)
    }

    fn with(change: impl FnOnce(HedgeInitArgs) -> HedgeInitArgs) -> Self {
        let world = World::with_feed(FEED_ID);
        let hedge = try_install(&world, change).expect("a hedge");
        let (long, short) = parties(&world);
        Self { world, hedge, long, short }
    }

    /// With both deposits.
    fn complete() -> Self {
        let mut market = Self::new();
        market.deposit_both();
        market
    }

    fn deposit_both(&mut self) {
        for party in [self.long, self.short] {
            assert_eq!(self.deposit(party, DEPOSIT), Ok(()));
        }
    }

    fn deposit(&mut self, party: Address, motes: u64) -> OdraResult<()> {
        self.world.env.set_caller(party);
        self.hedge.with_tokens(motes.into()).try_deposit()
    }

    /// Settles as a stranger, who also pays for the transaction.
    fn settle(&mut self, proof: &[u8]) -> OdraResult<()> {
        self.world.env.set_caller(self.world.bob);
        self.hedge.try_settle(proof.to_vec().into())
    }

    fn refund(&mut self) -> OdraResult<()> {
        self.world.env.set_caller(self.world.bob);
        self.hedge.try_refund()
    }

    /// Attests a root with this leaf alone, and returns its proof.
    fn publish(&mut self, month: &str, value: Option<&str>) -> Vec<u8> {
        let hash = Sha256::digest([&[0], leaf(month, value).as_bytes()].concat());
        let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        self.world.env.set_caller(self.world.alice);
        assert_eq!(self.world.attestations.try_attest(FEED_ID.into(), 202608, U512::one(), hash), Ok(()));
        prove(month, value)
    }

    /// Block times from the installation on, which take some themselves.
    fn wait_until(&self, deadline: u64) {
        self.world.env.advance_block_time(deadline - self.world.env.block_time());
    }

    fn balances(&self) -> [U512; 2] {
        [self.long, self.short].map(|party| self.world.env.balance_of(&party))
    }

    /// What a call pays to the long and to the short party, and that nothing else stays.
    fn paid(&mut self, call: impl FnOnce(&mut Self) -> OdraResult<()>) -> [u64; 2] {
        let before = self.balances();
        assert_eq!(call(self), Ok(()));
        let after = self.balances();
        assert_eq!(self.world.env.balance_of(&self.hedge.address()), U512::zero());
        let outcome = self.hedge.outcome().expect("an outcome");
        assert_eq!([outcome.long, outcome.short], [after[0] - before[0], after[1] - before[1]]);
        [0, 1].map(|party| (after[party] - before[party]).as_u64())
    }
}

fn parties(world: &World) -> (Address, Address) {
    (world.env.get_account(3), world.env.get_account(4))
}

fn try_install(world: &World, change: impl FnOnce(HedgeInitArgs) -> HedgeInitArgs) -> OdraResult<HedgeHostRef> {
    let (long, short) = parties(world);
    let now = world.env.block_time();
    let terms = HedgeInitArgs {
        feed_registry: world.feeds.address(),
        attestation_registry: world.attestations.address(),
        seed: None,
        attester: world.alice,
        stateid: "CA".into(),
        sectorid: "COM".into(),
        month: MONTH.into(),
        long,
        short,
        strike: 1_740,
        motes_per_step: MOTES_PER_STEP.into(),
        deposit: DEPOSIT.into(),
        deposit_until: now + DEPOSIT_MS,
        settle_until: now + SETTLE_MS,
    };
    Hedge::try_deploy(&world.env, change(terms))
}

fn leaf(month: &str, value: Option<&str>) -> String {
    let value = value.map_or("null".into(), |text| format!("\"{text}\""));
    let facets = r#"[["sectorid","COM"],["stateid","CA"]]"#;
    let key = format!(r#""route":"electricity/retail-sales","frequency":"monthly","facets":{facets}"#);
    let source = format!(r#"{{{key},"period":"{month}","value":{value},"unit":"cents per kilowatt-hour"}}"#);
    format!(r#"{{"column":"price","source":{source}}}"#)
}

/// The bytes that `contracts/wattfeed/src/series/proof.rs` describes, with the pinned unit.
fn prove(month: &str, value: Option<&str>) -> Vec<u8> {
    let text = |text: &str| [&[text.len() as u8], text.as_bytes()].concat();
    let index = 0_u64.to_le_bytes();
    [&[1][..], &index, &text(month), &value.map_or(vec![255], text), &[0][..]].concat()
}

#[test]
fn pays_the_difference_from_the_strike_up_to_the_deposit() {
    for (price, long) in [
        ("17.4", DEPOSIT),
        ("17.41", DEPOSIT + MOTES_PER_STEP),
        ("17.30", DEPOSIT - 10 * MOTES_PER_STEP),
        ("18.40", 2 * DEPOSIT),
        ("99", 2 * DEPOSIT),
        ("16.40", 0),
        ("-3.06", 0),
    ] {
        let mut market = Market::complete();
        let proof = market.publish(MONTH, Some(price));
        assert_eq!(market.paid(|market| market.settle(&proof)), [long, 2 * DEPOSIT - long], "{price}");
    }
}

#[test]
fn keeps_the_price_and_its_root_and_settles_once() {
    let mut market = Market::complete();
    let proof = market.publish(MONTH, Some("17.50"));
    assert_eq!(market.hedge.outcome(), None);
    assert_eq!(market.settle(&proof), Ok(()));
    let Outcome { price, root, .. } = market.hedge.outcome().expect("an outcome");
    let root = root.expect("a root");
    assert_eq!((price, root.size, root.period), (Some(1_750), 1, 202608));
    let revised = market.publish(MONTH, Some("17.30"));
    for proof in [proof, revised] {
        assert_eq!(market.settle(&proof), Err(Error::AlreadyOver.into()));
    }
    market.wait_until(market.hedge.terms().settle_until + 1);
    assert_eq!(market.refund(), Err(Error::AlreadyOver.into()));
    assert_eq!(market.deposit(market.long, DEPOSIT), Err(Error::AlreadyDeposited.into()));
}

/// A proof by an older root is refused, and the next one settles.
#[test]
fn takes_the_newest_root() {
    let mut market = Market::complete();
    let first = market.publish(MONTH, Some("17.50"));
    let revised = market.publish(MONTH, Some("17.30"));
    assert_eq!(market.settle(&first), Err(wattfeed::Error::NotInTree.into()));
    assert_eq!(market.paid(|market| market.settle(&revised)), [900_000_000, 1_100_000_000]);
}

#[test]
fn returns_the_deposits_by_the_proof_that_no_price_is_given() {
    for value in [None, Some("w"), Some("NA"), Some("")] {
        let mut market = Market::complete();
        let proof = market.publish(MONTH, value);
        assert_eq!(market.paid(|market| market.settle(&proof)), [DEPOSIT, DEPOSIT], "{value:?}");
        let Outcome { price, root, .. } = market.hedge.outcome().expect("an outcome");
        assert_eq!((price, root.is_some()), (None, true));
    }
}

#[test]
fn other_proofs_pay_nothing() {
    let mut market = Market::complete();
    assert_eq!(market.settle(&prove(MONTH, Some("17.50"))), Err(wattfeed::Error::NoValue.into()));
    let proof = market.publish("2026-07", Some("17.50"));
    assert_eq!(market.settle(&proof), Err(wattfeed::Error::OtherPeriod.into()));
    // Nobody can claim that a price is withheld.
    for claimed in [Some("17.50"), Some("w"), None] {
        assert_eq!(market.settle(&prove(MONTH, claimed)), Err(wattfeed::Error::NotInTree.into()));
    }
    let proof = market.publish(MONTH, Some("17.505"));
    assert_eq!(market.settle(&proof), Err(wattfeed::Error::TooManyDigits.into()));
    assert_eq!(market.settle(&[]), Err(wattfeed::Error::MalformedProof.into()));
    assert_eq!(market.world.env.balance_of(&market.hedge.address()), U512::from(2 * DEPOSIT));
}

#[test]
fn takes_one_deposit_of_each_party() {
    let mut market = Market::new();
    let (long, stranger) = (market.long, market.world.bob);
    assert_eq!(market.deposit(stranger, DEPOSIT), Err(Error::NotAParty.into()));
    for motes in [0, DEPOSIT - 1, DEPOSIT + 1] {
        assert_eq!(market.deposit(long, motes), Err(Error::OtherAmount.into()));
    }
    assert_eq!(market.deposit(long, DEPOSIT), Ok(()));
    assert_eq!(market.deposit(long, DEPOSIT), Err(Error::AlreadyDeposited.into()));
    assert_eq!(market.world.env.balance_of(&market.hedge.address()), U512::from(DEPOSIT));
    let proof = market.publish(MONTH, Some("17.50"));
    assert_eq!(market.settle(&proof), Err(Error::DepositMissing.into()));
}

#[test]
fn returns_a_single_deposit_after_its_deadline() {
    let mut market = Market::new();
    assert_eq!(market.deposit(market.short, DEPOSIT), Ok(()));
    market.wait_until(market.hedge.terms().deposit_until);
    assert_eq!(market.refund(), Err(Error::TooEarly.into()));
    market.world.env.advance_block_time(1);
    assert_eq!(market.deposit(market.long, DEPOSIT), Err(Error::TooLate.into()));
    assert_eq!(market.paid(Market::refund), [0, DEPOSIT]);
    assert_eq!(market.deposit(market.long, DEPOSIT), Err(Error::AlreadyOver.into()));
}

#[test]
fn takes_a_deposit_until_the_deadline() {
    let mut market = Market::new();
    market.wait_until(market.hedge.terms().deposit_until);
    market.deposit_both();
}

#[test]
fn settles_until_the_deadline_and_returns_the_deposits_after_it() {
    for is_late in [false, true] {
        let mut market = Market::complete();
        let proof = market.publish(MONTH, Some("17.41"));
        market.wait_until(market.hedge.terms().settle_until);
        assert_eq!(market.refund(), Err(Error::TooEarly.into()));
        let paid = if is_late {
            market.world.env.advance_block_time(1);
            assert_eq!(market.settle(&proof), Err(Error::TooLate.into()));
            market.paid(Market::refund)
        } else {
            market.paid(|market| market.settle(&proof))
        };
        assert_eq!(paid, if is_late { [DEPOSIT, DEPOSIT] } else { [1_010_000_000, 990_000_000] });
    }
}

#[test]
fn impossible_terms_cannot_be_installed() {
    let world = World::with_feed(FEED_ID);
    let (long, short) = parties(&world);
    let contract = world.feeds.address();
    let impossible: [fn(HedgeInitArgs, Address) -> HedgeInitArgs; 6] = [
        |terms, _| HedgeInitArgs { short: terms.long, ..terms },
        |terms, contract| HedgeInitArgs { long: contract, ..terms },
        |terms, contract| HedgeInitArgs { short: contract, ..terms },
        |terms, _| HedgeInitArgs { deposit: U512::zero(), ..terms },
        |terms, _| HedgeInitArgs { settle_until: terms.deposit_until, ..terms },
        |terms, _| HedgeInitArgs { month: "2026-13".into(), ..terms },
    ];
    for change in impossible {
        let found = try_install(&world, |terms| change(terms, contract)).err();
        assert_eq!(found, Some(Error::ImpossibleTerms.into()));
    }
    let found = try_install(&world, |terms| HedgeInitArgs { stateid: "".into(), ..terms }).err();
    assert_eq!(found, Some(wattfeed::Error::MalformedPin.into()));
    let terms = try_install(&world, |terms| terms).expect("a hedge").terms();
    assert_eq!((terms.long, terms.short, terms.strike), (long, short, 1_740));
}

#[test]
fn settling_a_hedge() {
    if !on_casper() {
        return;
    }
    let mut market = Market::new();
    let _ = market.publish("2026-07", Some("17.41"));
    let seed = seed_of(&market.world);
    market.hedge = try_install(&market.world, |terms| HedgeInitArgs { seed, ..terms }).expect("a hedge");
    market.deposit_both();
    let proof = market.publish(MONTH, Some("17.41"));
    assert_eq!(market.settle(&proof), Ok(()));
    // Two transfers from a contract to accounts cost 2.5 CSPR each.
    assert_used(&market.world, market.hedge.address(), "settle a hedge, one leaf", 5_450_000_000);
}

/// A hedge takes seconds on the engine. `PROPTEST_CASES` asks for more.
fn config() -> ProptestConfig {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() {
        return config;
    }
    ProptestConfig { cases: if on_casper() { 2 } else { 64 }, ..config }
}

proptest! {
    #![proptest_config(config())]

    /// Whatever the terms and the price: both deposits are paid out, to nobody else, and more to the right party.
    #[test]
    fn motes_are_conserved(
        price in prop_oneof![-9_999_i64..9_999, any::<i64>()],
        strike in prop_oneof![-9_999_i64..9_999, any::<i64>()],
        motes_per_step in prop_oneof![Just(U512::MAX), any::<u64>().prop_map(U512::from), (0_u64..1_000_000).prop_map(U512::from)],
        deposit in 1..10_000_000_000_u64,
    ) {
        let mut market =
            Market::with(|terms| HedgeInitArgs { strike, motes_per_step, deposit: deposit.into(), ..terms });
        for party in [market.long, market.short] {
            prop_assert_eq!(market.deposit(party, deposit), Ok(()));
        }
        let text = format!("{}{}.{:02}", if price < 0 { "-" } else { "" }, price.unsigned_abs() / 100, price.unsigned_abs() % 100);
        let proof = market.publish(MONTH, Some(&text));
        let [long, short] = market.paid(|market| market.settle(&proof));
        prop_assert_eq!(long + short, 2 * deposit);
        let steps = U512::from(price.abs_diff(strike));
        let gain = steps.checked_mul(motes_per_step).unwrap_or(U512::MAX).min(deposit.into());
        prop_assert_eq!(U512::from(long.abs_diff(deposit)), gain);
        prop_assert_eq!(long.cmp(&short), if gain.is_zero() { Ordering::Equal } else { price.cmp(&strike) });
    }
}
