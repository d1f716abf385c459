//! The wasm of the stub that `ODRA_MODULE` names.
#![cfg_attr(target_arch = "wasm32", no_std, no_main)]
use wattfeed_stubs as _;

/// Cargo builds every bin for the integration tests, for the host too.
#[cfg(not(target_arch = "wasm32"))]
fn main() {}
