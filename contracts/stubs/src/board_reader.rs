//! A contract that settles by a value on a board.
use odra::prelude::*;
use wattfeed::board::{BoardAccess, BoardPin};
use wattfeed::series::{SeriesPin, Settled};

/// Pins a series on a board, and keeps what was settled last.
#[odra::module]
pub struct BoardReader {
    board: SubModule<BoardAccess>,
    pin: Var<BoardPin>,
    settled: Var<Settled>,
}

#[odra::module]
impl BoardReader {
    /// Sets the board, and the series.
    pub fn init(&mut self, board: Option<Address>, pin: SeriesPin) {
        if let Some(board) = board {
            self.board.install(board);
        }
        let pin = pin.on_board(&self.env());
        self.pin.set(pin);
    }

    /// Settles by the value of a period; without a period, by the newest value.
    pub fn settle(&mut self, period: Option<String>) {
        let found = self.pin().read(&self.board, period.as_deref());
        self.settled.set(Settled { period: found.period, value: found.value });
    }

    /// Returns the pin on the board.
    pub fn pin(&self) -> BoardPin {
        self.pin.get().unwrap_or_revert(self)
    }

    /// Returns what was settled last.
    pub fn settled(&self) -> Option<Settled> {
        self.settled.get()
    }
}
