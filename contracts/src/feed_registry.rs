//! What a feed is, and who may attest to it.
use odra::args::Maybe;
use odra::prelude::*;
use odra::ContractRef;

use crate::state::{emit_all, encode, own_seed, ItemKey, State};

/// Why a call is refused.
#[odra::odra_error]
pub enum Error {
    /// The caller may not do this: it is not the feed's claimant, not eligible for a new feed, or not the owner.
    Unauthorized = 1,
    /// The feed id is empty or holds control characters.
    InvalidFeedId = 2,
}

/// A feed was registered, or its metadata replaced.
#[odra::event]
pub struct FeedRegistered {
    pub feed_id: String,
    pub decimals: u8,
    pub unit: String,
    pub source: String,
}

/// Metadata of a feed.
#[odra::odra_type]
pub struct Feed {
    /// How many digits of an amount stand behind the decimal point.
    pub decimals: u8,
    /// Unit of the scaled value, for people.
    pub unit: String,
    pub title: String,
    /// Who publishes the statistics.
    pub source: String,
    /// The publisher's route to them.
    pub route: String,
    /// The publisher's word for how often a value appears.
    pub frequency: String,
    pub description: String,
}

/// Whoever says who may register new feeds.
#[odra::external_contract]
pub trait Gate {
    /// Whether an account may register new feeds.
    fn is_eligible(&self, who: Address) -> bool;
}

/// Registers feeds. The order of the fields is the storage layout: new ones go behind.
#[odra::module(events = [FeedRegistered], errors = Error)]
pub struct FeedRegistry {
    owner: Var<Address>,
    feeds: Mapping<String, Feed>,
    ids: Mapping<u64, String>,
    count: Var<u64>,
    feed_attester: Mapping<String, Address>,
    eligibility_gate: Var<Address>,
}

// Odra's numbers of the fields that are reached directly.
pub(crate) const OWNER: u32 = 1;
pub(crate) const FEEDS: u32 = 2;
pub(crate) const FEED_ATTESTER: u32 = 5;

#[odra::module]
impl FeedRegistry {
    /// `owner` sets the gate, and stands in for the claimant of feeds that have no claim entry.
    pub fn init(&mut self, owner: Address) {
        self.owner.set(owner);
    }

    /// Keeps all data. The gate may be set on the way.
    pub fn upgrade(&mut self, eligibility_gate: Maybe<Address>) {
        if let Maybe::Some(gate) = eligibility_gate {
            self.eligibility_gate.set(gate);
        }
    }

    /// Sets the contract that says who may register new feeds. For the owner.
    pub fn set_eligibility_gate(&mut self, gate: Address) {
        self.assert_caller(self.owner.get());
        self.eligibility_gate.set(gate);
    }

    /// Registers a feed, which makes the caller its claimant, or replaces the metadata of the caller's own.
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
        let env = self.env();
        let state = State::new(&env);
        let feed_key = ItemKey::new(&env, FEEDS, &feed_id);
        let attester = self.find_attester(&state, &feed_id, &feed_key);
        self.assert_may_register(attester);
        if !is_feed_id(&feed_id) {
            env.revert(Error::InvalidFeedId);
        }
        if attester.is_none() {
            self.claim(&feed_id);
        }
        let feed = Feed { decimals, unit, title, source, route, frequency, description };
        state.set(&feed_key, encode(&env, &feed));
        let Feed { unit, source, .. } = feed;
        emit_all(&env, vec![FeedRegistered { feed_id, decimals, unit, source }]);
    }

    /// The metadata of a feed.
    pub fn get_feed(&self, feed_id: String) -> Option<Feed> {
        self.feeds.get(&feed_id)
    }

    /// The id that was registered as number `index`, from 0.
    pub fn get_feed_at(&self, index: u64) -> Option<String> {
        self.ids.get(&index)
    }

    /// How many feeds are registered.
    pub fn feed_count(&self) -> u64 {
        self.count.get_or_default()
    }

    /// Who may attest to a feed: its claimant, or the owner where a registered feed has no claim entry.
    pub fn get_attester(&self, feed_id: String) -> Option<Address> {
        let env = self.env();
        let feed_key = ItemKey::new(&env, FEEDS, &feed_id);
        self.find_attester(&State::new(&env), &feed_id, &feed_key)
    }

    /// Seed of the dictionary that holds every field, for contracts that read it without a call; none off chain.
    pub fn state_seed(&self) -> Option<[u8; 32]> {
        own_seed(&self.env())
    }

    fn find_attester(&self, state: &State, feed_id: &String, feed_key: &ItemKey) -> Option<Address> {
        match self.feed_attester.get(feed_id) {
            Some(claimant) => Some(claimant),
            None if state.has(feed_key) => self.owner.get(),
            None => None,
        }
    }

    /// `attester` is whose feed it is, none where it is new.
    fn assert_may_register(&self, attester: Option<Address>) {
        match attester {
            Some(_) => self.assert_caller(attester),
            None if self.is_eligible(self.env().caller()) => (),
            None => self.env().revert(Error::Unauthorized),
        }
    }

    fn is_eligible(&self, who: Address) -> bool {
        match self.eligibility_gate.get() {
            Some(gate) => GateContractRef::new(self.env(), gate).is_eligible(who),
            None => false,
        }
    }

    fn claim(&mut self, feed_id: &String) {
        let index = self.count.get_or_default();
        self.feed_attester.set(feed_id, self.env().caller());
        self.ids.set(&index, feed_id.clone());
        self.count.set(index + 1);
    }

    fn assert_caller(&self, who: Option<Address>) {
        if who != Some(self.env().caller()) {
            self.env().revert(Error::Unauthorized);
        }
    }
}

fn is_feed_id(text: &str) -> bool {
    !text.is_empty() && !text.chars().any(char::is_control)
}
