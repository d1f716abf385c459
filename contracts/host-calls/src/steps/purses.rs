//! Purses, balances and transfers.

use alloc::{string::String, vec, vec::Vec};

use casper_contract::{
    contract_api::{account, runtime, system},
    ext_ffi,
    unwrap_or_revert::UnwrapOrRevert,
};
use casper_types::{account::AccountHash, AccessRights, Key, URef, U512};

use crate::bytes::{argument, bytes_of, outcome, status};

pub fn run(step: &str) -> Option<Vec<u8>> {
    Some(match step {
        "create_purse" => {
            let purse = system::create_purse();
            runtime::put_key(&argument::<String>("name"), purse.into());
            bytes_of(purse)
        }
        "create_purse into too few bytes" => {
            let output = [0_u8; 32];
            status(unsafe { ext_ffi::casper_create_purse(output.as_ptr(), output.len()) })
        }
        "create_purse and fund it" => {
            let purse = system::create_purse();
            let sent = system::transfer_from_purse_to_purse(account::get_main_purse(), purse, amount(), None);
            [outcome(sent), bytes_of(system::get_purse_balance(purse))].concat()
        }
        "get_main_purse" => bytes_of(account::get_main_purse()),
        "get_balance of the main purse" => bytes_of(system::get_balance()),
        "get_balance" => bytes_of(system::get_purse_balance(purse("purse"))),
        "get_balance of a purse without access" => {
            bytes_of(system::get_purse_balance(system::create_purse().with_access_rights(AccessRights::ADD)))
        }
        "get_balance of what is no purse" => {
            bytes_of(system::get_purse_balance(casper_contract::contract_api::storage::new_uref(7_u64)))
        }
        "transfer_to_account" => transferred(system::transfer_to_account(target(), amount(), argument("id"))),
        "transfer_to_account twice" => [
            transferred(system::transfer_to_account(target(), amount(), Some(1))),
            transferred(system::transfer_to_account(target(), amount(), Some(2))),
        ]
        .concat(),
        "transfer_to_account of all but the motes" => {
            let all = system::get_balance().unwrap_or_revert();
            transferred(system::transfer_to_account(target(), all - amount(), None))
        }
        "transfer_from_purse_to_account" => {
            transferred(system::transfer_from_purse_to_account(purse("source"), target(), amount(), argument("id")))
        }
        "transfer_from_main_purse_to_account" => {
            transferred(system::transfer_from_purse_to_account(account::get_main_purse(), target(), amount(), None))
        }
        "transfer_from_purse_to_purse" => {
            outcome(system::transfer_from_purse_to_purse(purse("source"), purse("target"), amount(), argument("id")))
        }
        "transfer_from_main_purse_to_purse" => outcome(system::transfer_from_purse_to_purse(
            account::get_main_purse(),
            purse("target"),
            amount(),
            argument("id"),
        )),
        "transfer_from_purse_to_purse without access" => {
            let source = account::get_main_purse().with_access_rights(AccessRights::READ);
            outcome(system::transfer_from_purse_to_purse(source, system::create_purse(), amount(), None))
        }
        "transfer_from_purse_to_purse that may not receive" => {
            let target = system::create_purse().with_access_rights(AccessRights::READ);
            outcome(system::transfer_from_purse_to_purse(account::get_main_purse(), target, amount(), None))
        }
        "transfer_from_purse_to_purse with an empty id" => {
            let [source, target, amount] =
                [bytes_of(account::get_main_purse()), bytes_of(argument::<URef>("target")), bytes_of(amount())];
            let id: Vec<u8> = vec![];
            status(unsafe {
                ext_ffi::casper_transfer_from_purse_to_purse(
                    source.as_ptr(),
                    source.len(),
                    target.as_ptr(),
                    target.len(),
                    amount.as_ptr(),
                    amount.len(),
                    id.as_ptr(),
                    id.len(),
                )
            })
        }
        _ => return None,
    })
}

/// An argument, or what the context has under the name in it.
fn purse(name: &str) -> URef {
    match runtime::try_get_named_arg::<String>(&(String::from(name) + " name")) {
        Some(key) => runtime::get_key(&key).and_then(Key::into_uref).unwrap_or_revert(),
        None => argument(name),
    }
}

fn target() -> AccountHash {
    argument("account")
}

fn amount() -> U512 {
    argument("motes")
}

fn transferred(result: casper_types::TransferResult) -> Vec<u8> {
    match result {
        Ok(to) => bytes_of(to as i32),
        Err(error) => bytes_of(u32::from(error)),
    }
}
