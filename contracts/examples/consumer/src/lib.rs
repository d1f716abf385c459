//! A contract that reads one feed of wattfeed on chain. It reverts unless the feed's newest value is what it was installed for.
#![cfg_attr(not(test), no_std)]
extern crate alloc;

use odra::casper_types::U512;
use odra::prelude::*;
use wattfeed::{FeedPin, Registries};

/// Reads one feed.
#[odra::module]
pub struct Consumer {
    registries: SubModule<Registries>,
    feed: Var<FeedPin>,
}

#[odra::module]
impl Consumer {
    /// Sets the registries with the seed that `wattfeed contracts status` prints, and the feed with its expected properties.
    #[allow(clippy::too_many_arguments)]
    pub fn init(
        &mut self,
        feed_registry: Address,
        attestation_registry: Address,
        seed: Option<[u8; 32]>,
        feed_id: String,
        attester: Address,
        unit: String,
        decimals: u8,
        max_age_ms: u64,
    ) {
        self.registries.install(feed_registry, attestation_registry, seed, &feed_id);
        self.feed.set(FeedPin { feed_id, attester, unit, decimals, max_age_ms });
    }

    /// Returns the newest value times 10^`decimals`, as an integer: a chain has no floats.
    pub fn get_value(&self) -> U512 {
        let feed = self.feed.get().unwrap_or_revert(self);
        feed.read(&self.registries).amount
    }
}
