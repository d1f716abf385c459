//! The steps, by what they are about.

mod account;
mod calls;
mod crypto;
mod info;
mod memory;
mod names;
mod packages;
mod purses;
mod values;

use alloc::vec::Vec;

use casper_contract::contract_api::runtime;
use casper_types::ApiError;

/// No host function returns it.
const UNKNOWN_STEP: u16 = 65_000;

/// Runs a step and returns its result in bytes.
pub fn run(step: &str) -> Vec<u8> {
    let groups = [
        values::run,
        names::run,
        info::run,
        account::run,
        purses::run,
        calls::run,
        packages::run,
        crypto::run,
        memory::run,
    ];
    let result = groups.iter().find_map(|group| group(step));
    result.unwrap_or_else(|| runtime::revert(ApiError::User(UNKNOWN_STEP)))
}
