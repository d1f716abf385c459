//! A session and a contract in one module: argument `step` names what a call does, so that a transaction makes one call of a host
//! function. `tests/nodeEngine` of the embedded chain compares these transactions with the node's engine.
#![no_std]
#![no_main]

extern crate alloc;

mod bytes;
mod install;
mod steps;

use alloc::{string::String, vec::Vec};

use casper_contract::{
    contract_api::{runtime, storage},
    unwrap_or_revert::UnwrapOrRevert,
};
use casper_types::{contracts::ContractHash, runtime_args, CLValue};
use ink_allocator as _;

/// The session. What the step returns becomes an effect.
#[no_mangle]
pub extern "C" fn call() {
    let result = steps::run(&runtime::get_named_arg::<String>("step"));
    storage::new_uref(result);
}

/// Runs a step in the contract's context.
#[no_mangle]
pub extern "C" fn run() {
    let result = steps::run(&runtime::get_named_arg::<String>("step"));
    storage::new_uref(result.clone());
    runtime::ret(CLValue::from_t(result).unwrap_or_revert());
}

/// The same for members of the group "members" only.
#[no_mangle]
pub extern "C" fn guarded() {
    run();
}

/// Calls the next contract of argument `path`, and the last one runs the step.
#[no_mangle]
pub extern "C" fn relay() {
    let mut path: Vec<ContractHash> = runtime::get_named_arg("path");
    if path.is_empty() {
        return run();
    }
    let next = path.remove(0);
    let step: String = runtime::get_named_arg("step");
    let result: Vec<u8> = runtime::call_contract(next, "relay", runtime_args! { "path" => path, "step" => step });
    runtime::ret(CLValue::from_t(result).unwrap_or_revert());
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    core::arch::wasm32::unreachable()
}
