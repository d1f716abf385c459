//! Pointers and bytes that no compiler would make.

use alloc::{string::String, vec, vec::Vec};

use casper_contract::{
    contract_api::{account, storage},
    ext_ffi,
};
use casper_types::{bytesrepr::Bytes, runtime_args, Key};

use crate::bytes::{argument, bytes_of, status};

/// No module has so much memory.
const OUTSIDE: usize = 0xffff_0000;

pub fn run(step: &str) -> Option<Vec<u8>> {
    let outside = OUTSIDE as *mut u8;
    Some(match step {
        "read_value from outside the memory" => {
            let mut size = 0_usize;
            status(unsafe { ext_ffi::casper_read_value(outside, 33, &mut size) })
        }
        "get_caller to outside the memory" => status(unsafe { ext_ffi::casper_get_caller(OUTSIDE as *mut usize) }),
        "get_blocktime to outside the memory" => {
            unsafe { ext_ffi::casper_get_blocktime(outside) };
            vec![]
        }
        "get_main_purse to outside the memory" => {
            unsafe { ext_ffi::casper_get_main_purse(outside) };
            vec![]
        }
        "random_bytes to outside the memory" => status(unsafe { ext_ffi::casper_random_bytes(outside, 32) }),
        "generic_hash from outside the memory" => {
            let output = [0_u8; 32];
            status(unsafe { ext_ffi::casper_generic_hash(outside, 32, 0, output.as_ptr(), output.len()) })
        }
        "generic_hash to outside the memory" => {
            status(unsafe { ext_ffi::casper_generic_hash(step.as_ptr(), step.len(), 0, outside, 32) })
        }
        "create_purse to outside the memory" => status(unsafe { ext_ffi::casper_create_purse(outside, 33) }),
        "transfer_to_account of what is no amount" => transfer(argument("bytes")),
        "put_key of a name that is not UTF-8" => {
            let name = bytes_of(Bytes::from(vec![0xff, 0xfe]));
            let key = bytes_of(Key::URef(account::get_main_purse()));
            unsafe { ext_ffi::casper_put_key(name.as_ptr(), name.len(), key.as_ptr(), key.len()) };
            vec![]
        }
        "write what is no value" => {
            let key = bytes_of(Key::URef(storage::new_uref(7_u64)));
            let value = [0xff_u8; 3];
            unsafe { ext_ffi::casper_write(key.as_ptr(), key.len(), value.as_ptr(), value.len()) };
            vec![]
        }
        "load_call_stack to outside the memory" =>
        {
            #[allow(deprecated)]
            status(unsafe { ext_ffi::casper_load_call_stack(OUTSIDE as *mut usize, OUTSIDE as *mut usize) })
        }
        _ => return step.strip_suffix(" into a full host buffer").and_then(into_full_host_buffer),
    })
}

/// Calls a function that leaves its result in the host buffer, where the result of another call still is.
fn into_full_host_buffer(name: &str) -> Option<Vec<u8>> {
    let (mut count, mut size) = (0_usize, 0_usize);
    let purse = bytes_of(account::get_main_purse());
    let key = bytes_of(Key::URef(storage::new_uref(7_u64)));
    unsafe { ext_ffi::casper_read_value(key.as_ptr(), key.len(), &mut size) };
    #[allow(deprecated)]
    let code = unsafe {
        match name {
            "read_value" => ext_ffi::casper_read_value(key.as_ptr(), key.len(), &mut size),
            "get_caller" => ext_ffi::casper_get_caller(&mut size),
            "load_named_keys" => ext_ffi::casper_load_named_keys(&mut count, &mut size),
            "load_authorization_keys" => ext_ffi::casper_load_authorization_keys(&mut count, &mut size),
            "load_call_stack" => ext_ffi::casper_load_call_stack(&mut count, &mut size),
            "load_caller_information" => ext_ffi::casper_load_caller_information(1, &mut count, &mut size),
            "get_balance" => ext_ffi::casper_get_balance(purse.as_ptr(), purse.len(), &mut size),
            "new_dictionary" => ext_ffi::casper_new_dictionary(&mut size),
            "call_contract" => {
                let contract: [u8; 32] = argument("contract");
                let (name, args) = (bytes_of(String::from("run")), bytes_of(runtime_args! { "step" => "get_caller" }));
                ext_ffi::casper_call_contract(
                    contract.as_ptr(),
                    contract.len(),
                    name.as_ptr(),
                    name.len(),
                    args.as_ptr(),
                    args.len(),
                    &mut size,
                )
            }
            _ => return None,
        }
    };
    Some([status(code), bytes_of(count as u32), bytes_of(size as u32)].concat())
}

fn transfer(amount: Bytes) -> Vec<u8> {
    let (target, id, result) = ([7_u8; 32], [0_u8], 0_i32);
    status(unsafe {
        ext_ffi::casper_transfer_to_account(
            target.as_ptr(),
            target.len(),
            amount.as_ptr(),
            amount.len(),
            id.as_ptr(),
            id.len(),
            &result,
        )
    })
}
