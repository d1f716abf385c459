//! A contract that settles by a value of a series.
use odra::casper_types::bytesrepr::Bytes;
use odra::prelude::*;
use wattfeed::series::{Root, SeriesPin, Settled, Statement};
use wattfeed::{Error, Registries};

/// Pins a series, and keeps what was settled last.
#[odra::module(errors = Error)]
pub struct SeriesReader {
    registries: SubModule<Registries>,
    pin: Var<SeriesPin>,
    frozen: Var<Root>,
    settled: Var<Settled>,
}

#[odra::module]
impl SeriesReader {
    /// Sets where the registries are, and the series.
    pub fn init(
        &mut self,
        feed_registry: Address,
        attestation_registry: Address,
        seed: Option<[u8; 32]>,
        pin: SeriesPin,
    ) {
        pin.series.check().unwrap_or_revert(self);
        self.registries.install(feed_registry, attestation_registry, seed, &pin.series.feed_id());
        self.pin.set(pin);
    }

    /// Settles by the value of a period.
    pub fn settle_value_of(&mut self, period: String, proof: Bytes) {
        self.settle(Statement::ValueOf(&period), &proof);
    }

    /// Settles by the value of the dataset's newest period.
    pub fn settle_newest_period(&mut self, proof: Bytes) {
        self.settle(Statement::NewestPeriod, &proof);
    }

    /// Settles by the newest value of the series.
    pub fn settle_newest_value(&mut self, proof: Bytes) {
        self.settle(Statement::NewestValue, &proof);
    }

    /// Keeps the newest root, by which [`settle_frozen`](Self::settle_frozen) settles.
    pub fn freeze(&mut self) {
        let root = self.pinned().read_root(&self.registries);
        self.frozen.set(root);
    }

    /// Settles by the value of a period, by the root that was kept.
    pub fn settle_frozen(&mut self, period: String, proof: Bytes) {
        let root = self.frozen.get().unwrap_or_revert_with(self, Error::NoValue);
        let settled = self.pinned().series.verify(&root, Statement::ValueOf(&period), &proof);
        self.settled.set(settled.unwrap_or_revert(self));
    }

    /// Returns what was settled last.
    pub fn settled(&self) -> Option<Settled> {
        self.settled.get()
    }

    fn settle(&mut self, statement: Statement, proof: &[u8]) {
        let settled = self.pinned().settle(&self.registries, statement, proof);
        self.settled.set(settled);
    }

    fn pinned(&self) -> SeriesPin {
        self.pin.get().unwrap_or_revert(self)
    }
}
