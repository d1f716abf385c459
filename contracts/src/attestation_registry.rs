//! The attested values of the feeds: the newest of each, and the whole history.
use odra::args::Maybe;
use odra::casper_types::bytesrepr::Bytes;
use odra::casper_types::U512;
use odra::prelude::*;
use odra::ContractRef;

use crate::feed_registry;
use crate::state::{emit_all, encode, read_item, ItemKey, State};

/// Errors of the AttestationRegistry.
#[odra::odra_error]
pub enum Error {
    /// The caller is not authorized: it is not the feed's claimant, or the call requires the first-party attester.
    Unauthorized = 1,
    /// A batch without an attestation.
    NoAttestations = 2,
}

/// A value was attested.
#[odra::event]
pub struct RevenueAttested {
    pub asset_id: String,
    pub period: u64,
    pub amount: U512,
    pub source_hash: String,
    /// Index of the value among the feed's values, from 0.
    pub index: u64,
    /// Block time in milliseconds.
    pub timestamp: u64,
}

/// One attested value.
#[odra::odra_type]
pub struct Attestation {
    /// The period as an integer, for instance 20261120 for a day.
    pub period: u64,
    /// The value times 10^decimals of the feed.
    pub amount: U512,
    /// First 32 hex digits of the SHA-256 over the canonical JSON of the value's source.
    pub source_hash: String,
    pub attester: Address,
    /// Block time in milliseconds.
    pub timestamp: u64,
}

/// A value, as an attester submits it.
#[odra::odra_type]
pub struct NewAttestation {
    /// Id of the feed.
    pub asset_id: String,
    pub period: u64,
    pub amount: U512,
    pub source_hash: String,
}

/// The calls of the FeedRegistry that this contract uses.
#[odra::external_contract]
pub trait Feeds {
    /// Returns the account that may attest to a feed; none if the feed is not registered.
    fn get_attester(&self, feed_id: String) -> Option<Address>;
    /// Returns the seed of the dictionary that holds the registry's fields; none off chain.
    fn state_seed(&self) -> Option<[u8; 32]>;
}

/// Stores attestations. The order of the fields is the storage layout: append new ones.
#[odra::module(events = [RevenueAttested], errors = Error)]
pub struct AttestationRegistry {
    attester: Var<Address>,
    latest: Mapping<String, Attestation>,
    history: Mapping<String, Attestation>,
    count: Mapping<String, u64>,
    total: Var<u64>,
    feed_registry: Var<Address>,
    feed_registry_seed: Var<Option<[u8; 32]>>,
}

// Odra's numbers of the fields.
const LATEST: u32 = 2;
const HISTORY: u32 = 3;
const COUNT: u32 = 4;

/// The caller, and the means to check its authorization.
struct Caller {
    address: Address,
    /// The dictionary in which the FeedRegistry's claims can be read without a call.
    seed: Option<[u8; 32]>,
}

#[odra::module]
impl AttestationRegistry {
    /// Sets `attester` as the first party, who wires the registries: the account that owns the FeedRegistry.
    pub fn init(&mut self, attester: Address) {
        self.attester.set(attester);
    }

    /// Keeps all data. The FeedRegistry, given or already set, must be upgraded first, because it must return its seed.
    pub fn upgrade(&mut self, feed_registry: Maybe<Address>) {
        let known = match feed_registry {
            Maybe::Some(address) => Some(address),
            Maybe::None => self.feed_registry.get(),
        };
        if let Some(address) = known {
            self.wire(address);
        }
    }

    /// Sets the FeedRegistry, which knows who may attest. For the first-party attester.
    pub fn set_feed_registry(&mut self, feed_registry: Address) {
        if self.attester.get() != Some(self.env().caller()) {
            self.env().revert(Error::Unauthorized);
        }
        self.wire(feed_registry);
    }

    /// Stores a value as the feed's newest.
    pub fn attest(&mut self, asset_id: String, period: u64, amount: U512, source_hash: String) {
        self.store_all(vec![NewAttestation { asset_id, period, amount, source_hash }]);
    }

    /// Stores several values in this order, all or none. A feed may have several of them.
    pub fn attest_many(&mut self, attestations: Vec<NewAttestation>) {
        self.store_all(attestations);
    }

    /// Returns the newest value of a feed.
    pub fn get_latest(&self, asset_id: String) -> Option<Attestation> {
        self.latest.get(&asset_id)
    }

    /// Returns value number `index` of a feed, from 0.
    pub fn get_at(&self, asset_id: String, index: u64) -> Option<Attestation> {
        self.history.get(&history_key(&asset_id, index))
    }

    /// Returns the number of values of a feed.
    pub fn get_count(&self, asset_id: String) -> u64 {
        self.count.get_or_default(&asset_id)
    }

    /// Returns the number of values of all feeds.
    pub fn total_attestations(&self) -> u64 {
        self.total.get_or_default()
    }

    /// Returns the first-party attester.
    pub fn get_attester(&self) -> Address {
        self.attester.get().unwrap_or_revert(&self.env())
    }

    fn wire(&mut self, feed_registry: Address) {
        let seed = FeedsContractRef::new(self.env(), feed_registry).state_seed();
        self.feed_registry.set(feed_registry);
        self.feed_registry_seed.set(seed);
    }

    fn store_all(&mut self, attestations: Vec<NewAttestation>) {
        let caller = Caller { address: self.env().caller(), seed: self.feed_registry_seed.get().flatten() };
        let state = State::new(&self.env());
        let mut events = Vec::with_capacity(attestations.len());
        for attestation in attestations {
            if !self.may_attest(&caller, &attestation.asset_id) {
                self.env().revert(Error::Unauthorized);
            }
            events.push(self.store(&state, caller.address, attestation));
        }
        if events.is_empty() {
            self.revert_for_nothing();
        }
        self.total.add(events.len() as u64);
        emit_all(&self.env(), events);
    }

    /// While no FeedRegistry is set, nobody may attest, not even an empty batch.
    fn revert_for_nothing(&self) -> ! {
        match self.feed_registry.get() {
            Some(_) => self.env().revert(Error::NoAttestations),
            None => self.env().revert(Error::Unauthorized),
        }
    }

    fn store(&self, state: &State, attester: Address, new: NewAttestation) -> RevenueAttested {
        let env = self.env();
        let timestamp = env.get_block_time();
        let NewAttestation { asset_id, period, amount, source_hash } = new;
        let count_key = ItemKey::new(&env, COUNT, &asset_id);
        let index: u64 = state.get(&count_key).unwrap_or_default();
        let attestation = Attestation { period, amount, source_hash, attester, timestamp };
        let stored = encode(&env, &attestation);
        state.set(&ItemKey::new(&env, HISTORY, &history_key(&asset_id, index)), stored.clone());
        state.set(&ItemKey::new(&env, LATEST, &asset_id), stored);
        state.set(&count_key, encode(&env, &(index + 1)));
        let source_hash = attestation.source_hash;
        RevenueAttested { asset_id, period, amount, source_hash, index, timestamp }
    }

    fn may_attest(&self, caller: &Caller, asset_id: &String) -> bool {
        match caller.seed {
            Some(seed) => self.read_attester(seed, asset_id) == Some(encode(&self.env(), &caller.address)),
            None => self.ask_attester(asset_id) == Some(caller.address),
        }
    }

    /// Returns the encoded answer of the FeedRegistry's `get_attester`, read from its fields.
    fn read_attester(&self, seed: [u8; 32], asset_id: &String) -> Option<Bytes> {
        let env = self.env();
        let claimant = read_item(&env, seed, &ItemKey::new(&env, feed_registry::FEED_ATTESTER, asset_id));
        if claimant.is_some() {
            return claimant;
        }
        read_item(&env, seed, &ItemKey::new(&env, feed_registry::FEEDS, asset_id))?;
        read_item(&env, seed, &ItemKey::new(&env, feed_registry::OWNER, &()))
    }

    fn ask_attester(&self, asset_id: &str) -> Option<Address> {
        let registry = self.feed_registry.get()?;
        FeedsContractRef::new(self.env(), registry).get_attester(String::from(asset_id))
    }
}

fn history_key(asset_id: &str, index: u64) -> String {
    format!("{asset_id}#{index}")
}
