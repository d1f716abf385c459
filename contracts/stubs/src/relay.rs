//! A contract that submits a claim for its caller.
use odra::casper_types::bytesrepr::Bytes;
use odra::casper_types::U256;
use odra::prelude::*;
use odra::ContractRef;

#[odra::external_contract]
pub trait Gate {
    fn claim(&mut self, merkle_root: U256, nullifier: U256, proof: Bytes);
}

#[odra::module]
pub struct Relay;

#[odra::module]
impl Relay {
    pub fn claim(&self, gate: Address, merkle_root: U256, nullifier: U256, proof: Bytes) {
        GateContractRef::new(self.env(), gate).claim(merkle_root, nullifier, proof);
    }
}
