//! Direct access to the dictionary that holds a contract's fields.
//!
//! Odra stores every field of a contract as an item of one dictionary. For each access, its `Var` and `Mapping` hash the
//! item's key again and serialize values byte by byte. Here the key is hashed once and the bytes are copied.
//! Both find the same items.
//!
//! Items of another contract can be read as well, without the flat price of a call. The engine does not restrict reads
//! of dictionary items, and their addresses follow from the dictionary's seed. Off chain, in OdraVM, there is
//! no such read and no seed.
use odra::casper_types::bytesrepr::{Bytes, ToBytes};
use odra::prelude::*;
use odra::ContractEnv;

#[cfg(not(target_arch = "wasm32"))]
pub use off_chain::*;
#[cfg(target_arch = "wasm32")]
pub use on_chain::*;

const HEX_DIGITS: &[u8; 16] = b"0123456789abcdef";

/// The key of an item: hex of a hash over the field's number and the mapping's key.
pub struct ItemKey(String);

impl ItemKey {
    /// `field` counts from 1 in the order of declaration.
    pub fn new<K: ToBytes>(env: &ContractEnv, field: u32, key: &K) -> Self {
        let mut preimage = field.to_be_bytes().to_vec();
        key.write_bytes(&mut preimage).unwrap_or_revert(env);
        Self(encode_hex(&env.hash(preimage)))
    }
}

/// The stored bytes of a value.
pub fn encode<T: ToBytes>(env: &ContractEnv, value: &T) -> Bytes {
    Bytes::from(value.to_bytes().unwrap_or_revert(env))
}

fn encode_hex(bytes: &[u8]) -> String {
    let mut hex = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        hex.push(char::from(HEX_DIGITS[usize::from(byte >> 4)]));
        hex.push(char::from(HEX_DIGITS[usize::from(byte & 15)]));
    }
    hex
}

#[cfg(target_arch = "wasm32")]
mod on_chain {
    use super::ItemKey;
    use odra::casper_event_standard::{EVENTS_DICT, EVENTS_LENGTH};
    use odra::casper_types::bytesrepr::{Bytes, FromBytes, ToBytes};
    use odra::casper_types::{Key, URef};
    use odra::odra_casper_wasm_env::casper_contract::contract_api::{runtime, storage};
    use odra::prelude::*;
    use odra::ContractEnv;

    /// Returns this contract's dictionary.
    pub struct State {
        env: ContractEnv,
        seed: URef,
    }

    impl State {
        pub fn new(env: &ContractEnv) -> Self {
            Self { env: env.clone(), seed: named_uref(env, "state") }
        }

        pub fn get<T: FromBytes>(&self, key: &ItemKey) -> Option<T> {
            let bytes = self.get_bytes(key)?;
            Some(T::from_bytes(&bytes).unwrap_or_revert(&self.env).0)
        }

        pub fn has(&self, key: &ItemKey) -> bool {
            self.get_bytes(key).is_some()
        }

        pub fn set(&self, key: &ItemKey, value: Bytes) {
            storage::dictionary_put(self.seed, &key.0, value);
        }

        fn get_bytes(&self, key: &ItemKey) -> Option<Bytes> {
            storage::dictionary_get(self.seed, &key.0).unwrap_or_revert(&self.env)
        }
    }

    /// Returns the seed of this contract's dictionary.
    pub fn own_seed(env: &ContractEnv) -> Option<[u8; 32]> {
        Some(named_uref(env, "state").addr())
    }

    /// Returns an item of any contract's dictionary.
    pub fn read_item(env: &ContractEnv, seed: [u8; 32], key: &ItemKey) -> Option<Bytes> {
        let mut address = seed.to_vec();
        address.extend_from_slice(key.0.as_bytes());
        let item = storage::dictionary_read(Key::Dictionary(env.hash(address)));
        item.unwrap_or_else(|_| env.revert(ExecutionError::Formatting))
    }

    /// Appends to the event log. Reads and writes the log's length once for all events.
    pub fn emit_all<T: ToBytes>(env: &ContractEnv, events: Vec<T>) {
        let seed = named_uref(env, EVENTS_DICT);
        let length = named_uref(env, EVENTS_LENGTH);
        let first: u32 = read(env, length);
        let mut next = first;
        for event in &events {
            storage::dictionary_put(seed, &next.to_string(), super::encode(env, event));
            next += 1;
        }
        storage::write(length, next);
    }

    fn read(env: &ContractEnv, uref: URef) -> u32 {
        storage::read(uref).ok().flatten().unwrap_or_revert_with(env, ExecutionError::KeyNotFound)
    }

    fn named_uref(env: &ContractEnv, name: &str) -> URef {
        let key = runtime::get_key(name).and_then(Key::into_uref);
        key.unwrap_or_revert_with(env, ExecutionError::KeyNotFound)
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod off_chain {
    use super::ItemKey;
    use odra::casper_event_standard::EventInstance;
    use odra::casper_types::bytesrepr::{self, Bytes, FromBytes, ToBytes};
    use odra::casper_types::{CLType, CLTyped};
    use odra::prelude::*;
    use odra::ContractEnv;

    /// Returns this contract's dictionary.
    pub struct State {
        env: ContractEnv,
    }

    impl State {
        pub fn new(env: &ContractEnv) -> Self {
            Self { env: env.clone() }
        }

        pub fn get<T: FromBytes>(&self, key: &ItemKey) -> Option<T> {
            self.env.get_value(key.0.as_bytes())
        }

        pub fn has(&self, key: &ItemKey) -> bool {
            self.get::<Verbatim>(key).is_some()
        }

        pub fn set(&self, key: &ItemKey, value: Bytes) {
            self.env.set_value(key.0.as_bytes(), Verbatim(value));
        }
    }

    /// Returns the seed of this contract's dictionary: none off chain.
    pub fn own_seed(_env: &ContractEnv) -> Option<[u8; 32]> {
        None
    }

    /// Returns an item of any contract's dictionary.
    pub fn read_item(_env: &ContractEnv, _seed: [u8; 32], _key: &ItemKey) -> Option<Bytes> {
        unreachable!("there is no seed off chain")
    }

    /// Appends to the event log.
    pub fn emit_all<T: ToBytes + EventInstance>(env: &ContractEnv, events: Vec<T>) {
        for event in events {
            env.emit_event(event);
        }
    }

    /// Bytes that are stored unchanged, without a length.
    struct Verbatim(Bytes);

    impl ToBytes for Verbatim {
        fn to_bytes(&self) -> Result<Vec<u8>, bytesrepr::Error> {
            Ok(self.0.to_vec())
        }

        fn serialized_length(&self) -> usize {
            self.0.len()
        }
    }

    impl FromBytes for Verbatim {
        fn from_bytes(bytes: &[u8]) -> Result<(Self, &[u8]), bytesrepr::Error> {
            Ok((Self(Bytes::from(bytes)), &[]))
        }
    }

    impl CLTyped for Verbatim {
        fn cl_type() -> CLType {
            CLType::Any
        }
    }
}
