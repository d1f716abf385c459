//! Reads items of another contract's dictionary without the flat price of a call.
//!
//! Odra stores every field of a contract as an item of one dictionary. The engine does not restrict reads of dictionary items,
//! and their addresses follow from the dictionary's seed. Off chain, in OdraVM, there is no such read.
use odra::casper_types::bytesrepr::{FromBytes, ToBytes};
use odra::prelude::*;

/// Returns an item of a contract's dictionary; none if there is none, or its bytes are not a `T`.
///
/// `field` counts from 1 in the order of declaration, and `key` is that of the mapping.
#[cfg(target_arch = "wasm32")]
pub(crate) fn read<T: FromBytes>(env: &ContractEnv, seed: [u8; 32], field: u32, key: &impl ToBytes) -> Option<T> {
    use odra::casper_types::bytesrepr::{deserialize_from_slice, Bytes};
    use odra::casper_types::Key;
    use odra::odra_casper_wasm_env::casper_contract::contract_api::storage;

    let mut address = seed.to_vec();
    address.extend_from_slice(item_key(env, field, key).as_bytes());
    let item: Option<Bytes> = storage::dictionary_read(Key::Dictionary(env.hash(address))).ok()?;
    deserialize_from_slice(item?).ok()
}

/// Returns nothing: off chain there is no such read.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn read<T: FromBytes>(_env: &ContractEnv, _seed: [u8; 32], _field: u32, _key: &impl ToBytes) -> Option<T> {
    None
}

/// Hex of a hash over the field's number and the mapping's key.
#[cfg(target_arch = "wasm32")]
fn item_key(env: &ContractEnv, field: u32, key: &impl ToBytes) -> String {
    const HEX_DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut preimage = field.to_be_bytes().to_vec();
    key.write_bytes(&mut preimage).unwrap_or_revert(env);
    let hash = env.hash(preimage);
    let digits = hash.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(HEX_DIGITS[usize::from(digit)])).collect()
}
