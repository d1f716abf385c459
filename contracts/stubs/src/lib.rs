//! Contracts that only tests deploy; they are not delivered.
#![cfg_attr(not(test), no_std)]
extern crate alloc;

pub mod board_reader;
pub mod counter;
pub mod feed_reader;
pub mod legacy_attestation_registry;
pub mod legacy_feed_registry;
pub mod open_gate;
pub mod relay;
pub mod series_reader;
pub mod token;
pub mod vault;
