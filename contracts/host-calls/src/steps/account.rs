//! Keys and thresholds of an account. A contract may not change them.

use alloc::vec::Vec;

use casper_contract::ext_ffi;
use casper_types::account::AccountHash;

use crate::bytes::{argument, bytes_of, status};

pub fn run(step: &str) -> Option<Vec<u8>> {
    Some(match step {
        "add_associated_key" => {
            let key = bytes_of(argument::<AccountHash>("account"));
            status(unsafe { ext_ffi::casper_add_associated_key(key.as_ptr(), key.len(), argument("weight")) })
        }
        "update_associated_key" => {
            let key = bytes_of(argument::<AccountHash>("account"));
            status(unsafe { ext_ffi::casper_update_associated_key(key.as_ptr(), key.len(), argument("weight")) })
        }
        "remove_associated_key" => {
            let key = bytes_of(argument::<AccountHash>("account"));
            status(unsafe { ext_ffi::casper_remove_associated_key(key.as_ptr(), key.len()) })
        }
        "set_action_threshold" => {
            status(unsafe { ext_ffi::casper_set_action_threshold(argument("action"), argument("threshold")) })
        }
        _ => return None,
    })
}
