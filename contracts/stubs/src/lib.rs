//! Contracts that only tests deploy: never part of what is delivered.
#![cfg_attr(not(test), no_std)]
extern crate alloc;

pub mod legacy_attestation_registry;
pub mod legacy_feed_registry;
pub mod open_gate;
pub mod relay;
