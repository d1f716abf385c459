//! Builds the wasm of the board.
#![cfg_attr(target_arch = "wasm32", no_std, no_main)]
use wattfeed_board as _;

/// Cargo builds every bin for the integration tests, for the host too.
#[cfg(not(target_arch = "wasm32"))]
fn main() {}
