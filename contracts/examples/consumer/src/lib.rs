//! How a contract of yours reads wattfeed: metadata and value of a feed, by one id, on chain.
#![cfg_attr(not(test), no_std)]
extern crate alloc;

use odra::casper_types::U512;
use odra::prelude::*;
use odra::ContractRef;

/// How many decimals this contract's numbers have.
pub const DECIMALS: u8 = 9;

/// Why a call is refused.
#[odra::odra_error]
pub enum Error {
    /// The feed is not registered, or nothing was attested to it yet.
    NoData = 1,
    /// The newest value is older than this contract's limit.
    TooOld = 2,
    /// The value does not fit a number with nine decimals.
    OutOfRange = 3,
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

/// What this contract asks the FeedRegistry.
#[odra::external_contract]
pub trait Feeds {
    fn get_feed(&self, feed_id: String) -> Option<Feed>;
}

/// What this contract asks the AttestationRegistry.
#[odra::external_contract]
pub trait Attestations {
    fn get_latest(&self, asset_id: String) -> Option<Attestation>;
}

/// Reads feeds at one common scale, and only while they are fresh.
#[odra::module(errors = Error)]
pub struct Consumer {
    feed_registry: Var<Address>,
    attestation_registry: Var<Address>,
    max_age_ms: Var<u64>,
}

#[odra::module]
impl Consumer {
    /// Takes the package hashes of both registries, and how old a value may be.
    pub fn init(&mut self, feed_registry: Address, attestation_registry: Address, max_age_ms: u64) {
        self.feed_registry.set(feed_registry);
        self.attestation_registry.set(attestation_registry);
        self.max_age_ms.set(max_age_ms);
    }

    /// The newest value of a feed, times 10^9, rounded down.
    pub fn get_value(&self, feed_id: String) -> U512 {
        let env = self.env();
        let feed = self.feeds().get_feed(feed_id.clone()).unwrap_or_revert_with(&env, Error::NoData);
        let newest = self.attestations().get_latest(feed_id).unwrap_or_revert_with(&env, Error::NoData);
        self.assert_fresh(newest.timestamp);
        scale(newest.amount, feed.decimals).unwrap_or_revert_with(&env, Error::OutOfRange)
    }

    /// `timestamp` is the block time of the attestation: both clocks are the chain's, in milliseconds.
    fn assert_fresh(&self, timestamp: u64) {
        let age_ms = self.env().get_block_time().saturating_sub(timestamp);
        if age_ms > self.max_age_ms.get_or_default() {
            self.env().revert(Error::TooOld);
        }
    }

    fn feeds(&self) -> FeedsContractRef {
        FeedsContractRef::new(self.env(), self.feed_registry.get().unwrap_or_revert(&self.env()))
    }

    fn attestations(&self) -> AttestationsContractRef {
        AttestationsContractRef::new(self.env(), self.attestation_registry.get().unwrap_or_revert(&self.env()))
    }
}

/// From `decimals` of the feed to this contract's, in whole numbers: a chain has no floats.
fn scale(amount: U512, decimals: u8) -> Option<U512> {
    let factor = U512::from(10).checked_pow(U512::from(DECIMALS.abs_diff(decimals)))?;
    if decimals > DECIMALS {
        amount.checked_div(factor)
    } else {
        amount.checked_mul(factor)
    }
}
