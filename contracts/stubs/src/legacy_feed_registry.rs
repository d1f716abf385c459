//! A FeedRegistry from before claims existed: its feeds have no claim entry.
use odra::prelude::*;

#[odra::event]
pub struct FeedRegistered {
    pub feed_id: String,
    pub decimals: u8,
    pub unit: String,
    pub source: String,
}

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

/// The first four fields of the storage layout.
#[odra::module(events = [FeedRegistered])]
pub struct LegacyFeedRegistry {
    owner: Var<Address>,
    feeds: Mapping<String, Feed>,
    ids: Mapping<u64, String>,
    count: Var<u64>,
}

#[odra::module]
impl LegacyFeedRegistry {
    pub fn init(&mut self, owner: Address) {
        self.owner.set(owner);
    }

    #[allow(clippy::too_many_arguments)]
    pub fn register_feed(
        &mut self,
        feed_id: String,
        decimals: u8,
        unit: String,
        title: String,
        source: String,
        route: String,
        frequency: String,
        description: String,
    ) {
        let index = self.count.get_or_default();
        self.ids.set(&index, feed_id.clone());
        self.count.set(index + 1);
        let feed = Feed { decimals, unit, title, source, route, frequency, description };
        self.feeds.set(&feed_id, feed.clone());
        let Feed { unit, source, .. } = feed;
        self.env().emit_event(FeedRegistered { feed_id, decimals, unit, source });
    }

    pub fn get_attester(&self, feed_id: String) -> Option<Address> {
        self.feeds.get(&feed_id).and_then(|_| self.owner.get())
    }
}
