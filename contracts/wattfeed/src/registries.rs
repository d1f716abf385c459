//! The registries' interfaces, and how a contract reads them.
use odra::casper_types::U512;
use odra::prelude::*;
use odra::ContractRef;

use crate::direct;
use crate::Error;

/// Metadata of a feed, field by field in the FeedRegistry's order.
#[odra::odra_type]
pub struct Feed {
    /// Number of an amount's digits after the decimal point.
    pub decimals: u8,
    /// Unit of the scaled value, such as `$/bbl`.
    pub unit: String,
    /// A title for people.
    pub title: String,
    /// Publisher of the statistics, such as `EIA`.
    pub source: String,
    /// The publisher's route to them.
    pub route: String,
    /// The publisher's word for the frequency of values, such as `daily`.
    pub frequency: String,
    /// The recipe, by which anyone can fetch the same values from the publisher.
    pub description: String,
}

/// One attested value, field by field in the AttestationRegistry's order.
#[odra::odra_type]
pub struct Attestation {
    /// The period as an integer; see [`period`](crate::period).
    pub period: u64,
    /// The value times 10^decimals of the feed. In the feed of a dataset, the number of leaves of its tree.
    pub amount: U512,
    /// 32 hex digits of a hash of the value's source. In the feed of a dataset, the 64 hex digits of its root.
    pub source_hash: String,
    /// Who attested the value.
    pub attester: Address,
    /// Block time of the attestation in milliseconds.
    pub timestamp: u64,
}

/// What the FeedRegistry answers.
#[odra::external_contract]
pub trait FeedRegistry {
    /// Returns the metadata of a feed; none if it is not registered.
    fn get_feed(&self, feed_id: String) -> Option<Feed>;
    /// Returns the id of feed number `index` in the order of registration, from 0.
    fn get_feed_at(&self, index: u64) -> Option<String>;
    /// Returns the number of registered feeds.
    fn feed_count(&self) -> u64;
    /// Returns who may attest to a feed; none if it is not registered.
    fn get_attester(&self, feed_id: String) -> Option<Address>;
    /// Returns the seed of the dictionary that holds the registry's fields; none off chain.
    fn state_seed(&self) -> Option<[u8; 32]>;
}

/// What the AttestationRegistry answers.
#[odra::external_contract]
pub trait AttestationRegistry {
    /// Returns the newest value of a feed; none if it has no value.
    fn get_latest(&self, asset_id: String) -> Option<Attestation>;
    /// Returns value number `index` of a feed, from 0.
    fn get_at(&self, asset_id: String, index: u64) -> Option<Attestation>;
    /// Returns the number of values of a feed.
    fn get_count(&self, asset_id: String) -> u64;
    /// Returns the number of values of all feeds.
    fn total_attestations(&self) -> u64;
}

// Odra's numbers of the fields that are read directly.
const FEEDS: u32 = 2;
const LATEST: u32 = 2;

/// Where a contract finds the registries: a submodule of the contract.
#[odra::module(errors = Error)]
pub struct Registries {
    location: Var<Location>,
}

/// The packages of both registries, and the seeds of their dictionaries if they are read directly.
#[odra::odra_type]
pub(crate) struct Location {
    feed_registry: Address,
    attestation_registry: Address,
    seeds: Option<Seeds>,
}

#[odra::odra_type]
pub(crate) struct Seeds {
    feeds: [u8; 32],
    attestations: [u8; 32],
}

impl Registries {
    /// Sets where the registries are. For the contract's `init`.
    ///
    /// `seed` is that of the AttestationRegistry's dictionary; without it, each read is a call. It is checked with the newest
    /// value of a feed that the contract reads.
    ///
    /// Reverts with [`Error::OtherSeed`], or with [`Error::SeedUnchecked`] if that feed has no value yet.
    pub fn install(
        &mut self,
        feed_registry: Address,
        attestation_registry: Address,
        seed: Option<[u8; 32]>,
        feed_id: &str,
    ) {
        let seeds = seed.and_then(|attestations| {
            let feeds = FeedRegistryContractRef::new(self.env(), feed_registry).state_seed()?;
            Some(Seeds { feeds, attestations })
        });
        let location = Location { feed_registry, attestation_registry, seeds };
        location.check(&self.env(), feed_id).unwrap_or_revert(self);
        self.location.set(location);
    }

    /// Returns the metadata of a feed; none if it is not registered.
    pub fn feed(&self, feed_id: &str) -> Option<Feed> {
        self.location().feed(&self.env(), feed_id)
    }

    /// Returns the newest value of a feed; none if it has no value.
    pub fn latest(&self, feed_id: &str) -> Option<Attestation> {
        self.location().latest(&self.env(), feed_id)
    }

    pub(crate) fn location(&self) -> Location {
        self.location.get_or_revert_with(Error::RegistriesUnset)
    }
}

impl Location {
    pub(crate) fn feed(&self, env: &Rc<ContractEnv>, feed_id: &str) -> Option<Feed> {
        let read = self.seeds.as_ref().and_then(|seeds| direct::read(env, seeds.feeds, FEEDS, &feed_id));
        read.or_else(|| FeedRegistryContractRef::new(env.clone(), self.feed_registry).get_feed(feed_id.into()))
    }

    pub(crate) fn latest(&self, env: &Rc<ContractEnv>, feed_id: &str) -> Option<Attestation> {
        self.read_latest(env, feed_id).or_else(|| self.ask_latest(env, feed_id))
    }

    /// Compares a direct read with a call.
    fn check(&self, env: &Rc<ContractEnv>, feed_id: &str) -> Result<(), Error> {
        if self.seeds.is_none() {
            return Ok(());
        }
        let asked = self.ask_latest(env, feed_id).ok_or(Error::SeedUnchecked)?;
        if self.read_latest(env, feed_id) != Some(asked) {
            return Err(Error::OtherSeed);
        }
        Ok(())
    }

    fn read_latest(&self, env: &Rc<ContractEnv>, feed_id: &str) -> Option<Attestation> {
        let seeds = self.seeds.as_ref()?;
        direct::read(env, seeds.attestations, LATEST, &feed_id)
    }

    fn ask_latest(&self, env: &Rc<ContractEnv>, feed_id: &str) -> Option<Attestation> {
        AttestationRegistryContractRef::new(env.clone(), self.attestation_registry).get_latest(feed_id.into())
    }
}
