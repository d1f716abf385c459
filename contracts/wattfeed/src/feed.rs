use odra::casper_types::U512;
use odra::prelude::*;

use crate::{Error, Registries};

/// A feed, and what a contract relies on when it reads it.
#[odra::odra_type]
pub struct FeedPin {
    /// Id of the feed.
    pub feed_id: String,
    /// Whose values count.
    pub attester: Address,
    /// Unit of the values.
    pub unit: String,
    /// Number of an amount's digits after the decimal point.
    pub decimals: u8,
    /// Maximum age of the newest value in milliseconds, from its attestation to the block that reads it.
    pub max_age_ms: u64,
}

/// A value that fits its pin.
#[odra::odra_type]
pub struct Reading {
    /// The value times 10^`decimals`.
    pub amount: U512,
    /// The period as an integer; see [`period`](crate::period).
    pub period: u64,
    /// Block time of the attestation in milliseconds.
    pub timestamp: u64,
    /// Number of the amount's digits after the decimal point.
    pub decimals: u8,
}

impl FeedPin {
    /// Returns the newest value of the feed, or reverts with what [`try_read`](Self::try_read) returns.
    pub fn read(&self, registries: &Registries) -> Reading {
        self.try_read(registries).unwrap_or_revert(registries)
    }

    /// Returns the newest value of the feed, or the first of the pinned properties that it lacks.
    pub fn try_read(&self, registries: &Registries) -> Result<Reading, Error> {
        let env = registries.env();
        let location = registries.location();
        let feed = location.feed(&env, &self.feed_id).ok_or(Error::NotRegistered)?;
        let newest = location.latest(&env, &self.feed_id).ok_or(Error::NoValue)?;
        // `timestamp` is the block time of the attestation: both clocks are the chain's.
        let age_ms = env.get_block_time().saturating_sub(newest.timestamp);
        let checks = [
            (newest.attester == self.attester, Error::OtherAttester),
            (feed.unit == self.unit, Error::OtherUnit),
            (feed.decimals == self.decimals, Error::OtherDecimals),
            (age_ms <= self.max_age_ms, Error::TooOld),
        ];
        match checks.into_iter().find(|(is_met, _)| !is_met) {
            Some((_, error)) => Err(error),
            None => Ok(Reading {
                amount: newest.amount,
                period: newest.period,
                timestamp: newest.timestamp,
                decimals: feed.decimals,
            }),
        }
    }
}
