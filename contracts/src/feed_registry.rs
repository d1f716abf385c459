//! The registered feeds, and who may attest to them.
use odra::args::Maybe;
use odra::prelude::*;
use odra::ContractRef;

use crate::state::{emit_all, encode, own_seed, ItemKey, State};

/// Errors of the FeedRegistry.
#[odra::odra_error]
pub enum Error {
    /// The caller is not authorized: it is not the feed's claimant, not eligible for a new feed, or not the owner.
    Unauthorized = 1,
    /// The feed id is empty or contains control characters.
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
    /// Number of an amount's digits after the decimal point.
    pub decimals: u8,
    /// Unit of the scaled value, for people.
    pub unit: String,
    pub title: String,
    /// Publisher of the statistics.
    pub source: String,
    /// The publisher's route to them.
    pub route: String,
    /// The publisher's word for the frequency of values.
    pub frequency: String,
    pub description: String,
}

/// A contract that decides who may register new feeds.
#[odra::external_contract]
pub trait Gate {
    /// Returns whether an account may register new feeds.
    fn is_eligible(&self, who: Address) -> bool;
}

/// Registers feeds. The order of the fields is the storage layout: append new ones.
#[odra::module(events = [FeedRegistered], errors = Error)]
pub struct FeedRegistry {
    owner: Var<Address>,
    feeds: Mapping<String, Feed>,
    ids: Mapping<u64, String>,
    count: Var<u64>,
    feed_attester: Mapping<String, Address>,
    eligibility_gate: Var<Address>,
}

// Odra's numbers of the fields that are accessed directly.
pub(crate) const OWNER: u32 = 1;
pub(crate) const FEEDS: u32 = 2;
pub(crate) const FEED_ATTESTER: u32 = 5;

#[odra::module]
impl FeedRegistry {
    /// Sets `owner`, who sets the gate, and acts as the claimant of feeds without a claim entry.
    pub fn init(&mut self, owner: Address) {
        self.owner.set(owner);
    }

    /// Keeps all data. The gate may be set in the same call.
    pub fn upgrade(&mut self, eligibility_gate: Maybe<Address>) {
        if let Maybe::Some(gate) = eligibility_gate {
            self.eligibility_gate.set(gate);
        }
    }

    /// Sets the contract that decides who may register new feeds. For the owner.
    pub fn set_eligibility_gate(&mut self, gate: Address) {
        self.assert_caller(self.owner.get());
        self.eligibility_gate.set(gate);
    }

    /// Registers a feed, which makes the caller its claimant, or replaces the metadata of the caller's own feed.
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

    /// Returns the metadata of a feed.
    pub fn get_feed(&self, feed_id: String) -> Option<Feed> {
        self.feeds.get(&feed_id)
    }

    /// Returns the id of feed number `index` in the order of registration, from 0.
    pub fn get_feed_at(&self, index: u64) -> Option<String> {
        self.ids.get(&index)
    }

    /// Returns the number of registered feeds.
    pub fn feed_count(&self) -> u64 {
        self.count.get_or_default()
    }

    /// Returns who may attest to a feed: its claimant, or the owner if a registered feed has no claim entry.
    pub fn get_attester(&self, feed_id: String) -> Option<Address> {
        let env = self.env();
        let feed_key = ItemKey::new(&env, FEEDS, &feed_id);
        self.find_attester(&State::new(&env), &feed_id, &feed_key)
    }

    /// Returns the seed of the dictionary with all fields, for contracts that read it without a call; none off chain.
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

    /// `attester` is the feed's claimant, or none for a new feed.
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
