//! Arguments and results of steps.

use alloc::vec::Vec;

use casper_contract::{contract_api::runtime, unwrap_or_revert::UnwrapOrRevert};
use casper_types::{
    bytesrepr::{FromBytes, ToBytes},
    ApiError,
};

pub fn argument<T: FromBytes>(name: &str) -> T {
    runtime::get_named_arg(name)
}

pub fn bytes_of<T: ToBytes>(value: T) -> Vec<u8> {
    value.into_bytes().unwrap_or_revert()
}

/// The status that a host function returned, for a result that has nothing else.
pub fn status(code: i32) -> Vec<u8> {
    bytes_of(code)
}

pub fn outcome(result: Result<(), ApiError>) -> Vec<u8> {
    bytes_of(result.err().map_or(0, u32::from))
}
