//! An AttestationRegistry from before it read the FeedRegistry's claims without a call.
use odra::casper_types::U512;
use odra::prelude::*;
use odra::ContractRef;

#[odra::odra_error]
pub enum Error {
    Unauthorized = 1,
}

#[odra::event]
pub struct RevenueAttested {
    pub asset_id: String,
    pub period: u64,
    pub amount: U512,
    pub source_hash: String,
    pub index: u64,
    pub timestamp: u64,
}

#[odra::odra_type]
pub struct Attestation {
    pub period: u64,
    pub amount: U512,
    pub source_hash: String,
    pub attester: Address,
    pub timestamp: u64,
}

#[odra::external_contract]
pub trait Feeds {
    fn get_attester(&self, feed_id: String) -> Option<Address>;
}

/// The first six fields of the storage layout.
#[odra::module(events = [RevenueAttested], errors = Error)]
pub struct LegacyAttestationRegistry {
    attester: Var<Address>,
    latest: Mapping<String, Attestation>,
    history: Mapping<String, Attestation>,
    count: Mapping<String, u64>,
    total: Var<u64>,
    feed_registry: Var<Address>,
}

#[odra::module]
impl LegacyAttestationRegistry {
    pub fn init(&mut self, attester: Address) {
        self.attester.set(attester);
    }

    pub fn set_feed_registry(&mut self, feed_registry: Address) {
        self.feed_registry.set(feed_registry);
    }

    pub fn attest(&mut self, asset_id: String, period: u64, amount: U512, source_hash: String) {
        let attester = self.env().caller();
        let registry = self.feed_registry.get().unwrap_or_revert(&self.env());
        let allowed = FeedsContractRef::new(self.env(), registry).get_attester(asset_id.clone());
        if allowed != Some(attester) {
            self.env().revert(Error::Unauthorized);
        }
        let timestamp = self.env().get_block_time();
        let index = self.count.get_or_default(&asset_id);
        let attestation = Attestation { period, amount, source_hash, attester, timestamp };
        self.latest.set(&asset_id, attestation.clone());
        self.history.set(&format!("{asset_id}#{index}"), attestation.clone());
        self.count.set(&asset_id, index + 1);
        self.total.set(self.total.get_or_default() + 1);
        let source_hash = attestation.source_hash;
        self.env().emit_event(RevenueAttested { asset_id, period, amount, source_hash, index, timestamp });
    }
}
