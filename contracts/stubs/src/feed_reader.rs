use odra::prelude::*;
use wattfeed::{Attestation, Feed, FeedPin, Reading, Registries};

/// Reads any feed by the crate.
#[odra::module]
pub struct FeedReader {
    registries: SubModule<Registries>,
}

#[odra::module]
impl FeedReader {
    /// Sets where the registries are, which others leave to their installation.
    pub fn install(
        &mut self,
        feed_registry: Address,
        attestation_registry: Address,
        seed: Option<[u8; 32]>,
        feed_id: String,
    ) {
        self.registries.install(feed_registry, attestation_registry, seed, &feed_id);
    }

    /// Returns the newest value of a feed.
    pub fn read(&self, pin: FeedPin) -> Reading {
        pin.read(&self.registries)
    }

    /// Returns the metadata of a feed.
    pub fn feed(&self, feed_id: String) -> Option<Feed> {
        self.registries.feed(&feed_id)
    }

    /// Returns the newest attestation of a feed, whatever it says.
    pub fn latest(&self, feed_id: String) -> Option<Attestation> {
        self.registries.latest(&feed_id)
    }
}
