//! How a contract of yours reads one feed of wattfeed on chain, and what it must check before it uses the value.
#![cfg_attr(not(test), no_std)]
extern crate alloc;

use odra::casper_types::U512;
use odra::prelude::*;
use odra::ContractRef;

/// Errors of this contract.
#[odra::odra_error]
pub enum Error {
    /// The feed is not registered, or it has no value yet.
    NoData = 1,
    /// The newest value is older than this contract's limit.
    TooOld = 2,
    /// The newest value was attested by an account other than the one that this contract trusts.
    OtherAttester = 3,
    /// The feed's unit is not the one that this contract expects.
    OtherUnit = 4,
    /// The feed's decimals are not those that this contract expects.
    OtherDecimals = 5,
}

/// Metadata of a feed, field by field in the FeedRegistry's order.
#[odra::odra_type]
pub struct Feed {
    pub decimals: u8,
    pub unit: String,
    pub title: String,
    pub source: String,
    pub route: String,
    pub frequency: String,
    pub description: String,
}

/// One attested value, field by field in the AttestationRegistry's order.
#[odra::odra_type]
pub struct Attestation {
    pub period: u64,
    pub amount: U512,
    pub source_hash: String,
    pub attester: Address,
    pub timestamp: u64,
}

/// The calls of the FeedRegistry that this contract uses.
#[odra::external_contract]
pub trait Feeds {
    fn get_feed(&self, feed_id: String) -> Option<Feed>;
}

/// The calls of the AttestationRegistry that this contract uses.
#[odra::external_contract]
pub trait Attestations {
    fn get_latest(&self, asset_id: String) -> Option<Attestation>;
}

/// Reads one feed, and checks that it is fresh and still the feed that this contract was installed for.
///
/// The claimant of a feed can replace its unit and its decimals with one call. The same amount would then be another
/// quantity, for example cents instead of dollars. The claimant is the account that registered the id first, and the
/// registries' owner can upgrade them. So this contract pins attester, unit and decimals, and reverts if one differs.
#[odra::module(errors = Error)]
pub struct Consumer {
    feed_registry: Var<Address>,
    attestation_registry: Var<Address>,
    feed_id: Var<String>,
    attester: Var<Address>,
    unit: Var<String>,
    decimals: Var<u8>,
    max_age_ms: Var<u64>,
}

#[odra::module]
impl Consumer {
    /// Sets the package hashes of both registries, the feed, its expected properties, and the maximum age of a value.
    #[allow(clippy::too_many_arguments)]
    pub fn init(
        &mut self,
        feed_registry: Address,
        attestation_registry: Address,
        feed_id: String,
        attester: Address,
        unit: String,
        decimals: u8,
        max_age_ms: u64,
    ) {
        self.feed_registry.set(feed_registry);
        self.attestation_registry.set(attestation_registry);
        self.feed_id.set(feed_id);
        self.attester.set(attester);
        self.unit.set(unit);
        self.decimals.set(decimals);
        self.max_age_ms.set(max_age_ms);
    }

    /// Returns the newest value times 10^`decimals`, as an integer: a chain has no floats.
    pub fn get_value(&self) -> U512 {
        let env = self.env();
        let feed_id = self.feed_id.get_or_default();
        let feed = self.feeds().get_feed(feed_id.clone()).unwrap_or_revert_with(&env, Error::NoData);
        let newest = self.attestations().get_latest(feed_id).unwrap_or_revert_with(&env, Error::NoData);
        self.assert_that(Some(newest.attester) == self.attester.get(), Error::OtherAttester);
        self.assert_that(Some(feed.unit) == self.unit.get(), Error::OtherUnit);
        self.assert_that(Some(feed.decimals) == self.decimals.get(), Error::OtherDecimals);
        // `timestamp` is the block time of the attestation: both clocks are the chain's, in milliseconds.
        let age_ms = env.get_block_time().saturating_sub(newest.timestamp);
        self.assert_that(age_ms <= self.max_age_ms.get_or_default(), Error::TooOld);
        newest.amount
    }

    fn assert_that(&self, is_met: bool, error: Error) {
        if !is_met {
            self.env().revert(error);
        }
    }

    fn feeds(&self) -> FeedsContractRef {
        FeedsContractRef::new(self.env(), self.feed_registry.get().unwrap_or_revert(&self.env()))
    }

    fn attestations(&self) -> AttestationsContractRef {
        AttestationsContractRef::new(self.env(), self.attestation_registry.get().unwrap_or_revert(&self.env()))
    }
}
