//! A contract that verifies proofs of series once, and keeps their values for other contracts.
//!
//! [`wattfeed::board`] reads it.
#![cfg_attr(not(test), no_std)]
extern crate alloc;

use odra::casper_types::bytesrepr::Bytes;
use odra::prelude::*;
use wattfeed::board::{BoardValue, LATEST};
use wattfeed::series::{Root, Series, Settled, Statement};
use wattfeed::{Error, Registries};

/// Verifies proofs of series, and keeps their values for other contracts.
#[odra::module(errors = Error)]
pub struct Board {
    registries: SubModule<Registries>,
    /// By the id of a series and the period. The crate reads it directly.
    values: Mapping<([u8; 32], String), BoardValue>,
}

#[odra::module]
impl Board {
    /// Sets where the registries are. The seed is checked with a feed that has a value.
    pub fn init(
        &mut self,
        feed_registry: Address,
        attestation_registry: Address,
        seed: Option<[u8; 32]>,
        feed_id: String,
    ) {
        self.registries.install(feed_registry, attestation_registry, seed, &feed_id);
    }

    /// Keeps the value of a period, which a proof shows by the newest root.
    pub fn put(&mut self, series: Series, period: String, proof: Bytes) {
        self.keep(&series, Statement::ValueOf(&period), &period, &proof);
    }

    /// Keeps the newest value of a series, which a proof shows by the newest root.
    pub fn put_latest(&mut self, series: Series, proof: Bytes) {
        self.keep(&series, Statement::NewestValue, LATEST, &proof);
    }

    /// Returns the value of a period; none if nobody has put it.
    pub fn get(&self, id: [u8; 32], period: String) -> Option<BoardValue> {
        self.values.get(&(id, period))
    }

    /// Returns the newest value of a series; none if nobody has put it.
    pub fn get_latest(&self, id: [u8; 32]) -> Option<BoardValue> {
        self.get(id, LATEST.into())
    }

    /// Returns the seed of the dictionary that holds the fields; none off chain.
    pub fn state_seed(&self) -> Option<[u8; 32]> {
        own_seed(&self.env())
    }

    /// By the newest root alone, so that no older one can replace its value. What it has shown already stays as it is.
    fn keep(&mut self, series: &Series, statement: Statement, period: &str, proof: &[u8]) {
        series.check().unwrap_or_revert(self);
        let newest = self.registries.latest(&series.feed_id()).unwrap_or_revert_with(self, Error::NoValue);
        let attester = newest.attester;
        let root = Root::try_from(newest).unwrap_or_revert(self);
        let key = (series.board_id(&attester, &self.env()), String::from(period));
        let is_by_root = |kept: BoardValue| (kept.root, kept.root_timestamp) == (root.hash, root.timestamp);
        if self.values.get(&key).is_some_and(is_by_root) {
            return;
        }
        let Settled { period, value } = series.verify(&root, statement, proof).unwrap_or_revert(self);
        let value = BoardValue {
            period,
            value,
            decimals: series.decimals,
            root: root.hash,
            attester,
            root_timestamp: root.timestamp,
            timestamp: self.env().get_block_time(),
        };
        self.values.set(&key, value);
    }
}

/// Returns the seed of this contract's dictionary.
#[cfg(target_arch = "wasm32")]
fn own_seed(env: &ContractEnv) -> Option<[u8; 32]> {
    use odra::casper_types::Key;
    use odra::odra_casper_wasm_env::casper_contract::contract_api::runtime;

    let state = runtime::get_key("state").and_then(Key::into_uref);
    Some(state.unwrap_or_revert_with(env, ExecutionError::KeyNotFound).addr())
}

/// Returns none: off chain there is no seed.
#[cfg(not(target_arch = "wasm32"))]
fn own_seed(_env: &ContractEnv) -> Option<[u8; 32]> {
    None
}
