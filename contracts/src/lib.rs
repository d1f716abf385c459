//! wattfeed's contracts on Casper: what a feed is, what was attested, and who may register.
#![cfg_attr(not(test), no_std)]
extern crate alloc;

pub mod attestation_registry;
pub mod eligibility_gate;
pub mod feed_registry;
pub mod semaphore;
mod state;
mod verification_key;
