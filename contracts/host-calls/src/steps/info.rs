//! What a call learns about its block, its callers and its keys.

use alloc::{vec, vec::Vec};

use casper_contract::{contract_api::runtime, ext_ffi, unwrap_or_revert::UnwrapOrRevert};
use casper_types::Phase;

use crate::bytes::{argument, bytes_of, status};

pub fn run(step: &str) -> Option<Vec<u8>> {
    Some(match step {
        "get_caller" => bytes_of(runtime::get_caller()),
        "get_blocktime" => bytes_of(runtime::get_blocktime()),
        "get_phase" => bytes_of(matches!(runtime::get_phase(), Phase::Session)),
        "get_block_info" => get_block_info(argument("field")),
        "get_block_info of hashes" => {
            // The hashes of an engine without a chain say nothing.
            runtime::get_parent_block_hash();
            runtime::get_state_hash();
            vec![]
        }
        "load_authorization_keys" => bytes_of(runtime::list_authorization_keys()),
        "load_call_stack" => load_call_stack(),
        "load_caller_information" => load_caller_information(argument("action")),
        "get_call_stack" => bytes_of(runtime::get_call_stack()),
        "get_immediate_caller" => bytes_of(runtime::get_immediate_caller().unwrap_or_revert()),
        "get_call_initiator" => bytes_of(runtime::get_call_initiator().unwrap_or_revert()),
        _ => return None,
    })
}

fn get_block_info(field: u8) -> Vec<u8> {
    let output = vec![0_u8; 32];
    unsafe { ext_ffi::casper_get_block_info(field, output.as_ptr()) };
    output
}

fn load_call_stack() -> Vec<u8> {
    let (mut count, mut size) = (0_usize, 0_usize);
    #[allow(deprecated)]
    let code = unsafe { ext_ffi::casper_load_call_stack(&mut count, &mut size) };
    [status(code), bytes_of(count as u32), host_buffer(size)].concat()
}

fn load_caller_information(action: u8) -> Vec<u8> {
    let (mut count, mut size) = (0_usize, 0_usize);
    let code = unsafe { ext_ffi::casper_load_caller_information(action, &mut count, &mut size) };
    [status(code), bytes_of(count as u32), host_buffer(size)].concat()
}

fn host_buffer(size: usize) -> Vec<u8> {
    let (mut buffer, mut written) = (vec![0_u8; size], 0_usize);
    let code = unsafe { ext_ffi::casper_read_host_buffer(buffer.as_mut_ptr(), size, &mut written) };
    [status(code), buffer].concat()
}
