//! wattfeed's contracts on Casper: the registered feeds, the attested values, and who may register.
#![cfg_attr(not(test), no_std)]
extern crate alloc;

pub mod attestation_registry;
pub mod eligibility_gate;
pub mod feed_registry;
pub mod semaphore;
mod state;
mod verification_key;
