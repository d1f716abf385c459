//! Values under URefs, dictionaries, and `add`.

use alloc::{string::String, vec, vec::Vec};

use casper_contract::{
    contract_api::{runtime, storage},
    ext_ffi,
    unwrap_or_revert::UnwrapOrRevert,
};
use casper_types::{bytesrepr::ToBytes, AccessRights, CLTyped, CLValue, Key, URef, U128, U256, U512};

use crate::bytes::{argument, bytes_of, outcome, status};

pub fn run(step: &str) -> Option<Vec<u8>> {
    Some(match step {
        "new_uref" => bytes_of(storage::new_uref(7_u64)),
        "write and read" => write_and_read(),
        "read a key" => read(argument("key")),
        "write to a key" => write(argument("key")),
        "write without access" => write(Key::URef(storage::new_uref(7_u64).with_access_rights(AccessRights::READ_ADD))),
        "read without access" => read(Key::URef(storage::new_uref(7_u64).with_access_rights(AccessRights::ADD))),
        "add i32" => add(-5_i32, 3_i32),
        "add i64" => add(-5_i64, 3_i64),
        "add u8" => add(5_u8, 3_u8),
        "add u32" => add(5_u32, 3_u32),
        "add u64" => add(5_u64, 3_u64),
        "add u128" => add(U128::from(5), U128::from(3)),
        "add u256" => add(U256::from(5), U256::from(3)),
        "add u512" => add(U512::from(5), U512::from(3)),
        "add i32 over the maximum" => add(i32::MAX, 2_i32),
        "add i64 over the maximum" => add(i64::MAX, 2_i64),
        "add u64 over the maximum" => add(u64::MAX, 2_u64),
        "add u128 over the maximum" => add(U128::MAX, U128::from(2)),
        "add u256 over the maximum" => add(U256::MAX, U256::from(2)),
        "add u512 over the maximum" => add(U512::MAX, U512::from(2)),
        "add u64 to i32" => add(5_i32, 3_u64),
        "add i32 to u64" => add(5_u64, 3_i32),
        "add u32 to u64" => add(5_u64, 3_u32),
        "add i32 to i64" => add(5_i64, 3_i32),
        "add u64 to u512" => add(U512::from(5), 3_u64),
        "add a string" => add(String::from("5"), String::from("3")),
        "add a unit" => add((), ()),
        "add twice" => add_twice(),
        "add without access" => {
            add_to(Key::URef(storage::new_uref(1_u64).with_access_rights(AccessRights::READ)), 1_u64)
        }
        "add to a key" => add_to(argument("key"), 1_u64),
        "add a named key to a key" => add_to(argument("key"), (String::from("added"), argument::<Key>("value"))),
        "dictionary" => dictionary(),
        "dictionary item with a long key" => {
            let seed = storage::new_dictionary("long").unwrap_or_revert();
            dictionary_put_code(seed, &[b'x'; 129])
        }
        "dictionary item with a key that is not UTF-8" => {
            let seed = storage::new_dictionary("long").unwrap_or_revert();
            dictionary_put_code(seed, &[0xff, 0xfe])
        }
        "dictionary item without access" => {
            let seed = storage::new_dictionary("long").unwrap_or_revert();
            dictionary_put_code(seed.with_access_rights(AccessRights::READ), b"one")
        }
        "dictionary_read of a key" => {
            let key = bytes_of(argument::<Key>("key"));
            let mut size = 0_usize;
            status(unsafe { ext_ffi::casper_dictionary_read(key.as_ptr(), key.len(), &mut size) })
        }
        "dictionary item of another" => dictionary_put(argument("uref")),
        "dictionary with a name that exists" => {
            storage::new_dictionary("twice").unwrap_or_revert();
            outcome(storage::new_dictionary("twice").map(|_| ()))
        }
        "read_host_buffer when it is empty" => read_host_buffer(8),
        "read_host_buffer into too few bytes" => {
            let key = bytes_of(Key::URef(storage::new_uref(7_u64)));
            let mut size = 0_usize;
            let code = unsafe { ext_ffi::casper_read_value(key.as_ptr(), key.len(), &mut size) };
            [status(code), bytes_of(size as u32), read_host_buffer(size - 1), read_host_buffer(size)].concat()
        }
        _ => return None,
    })
}

fn write_and_read() -> Vec<u8> {
    let uref = storage::new_uref(7_u64);
    storage::write(uref, String::from("eight"));
    bytes_of(storage::read::<String>(uref).unwrap_or_revert())
}

fn read(key: Key) -> Vec<u8> {
    let key = bytes_of(key);
    let mut size = 0_usize;
    let code = unsafe { ext_ffi::casper_read_value(key.as_ptr(), key.len(), &mut size) };
    [status(code), bytes_of(size as u32)].concat()
}

fn write(key: Key) -> Vec<u8> {
    let key = bytes_of(key);
    let value = CLValue::from_t(8_u64).unwrap_or_revert().to_bytes().unwrap_or_revert();
    unsafe { ext_ffi::casper_write(key.as_ptr(), key.len(), value.as_ptr(), value.len()) };
    vec![]
}

fn add<T: CLTyped + ToBytes, U: CLTyped + ToBytes>(start: T, more: U) -> Vec<u8> {
    let uref = storage::new_uref(start);
    storage::add(uref, more);
    read(uref.into())
}

fn add_twice() -> Vec<u8> {
    let uref = storage::new_uref(1_u64);
    storage::add(uref, 1_u64);
    storage::add(uref, 1_u64);
    runtime::put_key("sum", uref.into());
    bytes_of(storage::read::<u64>(uref).unwrap_or_revert())
}

fn add_to<T: CLTyped + ToBytes>(key: Key, value: T) -> Vec<u8> {
    let key = bytes_of(key);
    let value = CLValue::from_t(value).unwrap_or_revert().to_bytes().unwrap_or_revert();
    unsafe { ext_ffi::casper_add(key.as_ptr(), key.len(), value.as_ptr(), value.len()) };
    vec![]
}

fn dictionary() -> Vec<u8> {
    let seed = storage::new_dictionary("dictionary").unwrap_or_revert();
    storage::dictionary_put(seed, "one", 1_u64);
    let item = Key::dictionary(seed, b"one");
    [
        bytes_of(storage::dictionary_get::<u64>(seed, "one").unwrap_or_revert()),
        bytes_of(storage::dictionary_get::<u64>(seed, "two").unwrap_or_revert()),
        bytes_of(storage::dictionary_read::<u64>(item).unwrap_or_revert()),
    ]
    .concat()
}

fn dictionary_put(seed: URef) -> Vec<u8> {
    storage::dictionary_put(seed, "one", 1_u64);
    vec![]
}

fn dictionary_put_code(seed: URef, item: &[u8]) -> Vec<u8> {
    let seed = bytes_of(seed);
    let value = CLValue::from_t(8_u64).unwrap_or_revert().to_bytes().unwrap_or_revert();
    status(unsafe {
        ext_ffi::casper_dictionary_put(
            seed.as_ptr(),
            seed.len(),
            item.as_ptr(),
            item.len(),
            value.as_ptr(),
            value.len(),
        )
    })
}

fn read_host_buffer(size: usize) -> Vec<u8> {
    let mut buffer = vec![0; size];
    let mut written = 0_usize;
    let code = unsafe { ext_ffi::casper_read_host_buffer(buffer.as_mut_ptr(), size, &mut written) };
    [status(code), bytes_of(written as u32)].concat()
}
