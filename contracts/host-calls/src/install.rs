//! Installs this module as a contract, in every way that there is.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    string::{String, ToString},
    vec,
    vec::Vec,
};

use casper_contract::{
    contract_api::{runtime, storage},
    ext_ffi,
    unwrap_or_revert::UnwrapOrRevert,
};
use casper_types::{
    bytesrepr::ToBytes,
    contract_messages::MessageTopicOperation,
    contracts::{
        ContractHash, ContractPackageHash, EntryPoint as OldEntryPoint, EntryPoints as OldEntryPoints, NamedKeys,
    },
    CLType, EntityEntryPoint, EntryPointAccess, EntryPointPayment, EntryPointType, EntryPoints, Key,
};

use crate::bytes::{argument, bytes_of, status};

fn entry_point(name: &str, access: EntryPointAccess) -> EntityEntryPoint {
    EntityEntryPoint::new(name, vec![], CLType::Any, access, EntryPointType::Called, EntryPointPayment::Caller)
}

fn entry_points() -> EntryPoints {
    let mut all = EntryPoints::new();
    all.add_entry_point(entry_point("run", EntryPointAccess::Public));
    all.add_entry_point(entry_point("relay", EntryPointAccess::Public));
    all.add_entry_point(entry_point("guarded", EntryPointAccess::groups(&["members"])));
    all
}

fn topics(name: String) -> BTreeMap<String, MessageTopicOperation> {
    BTreeMap::from([(name, MessageTopicOperation::Add)])
}

/// Keeps what a later transaction asks for under the name of the package.
fn keep(name: &str, hash: ContractHash, package: ContractPackageHash) {
    runtime::put_key(name, Key::Hash(hash.value()));
    runtime::put_key(&(name.to_string() + " package"), Key::Hash(package.value()));
}

pub fn install(name: &str) -> Vec<u8> {
    let (package, access) = storage::create_contract_package_at_hash();
    let members = storage::create_contract_user_group(package, "members", 1, BTreeSet::new()).unwrap_or_revert();
    runtime::put_key(&(name.to_string() + " membership"), members[0].into());
    runtime::put_key(&(name.to_string() + " access"), access.into());
    let (hash, version) =
        storage::add_contract_version(package, entry_points(), NamedKeys::new(), topics("news".to_string()));
    keep(name, hash, package);
    bytes_of(version)
}

/// Installs one more entry point, of an unusual kind.
pub fn install_entry_point(name: &str) -> Vec<u8> {
    let access = match argument("access") {
        0_u8 => EntryPointAccess::Public,
        1 => EntryPointAccess::Template,
        _ => EntryPointAccess::groups(&["nobody"]),
    };
    let kind = match argument("kind") {
        0_u8 => EntryPointType::Caller,
        1 => EntryPointType::Called,
        _ => EntryPointType::Factory,
    };
    let function: String = argument("function");
    let mut all = entry_points();
    all.add_entry_point(EntityEntryPoint::new(function, vec![], CLType::Any, access, kind, EntryPointPayment::Caller));
    let (package, _) = storage::create_contract_package_at_hash();
    storage::create_contract_user_group(package, "members", 0, BTreeSet::new()).unwrap_or_revert();
    let (hash, version) = storage::add_contract_version(package, all, NamedKeys::new(), BTreeMap::new());
    keep(name, hash, package);
    bytes_of(version)
}

/// Installs a contract with a named key of someone else.
pub fn install_named_key(name: &str) -> Vec<u8> {
    let mut keys = NamedKeys::new();
    keys.insert("given".to_string(), argument("key"));
    let (hash, version) = storage::new_contract(entry_points(), Some(keys), None, None, None);
    runtime::put_key(name, Key::Hash(hash.value()));
    bytes_of(version)
}

pub fn new_contract(name: &str) -> Vec<u8> {
    let access_name = Some(name.to_string() + " access");
    let package_name = Some(name.to_string() + " package");
    let (hash, version) = storage::new_contract(entry_points(), None, package_name, access_name, None);
    runtime::put_key(name, Key::Hash(hash.value()));
    bytes_of(version)
}

pub fn new_locked_contract(name: &str) -> Vec<u8> {
    let access_name = Some(name.to_string() + " access");
    let package_name = Some(name.to_string() + " package");
    let (hash, version) = storage::new_locked_contract(entry_points(), None, package_name, access_name, None);
    runtime::put_key(name, Key::Hash(hash.value()));
    bytes_of(version)
}

/// Adds a version with `casper_add_contract_version_with_message_topics`.
pub fn add_version() -> Vec<u8> {
    let (hash, version) =
        storage::add_contract_version(argument("package"), entry_points(), kept_keys(), topics(argument("topic")));
    runtime::put_key(&argument::<String>("name"), Key::Hash(hash.value()));
    bytes_of(version)
}

fn kept_keys() -> NamedKeys {
    let mut keys = NamedKeys::new();
    keys.insert("own number".to_string(), storage::new_uref(5_u64).into());
    keys
}

/// Adds a version with `casper_add_contract_version`, which has no topics and takes the entry points of Casper 1.
pub fn add_version_without_topics() -> Vec<u8> {
    let package = bytes_of(argument::<ContractPackageHash>("package"));
    let mut entry_points = OldEntryPoints::new();
    let access = EntryPointAccess::Public;
    entry_points.add_entry_point(OldEntryPoint::new("run", vec![], CLType::Any, access, EntryPointType::Called));
    let entry_points = entry_points.to_bytes().unwrap_or_revert();
    let named_keys = kept_keys().to_bytes().unwrap_or_revert();
    let (mut version, mut written, mut output) = (0_u32, 0_usize, [0_u8; 32]);
    let code = unsafe {
        ext_ffi::casper_add_contract_version(
            package.as_ptr(),
            package.len(),
            &mut version,
            entry_points.as_ptr(),
            entry_points.len(),
            named_keys.as_ptr(),
            named_keys.len(),
            output.as_mut_ptr(),
            output.len(),
            &mut written,
        )
    };
    runtime::put_key(&argument::<String>("name"), Key::Hash(output));
    [status(code), bytes_of(version), bytes_of(written as u32)].concat()
}

/// Adds a version with `casper_add_package_version_with_message_topics`.
pub fn add_package_version() -> Vec<u8> {
    let package = bytes_of(argument::<ContractPackageHash>("package"));
    let entry_points = entry_points().to_bytes().unwrap_or_revert();
    let named_keys = kept_keys().to_bytes().unwrap_or_revert();
    let topics = topics(argument("topic")).to_bytes().unwrap_or_revert();
    let (mut version, mut output) = (0_u32, [0_u8; 32]);
    let code = unsafe {
        ext_ffi::casper_add_package_version_with_message_topics(
            package.as_ptr(),
            package.len(),
            &mut version,
            entry_points.as_ptr(),
            entry_points.len(),
            named_keys.as_ptr(),
            named_keys.len(),
            topics.as_ptr(),
            topics.len(),
            output.as_mut_ptr(),
            output.len(),
        )
    };
    runtime::put_key(&argument::<String>("name"), Key::Hash(output));
    [status(code), bytes_of(version)].concat()
}
