//! A hedge between two parties on EIA's electricity price of a month, for one state and sector.
//!
//! Both deposit the same. Whoever brings the proof of the price settles it, once: the party whose side the price took gets more, and
//! the other one less. Without a price, both get their deposits back.
//!
//! The price is that of the newest root of the dataset at the moment of the settlement. EIA may revise it later, and nothing changes.
#![cfg_attr(not(test), no_std)]
extern crate alloc;

use odra::casper_types::bytesrepr::Bytes;
use odra::casper_types::U512;
use odra::prelude::*;
use wattfeed::series::{Root, Series, SeriesPin, Settled, Statement};
use wattfeed::{period, Registries};

/// What the contract reverts with, beside the errors of the crate.
#[odra::odra_error]
#[derive(Debug)]
pub enum Error {
    /// The parties are not two accounts, the deposit is zero, the deadlines are reversed, or there is no such month.
    ImpossibleTerms = 1,
    /// The caller is neither of the parties.
    NotAParty = 2,
    /// The motes are not the deposit.
    OtherAmount = 3,
    /// The party has deposited before.
    AlreadyDeposited = 4,
    /// The deadline has passed.
    TooLate = 5,
    /// A party has not deposited.
    DepositMissing = 6,
    /// The deposits were paid out before.
    AlreadyOver = 7,
    /// The deposits cannot be returned before the deadline.
    TooEarly = 8,
}

/// What the parties have agreed on.
#[odra::odra_type]
pub struct Terms {
    /// The price, with two digits after the decimal point: a step is a hundredth of a cent per kilowatt-hour.
    pub price: SeriesPin,
    /// The month that counts, such as `2026-08`.
    pub month: String,
    /// The account that gets more if the price is above the strike.
    pub long: Address,
    /// The account that gets more if the price is below the strike.
    pub short: Address,
    /// In steps.
    pub strike: i64,
    /// What the winner gets from the loser for each step between price and strike, up to the deposit.
    pub motes_per_step: U512,
    /// The deposit of each party in motes.
    pub deposit: U512,
    /// Last block time for deposits in milliseconds. It has to be before EIA publishes the month.
    pub deposit_until: u64,
    /// Last block time for the settlement in milliseconds.
    pub settle_until: u64,
}

/// What was paid, and by which value.
#[odra::odra_type]
pub struct Outcome {
    /// The price in steps; none without a settlement.
    pub price: Option<i64>,
    /// The root that has the price, or that EIA withholds it; none after the deadline.
    pub root: Option<Root>,
    /// Motes for the long party.
    pub long: U512,
    /// Motes for the short party.
    pub short: U512,
}

/// A hedge.
#[odra::module(errors = Error)]
pub struct Hedge {
    registries: SubModule<Registries>,
    terms: Var<Terms>,
    deposits: Mapping<Address, U512>,
    outcome: Var<Outcome>,
}

#[odra::module]
impl Hedge {
    /// Sets the terms. `stateid` and `sectorid` are EIA's, such as `CA` and `COM`.
    #[allow(clippy::too_many_arguments)]
    pub fn init(
        &mut self,
        feed_registry: Address,
        attestation_registry: Address,
        seed: Option<[u8; 32]>,
        attester: Address,
        stateid: String,
        sectorid: String,
        month: String,
        long: Address,
        short: Address,
        strike: i64,
        motes_per_step: U512,
        deposit: U512,
        deposit_until: u64,
        settle_until: u64,
    ) {
        let series = price_of(stateid, sectorid);
        series.check().unwrap_or_revert(self);
        self.registries.install(feed_registry, attestation_registry, seed, &series.feed_id());
        // The price of a past month does not go stale, so a root of any age may have it.
        let price = SeriesPin { attester, max_age_ms: u64::MAX, series };
        let terms = Terms { price, month, long, short, strike, motes_per_step, deposit, deposit_until, settle_until };
        self.require(terms.are_possible(), Error::ImpossibleTerms);
        self.terms.set(terms);
    }

    /// Takes the deposit of a party, once.
    #[odra(payable)]
    pub fn deposit(&mut self) {
        let terms = self.terms();
        let party = self.env().caller();
        self.require(party == terms.long || party == terms.short, Error::NotAParty);
        self.require(self.env().attached_value() == terms.deposit, Error::OtherAmount);
        self.require(!self.has_deposit(&party), Error::AlreadyDeposited);
        self.require(self.outcome.get().is_none(), Error::AlreadyOver);
        self.require(self.env().get_block_time() <= terms.deposit_until, Error::TooLate);
        self.deposits.set(&party, terms.deposit);
    }

    /// Pays out by the proof of the price, or of the fact that EIA withholds it. Anyone may call it.
    pub fn settle(&mut self, proof: Bytes) {
        let terms = self.terms();
        self.require(self.outcome.get().is_none(), Error::AlreadyOver);
        self.require(self.is_complete(&terms), Error::DepositMissing);
        self.require(self.env().get_block_time() <= terms.settle_until, Error::TooLate);
        let root = terms.price.read_root(&self.registries);
        let settled = terms.price.series.verify(&root, Statement::ValueOf(&terms.month), &proof);
        let (price, long) = match settled {
            Ok(Settled { value, .. }) => (Some(value), terms.pays_long(value)),
            Err(wattfeed::Error::Withheld | wattfeed::Error::EmptyValue) => (None, terms.deposit),
            // Other errors are the proof's fault, or the value is no number with two digits. That waits for the deadline.
            Err(error) => self.env().revert(error),
        };
        let short = terms.deposit + terms.deposit - long;
        self.pay(&terms, Outcome { price, root: Some(root), long, short });
    }

    /// Returns the deposits if one is missing after the deadline for deposits, or after that for the settlement. Anyone may call it.
    pub fn refund(&mut self) {
        let terms = self.terms();
        self.require(self.outcome.get().is_none(), Error::AlreadyOver);
        let deadline = if self.is_complete(&terms) { terms.settle_until } else { terms.deposit_until };
        self.require(self.env().get_block_time() > deadline, Error::TooEarly);
        let long = self.deposits.get_or_default(&terms.long);
        let short = self.deposits.get_or_default(&terms.short);
        self.pay(&terms, Outcome { price: None, root: None, long, short });
    }

    /// Returns what the parties have agreed on.
    pub fn terms(&self) -> Terms {
        self.terms.get().unwrap_or_revert(self)
    }

    /// Returns what was paid; none before.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome.get()
    }

    fn pay(&mut self, terms: &Terms, outcome: Outcome) {
        let Outcome { long, short, .. } = outcome;
        self.outcome.set(outcome);
        for (party, motes) in [(terms.long, long), (terms.short, short)] {
            if !motes.is_zero() {
                self.env().transfer_tokens(&party, &motes);
            }
        }
    }

    fn is_complete(&self, terms: &Terms) -> bool {
        self.has_deposit(&terms.long) && self.has_deposit(&terms.short)
    }

    fn has_deposit(&self, party: &Address) -> bool {
        self.deposits.get(party).is_some()
    }

    fn require(&self, is_met: bool, error: Error) {
        if !is_met {
            self.env().revert(error);
        }
    }
}

impl Terms {
    /// A contract as a party could not be paid, and neither could the other one.
    fn are_possible(&self) -> bool {
        self.long != self.short
            && !self.long.is_contract()
            && !self.short.is_contract()
            && !self.deposit.is_zero()
            && self.deposit_until < self.settle_until
            && period::encode("monthly", &self.month).is_some()
    }

    /// Returns what the long party gets of both deposits.
    fn pays_long(&self, price: i64) -> U512 {
        let steps = U512::from(price.abs_diff(self.strike));
        let gain = steps.saturating_mul(self.motes_per_step).min(self.deposit);
        if price > self.strike {
            self.deposit + gain
        } else {
            self.deposit - gain
        }
    }
}

/// EIA's average price of electricity in a state, for a sector of customers.
fn price_of(stateid: String, sectorid: String) -> Series {
    Series {
        route: "electricity/retail-sales".into(),
        frequency: "monthly".into(),
        column: "price".into(),
        facets: vec![("sectorid".into(), Some(sectorid)), ("stateid".into(), Some(stateid))],
        unit: Some("cents per kilowatt-hour".into()),
        decimals: 2,
    }
}
