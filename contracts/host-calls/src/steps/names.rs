//! Named keys, arguments, and the ends of a call.

use alloc::{string::String, vec, vec::Vec};

use casper_contract::{
    contract_api::{runtime, storage},
    ext_ffi,
    unwrap_or_revert::UnwrapOrRevert,
};
use casper_types::{AccessRights, ApiError, CLValue, Key};

use crate::bytes::{argument, bytes_of, status};

pub fn run(step: &str) -> Option<Vec<u8>> {
    Some(match step {
        "put_key" => {
            runtime::put_key("number", storage::new_uref(7_u64).into());
            vec![]
        }
        "put_key of another" => {
            runtime::put_key("other", argument::<Key>("key"));
            vec![]
        }
        "get_key" => bytes_of(runtime::get_key(&argument::<String>("name"))),
        "get_key into too few bytes" => get_key_into(4),
        "has_key" => [bytes_of(runtime::has_key("number")), bytes_of(runtime::has_key("nothing"))].concat(),
        "remove_key" => {
            runtime::remove_key("number");
            bytes_of(runtime::has_key("number"))
        }
        "remove_key that is not there" => {
            runtime::remove_key("nothing");
            vec![]
        }
        "load_named_keys" => bytes_of(runtime::list_named_keys()),
        "is_valid_uref" => {
            let uref = storage::new_uref(7_u64);
            let narrow = uref.with_access_rights(AccessRights::READ);
            [bytes_of(runtime::is_valid_uref(uref)), bytes_of(runtime::is_valid_uref(narrow))].concat()
        }
        "is_valid_uref of an argument" => bytes_of(runtime::is_valid_uref(argument("uref"))),
        "get_named_arg" => bytes_of(runtime::try_get_named_arg::<u64>("number")),
        "get_named_arg that is missing" => bytes_of(runtime::get_named_arg::<u64>("nothing")),
        "get_named_arg into too few bytes" => get_named_arg_into(2),
        "revert" => runtime::revert(ApiError::User(7)),
        "revert with a code of the system" => runtime::revert(ApiError::PermissionDenied),
        "ret" => runtime::ret(CLValue::from_t(7_u64).unwrap_or_revert()),
        "ret a URef" => runtime::ret(CLValue::from_t(storage::new_uref(7_u64)).unwrap_or_revert()),
        "ret a forged URef" => runtime::ret(CLValue::from_t(argument::<casper_types::URef>("uref")).unwrap_or_revert()),
        _ => return None,
    })
}

fn get_key_into(size: usize) -> Vec<u8> {
    let (mut output, mut written) = (vec![0_u8; size], 0_usize);
    let name = bytes_of(String::from("number"));
    let code = unsafe { ext_ffi::casper_get_key(name.as_ptr(), name.len(), output.as_mut_ptr(), size, &mut written) };
    [status(code), bytes_of(written as u32)].concat()
}

fn get_named_arg_into(size: usize) -> Vec<u8> {
    let mut output = vec![0_u8; size];
    let name = "number";
    let code = unsafe { ext_ffi::casper_get_named_arg(name.as_ptr(), name.len(), output.as_mut_ptr(), size) };
    [status(code), output].concat()
}
