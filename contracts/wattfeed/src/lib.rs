//! Reads wattfeed's statistics of energy from a contract on Casper, written with [Odra](https://odra.dev) 2.9.1.
//!
//! An attester signs each value, so a contract says whose values it takes, of which feed, in which unit, and how old they may be. A
//! [`FeedPin`] holds that. Its [`read`](FeedPin::read) returns the newest value if everything fits, and else reverts with one of the
//! [`Error`]s. It never returns zero for a value that does not exist.
//!
//! [`Registries`] knows where the values are. With a seed, it reads them directly from the registries' storage, which costs 0.02 CSPR
//! instead of 0.33 for a call.
//!
//! ```
//! use odra::casper_types::U512;
//! use odra::prelude::*;
//! use wattfeed::{FeedPin, Registries};
//!
//! #[odra::module]
//! pub struct Hedge {
//!     registries: SubModule<Registries>,
//!     oil_price: Var<FeedPin>,
//! }
//!
//! #[odra::module]
//! impl Hedge {
//!     pub fn init(
//!         &mut self,
//!         feed_registry: Address,
//!         attestation_registry: Address,
//!         seed: Option<[u8; 32]>,
//!         attester: Address,
//!     ) {
//!         let oil_price = FeedPin {
//!             feed_id: "EIA.PET.PRICE.WTI.DAILY".into(),
//!             attester,
//!             unit: "$/BBL".into(),
//!             decimals: 6,
//!             max_age_ms: 7 * 24 * 3_600_000,
//!         };
//!         self.registries.install(feed_registry, attestation_registry, seed, &oil_price.feed_id);
//!         self.oil_price.set(oil_price);
//!     }
//!
//!     /// Returns the newest price in millionths of a dollar.
//!     pub fn price(&self) -> U512 {
//!         let oil_price = self.oil_price.get().unwrap_or_revert(self);
//!         oil_price.read(&self.registries).amount
//!     }
//! }
//! # fn main() {}
//! ```
//!
//! The submodule adds the crate's errors to the schema of the contract. Their numbers start at 60,001, so that a contract can have
//! errors of its own.
#![cfg_attr(not(test), no_std)]
extern crate alloc;

pub mod board;
mod direct;
mod error;
mod feed;
pub mod period;
pub mod registries;
pub mod series;

pub use error::Error;
pub use feed::{FeedPin, Reading};
pub use registries::{Attestation, Feed, Registries};
