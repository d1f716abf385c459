//! Values of series that a board keeps, so that many contracts read what one proof has shown.
//!
//! A board verifies a proof once. It keeps the value under the attester of the root and the series, unit and decimals included. A
//! contract that has a [`SeriesPin`] reads the board by it, without a proof:
//!
//! ```
//! use odra::prelude::*;
//! use wattfeed::board::{BoardAccess, BoardPin};
//! use wattfeed::series::SeriesPin;
//!
//! #[odra::module]
//! pub struct Market {
//!     board: SubModule<BoardAccess>,
//!     price: Var<BoardPin>,
//!     settled: Var<i64>,
//! }
//!
//! #[odra::module]
//! impl Market {
//!     pub fn init(&mut self, board: Address, pin: SeriesPin) {
//!         pin.series.check().unwrap_or_revert(self);
//!         self.board.install(board);
//!         let price = pin.on_board(&self.env());
//!         self.price.set(price);
//!     }
//!
//!     /// Settles by the price of August, which anyone has put on the board.
//!     pub fn settle(&mut self) {
//!         let price = self.price.get().unwrap_or_revert(self);
//!         self.settled.set(price.read(&self.board, Some("2026-08")).value);
//!     }
//! }
//! # fn main() {}
//! ```
use odra::casper_types::bytesrepr::{Bytes, ToBytes};
use odra::prelude::*;
use odra::ContractRef;

use crate::direct;
use crate::series::{Series, SeriesPin};
use crate::Error;

/// A value that a board has verified and keeps.
#[odra::odra_type]
pub struct BoardValue {
    /// EIA's text of the period.
    pub period: String,
    /// The value times 10^`decimals`.
    pub value: i64,
    /// Number of the value's digits after the decimal point.
    pub decimals: u8,
    /// The root that has the value.
    pub root: [u8; 32],
    /// Who attested the root.
    pub attester: Address,
    /// Block time of the attestation of the root in milliseconds.
    pub root_timestamp: u64,
    /// Block time of the call that put the value, in milliseconds.
    pub timestamp: u64,
}

/// What a board answers.
#[odra::external_contract]
pub trait Board {
    /// Keeps the value of a period, which a proof shows by the newest root.
    fn put(&mut self, series: Series, period: String, proof: Bytes);
    /// Keeps the newest value of a series, which a proof shows by the newest root.
    fn put_latest(&mut self, series: Series, proof: Bytes);
    /// Returns the value of a period; none if nobody has put it.
    fn get(&self, id: [u8; 32], period: String) -> Option<BoardValue>;
    /// Returns the newest value of a series; none if nobody has put it.
    fn get_latest(&self, id: [u8; 32]) -> Option<BoardValue>;
    /// Returns the seed of the dictionary that holds the board's fields; none off chain.
    fn state_seed(&self) -> Option<[u8; 32]>;
}

/// Under which period a board keeps the newest value of a series: no leaf has it.
pub const LATEST: &str = "";

/// Odra's number of the field that is read directly.
const VALUES: u32 = 2;

/// A series on a board, and what a contract relies on when it reads it.
#[odra::odra_type]
pub struct BoardPin {
    /// Under what a board keeps the series; see [`Series::board_id`].
    pub id: [u8; 32],
    /// Maximum age of the root in milliseconds, from its attestation to the block that reads the value.
    pub max_age_ms: u64,
}

/// Where a contract finds a board: a submodule of the contract.
#[odra::module(errors = Error)]
pub struct BoardAccess {
    location: Var<BoardLocation>,
}

/// The package of a board, and the seed of its dictionary.
#[odra::odra_type]
pub(crate) struct BoardLocation {
    board: Address,
    seed: Option<[u8; 32]>,
}

impl BoardAccess {
    /// Sets the board. For the contract's `init`. The board says where its values are, so that reads need no call.
    pub fn install(&mut self, board: Address) {
        let seed = BoardContractRef::new(self.env(), board).state_seed();
        self.location.set(BoardLocation { board, seed });
    }

    fn find(&self, id: [u8; 32], period: &str) -> Option<BoardValue> {
        let BoardLocation { board, seed } = self.location.get_or_revert_with(Error::BoardUnset);
        let env = self.env();
        let read = seed.and_then(|seed| direct::read(&env, seed, VALUES, &(id, period)));
        read.or_else(|| BoardContractRef::new(env, board).get(id, period.into()))
    }
}

impl BoardPin {
    /// Returns a value on the board, or reverts with what [`try_read`](Self::try_read) returns.
    pub fn read(&self, board: &BoardAccess, period: Option<&str>) -> BoardValue {
        self.try_read(board, period).unwrap_or_revert(board)
    }

    /// Returns the value of a period; without a period, the newest value of the series.
    ///
    /// [`Error::NotOnBoard`] if nobody has put it, [`Error::TooOld`] if its root is older than the pinned maximum age.
    pub fn try_read(&self, board: &BoardAccess, period: Option<&str>) -> Result<BoardValue, Error> {
        let found = board.find(self.id, period.unwrap_or(LATEST)).ok_or(Error::NotOnBoard)?;
        let age_ms = board.env().get_block_time().saturating_sub(found.root_timestamp);
        if age_ms > self.max_age_ms {
            return Err(Error::TooOld);
        }
        Ok(found)
    }
}

impl SeriesPin {
    /// Returns the pin of the same series on a board. For the contract's `init`.
    pub fn on_board(&self, env: &ContractEnv) -> BoardPin {
        BoardPin { id: self.series.board_id(&self.attester, env), max_age_ms: self.max_age_ms }
    }
}

impl Series {
    /// Returns under what a board keeps the values of the series that the roots of an attester show: the BLAKE2b hash of the
    /// bytes of both. So nobody can put a value where another attester's is read, nor one in another unit.
    pub fn board_id(&self, attester: &Address, env: &ContractEnv) -> [u8; 32] {
        let mut preimage = attester.to_bytes().unwrap_or_revert(env);
        self.write_bytes(&mut preimage).unwrap_or_revert(env);
        env.hash(preimage)
    }
}
