//! Decides who may register feeds, without knowing who they are, by Semaphore v4 membership proofs.
use odra::casper_types::bytesrepr::{Bytes, ToBytes};
use odra::casper_types::U256;
use odra::prelude::*;

use crate::semaphore::{self, Fault, PublicInputs};

/// Number of the owner's newest roots that are valid.
pub const MOST_ROOTS: usize = 16;

/// Errors of the EligibilityGate.
#[odra::odra_error]
pub enum Error {
    /// The caller is not authorized.
    Unauthorized = 1,
    /// The group's root is not one of the owner's valid roots.
    UnknownRoot = 2,
    /// The identity of this nullifier was used before.
    NullifierUsed = 3,
    /// The proof is not 256 bytes, or one of its numbers or points is invalid.
    /// Numbers, the nullifier included, must be below their modulus. Points must be in their subgroup, but not infinity.
    MalformedProof = 4,
    /// The proof does not prove that the caller's identity is in the group.
    InvalidProof = 5,
    /// Only accounts may claim: a contract has no account hash to prove.
    NotAnAccount = 6,
    /// The root is 0 or not below the field's order.
    /// The circuit outputs 0 for a path that is too long, so every account could prove membership with that root.
    MalformedRoot = 7,
}

/// An account became eligible.
#[odra::event]
pub struct EligibilityGranted {
    pub who: Address,
    pub nullifier: U256,
}

/// An account lost its eligibility.
#[odra::event]
pub struct EligibilityRevoked {
    pub who: Address,
}

/// Grants eligibility for proofs. Their scope is this package's hash, which survives upgrades. Append new fields (layout).
#[odra::module(events = [EligibilityGranted, EligibilityRevoked], errors = Error)]
pub struct EligibilityGate {
    owner: Var<Address>,
    roots: Var<Vec<U256>>,
    nullifiers: Mapping<U256, bool>,
    eligible: Mapping<Address, bool>,
    granted: Var<u64>,
}

#[odra::module]
impl EligibilityGate {
    /// Sets `owner`, who sets the roots of the groups that may claim.
    pub fn init(&mut self, owner: Address) {
        self.owner.set(owner);
    }

    /// Keeps all data.
    pub fn upgrade(&mut self) {}

    /// Makes a group's root the newest, and drops the oldest of more than 16. For the owner.
    pub fn set_root(&mut self, root: U256) {
        self.assert_owner();
        if root.is_zero() || !semaphore::is_scalar(&big_endian(root)) {
            self.env().revert(Error::MalformedRoot);
        }
        let mut roots = self.get_roots();
        roots.retain(|known| *known != root);
        if roots.len() == MOST_ROOTS {
            roots.remove(0);
        }
        roots.push(root);
        self.roots.set(roots);
    }

    /// Removes a root: proofs for it are no longer valid. For the owner.
    pub fn remove_root(&mut self, root: U256) {
        self.assert_owner();
        let mut roots = self.get_roots();
        let count = roots.len();
        roots.retain(|other| *other != root);
        if roots.len() == count {
            self.env().revert(Error::UnknownRoot);
        }
        self.roots.set(roots);
    }

    /// Revokes an account's eligibility, or does nothing if it is not eligible. For the owner.
    /// The identity that the account claimed with stays used.
    pub fn revoke(&mut self, who: Address) {
        self.assert_owner();
        if self.is_eligible(who) {
            self.eligible.set(&who, false);
            self.env().emit_event(EligibilityRevoked { who });
        }
    }

    /// Makes the caller eligible if `proof` shows that an identity of the group vouches for this account at this gate.
    pub fn claim(&mut self, merkle_root: U256, nullifier: U256, proof: Bytes) {
        let who = self.env().caller();
        let message = self.account_hash(who);
        if !self.get_roots().contains(&merkle_root) {
            self.env().revert(Error::UnknownRoot);
        }
        if self.nullifiers.get_or_default(&nullifier) {
            self.env().revert(Error::NullifierUsed);
        }
        let inputs = PublicInputs {
            merkle_root: big_endian(merkle_root),
            nullifier: big_endian(nullifier),
            message,
            scope: self.address_bytes(self.env().self_address()),
        };
        match semaphore::verify(&inputs, &proof) {
            Ok(()) => self.grant(who, nullifier),
            Err(Fault::Malformed) => self.env().revert(Error::MalformedProof),
            Err(Fault::Refuted) => self.env().revert(Error::InvalidProof),
        }
    }

    /// Returns whether an account may register feeds.
    pub fn is_eligible(&self, who: Address) -> bool {
        self.eligible.get_or_default(&who)
    }

    /// Returns the valid roots, oldest first.
    pub fn get_roots(&self) -> Vec<U256> {
        self.roots.get_or_default()
    }

    /// Returns the number of granted claims.
    pub fn granted_count(&self) -> u64 {
        self.granted.get_or_default()
    }

    fn grant(&mut self, who: Address, nullifier: U256) {
        self.nullifiers.set(&nullifier, true);
        self.eligible.set(&who, true);
        self.granted.set(self.granted.get_or_default() + 1);
        self.env().emit_event(EligibilityGranted { who, nullifier });
    }

    fn assert_owner(&self) {
        if self.owner.get() != Some(self.env().caller()) {
            self.env().revert(Error::Unauthorized);
        }
    }

    fn account_hash(&self, who: Address) -> [u8; 32] {
        if who.is_contract() {
            self.env().revert(Error::NotAnAccount);
        }
        self.address_bytes(who)
    }

    /// An address is a tag and 32 bytes.
    fn address_bytes(&self, address: Address) -> [u8; 32] {
        let bytes = address.to_bytes().unwrap_or_revert(&self.env());
        let mut hash = [0; 32];
        hash.copy_from_slice(&bytes[1..]);
        hash
    }
}

fn big_endian(number: U256) -> [u8; 32] {
    let mut bytes = [0; 32];
    number.to_big_endian(&mut bytes);
    bytes
}

#[cfg(test)]
mod model_tests;
#[cfg(test)]
mod tests;
