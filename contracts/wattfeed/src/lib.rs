//! Reads wattfeed's feeds of energy statistics from a contract on Casper that is written with Odra.
#![cfg_attr(not(test), no_std)]
extern crate alloc;

mod direct;
mod error;
mod feed;
pub mod period;
mod registries;
pub mod series;

pub use error::Error;
pub use feed::{FeedPin, Reading};
pub use registries::{Attestation, Feed, Registries};
