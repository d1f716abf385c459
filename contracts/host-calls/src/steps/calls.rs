//! Calls of contracts, the system's among them.

use alloc::{string::String, vec, vec::Vec};

use casper_contract::{
    contract_api::{runtime, storage},
    ext_ffi,
    unwrap_or_revert::UnwrapOrRevert,
};
use casper_types::{
    account::AccountHash,
    bytesrepr::Bytes,
    contracts::{ContractHash, ContractPackageHash},
    runtime_args, AccessRights, Key, RuntimeArgs, URef, U512,
};

use crate::bytes::{argument, bytes_of, status};

pub fn run(step: &str) -> Option<Vec<u8>> {
    Some(match step {
        "call_contract" => bytes_of(runtime::call_contract::<Vec<u8>>(argument("contract"), &entry_point(), inner())),
        "call_versioned_contract" => {
            let package: ContractPackageHash = argument("package");
            bytes_of(runtime::call_versioned_contract::<Vec<u8>>(package, argument("version"), &entry_point(), inner()))
        }
        "call_package_version" => {
            let package: ContractPackageHash = argument("package");
            let [major, version] = ["major", "version"].map(argument);
            bytes_of(runtime::call_package_version::<Vec<u8>>(package, major, version, &entry_point(), inner()))
        }
        "relay" => {
            let path: Vec<ContractHash> = argument("path");
            let args = runtime_args! { "path" => path[1..].to_vec(), "step" => argument::<String>("inner") };
            runtime::call_contract(path[0], "relay", args)
        }
        "call a contract with a URef" => {
            let args = runtime_args! { "step" => argument::<String>("inner"), "uref" => argument::<URef>("uref") };
            runtime::call_contract(argument("contract"), "run", args)
        }
        "call a contract with a purse" => {
            let args = runtime_args! {
                "step" => argument::<String>("inner"),
                "source" => argument::<URef>("source"),
                "purse" => argument::<URef>("source"),
                "account" => argument::<AccountHash>("account"),
                "motes" => argument::<U512>("motes"),
                "id" => None::<u64>,
            };
            runtime::call_contract(argument("contract"), "run", args)
        }
        "write to a URef that a contract returned" => {
            let args = runtime_args! { "step" => "ret a URef" };
            let returned: URef = runtime::call_contract(argument("contract"), "run", args);
            storage::write(returned, 9_u64);
            bytes_of(returned)
        }
        "write to a URef from the caller" => {
            storage::write(argument("uref"), 9_u64);
            vec![]
        }
        "call a contract with a new URef" => {
            let uref =
                storage::new_uref(7_u64).with_access_rights(AccessRights::from_bits_truncate(argument("rights")));
            let args = runtime_args! { "step" => "write to a URef from the caller", "uref" => uref };
            runtime::call_contract(argument("contract"), "run", args)
        }
        "call a contract with an empty name" => raw_call(argument("contract"), "", RuntimeArgs::new()),
        "get_system_contract into too few bytes" => {
            let mut output = vec![0_u8; 31];
            status(unsafe { ext_ffi::casper_get_system_contract(0, output.as_mut_ptr(), output.len()) })
        }
        "get_system_contract" => get_system_contract(argument("index")),
        "mint balance" => mint("balance", runtime_args! { "purse" => argument::<URef>("purse") }),
        "mint create" => bytes_of(runtime::call_contract::<URef>(mint_hash(), "create", RuntimeArgs::new())),
        "mint total_supply" => {
            bytes_of(runtime::call_contract::<U512>(mint_hash(), "total_supply", RuntimeArgs::new()))
        }
        "mint read_base_round_reward" => mint("read_base_round_reward", RuntimeArgs::new()),
        "mint mint" => mint("mint", runtime_args! { "amount" => U512::from(7) }),
        "mint mint_into_existing_purse" => mint(
            "mint_into_existing_purse",
            runtime_args! { "amount" => U512::from(7), "purse" => argument::<URef>("purse") },
        ),
        "mint reduce_total_supply" => mint("reduce_total_supply", runtime_args! { "amount" => U512::from(7) }),
        "mint burn of a purse of its own" => {
            let purse = runtime::get_key("purse of a contract").and_then(Key::into_uref).unwrap_or_revert();
            mint("burn", runtime_args! { "purse" => purse, "amount" => argument::<U512>("motes") })
        }
        "mint burn" => {
            mint("burn", runtime_args! { "purse" => argument::<URef>("purse"), "amount" => argument::<U512>("motes") })
        }
        "mint transfer" => mint(
            "transfer",
            runtime_args! {
                "to" => argument::<Option<AccountHash>>("to"),
                "source" => argument::<URef>("source"),
                "target" => argument::<URef>("target"),
                "amount" => argument::<U512>("motes"),
                "id" => argument::<Option<u64>>("id"),
            },
        ),
        "mint no such entry point" => mint("no_such_entry_point", RuntimeArgs::new()),
        "handle_payment get_payment_purse" => handle_payment("get_payment_purse"),
        "handle_payment get_refund_purse" => handle_payment("get_refund_purse"),
        "handle_payment set_refund_purse" => {
            raw_call(system_hash(1), "set_refund_purse", runtime_args! { "purse" => argument::<URef>("purse") })
        }
        "standard_payment pay" => raw_call(system_hash(2), "pay", runtime_args! { "amount" => U512::from(7) }),
        _ => return None,
    })
}

fn entry_point() -> String {
    argument("entry_point")
}

fn inner() -> RuntimeArgs {
    runtime_args! { "step" => argument::<String>("inner") }
}

fn get_system_contract(index: u32) -> Vec<u8> {
    let mut output = vec![0_u8; 32];
    let code = unsafe { ext_ffi::casper_get_system_contract(index, output.as_mut_ptr(), output.len()) };
    [status(code), output].concat()
}

fn system_hash(index: u32) -> ContractHash {
    let mut output = [0_u8; 32];
    unsafe { ext_ffi::casper_get_system_contract(index, output.as_mut_ptr(), output.len()) };
    ContractHash::new(output)
}

fn mint_hash() -> ContractHash {
    system_hash(0)
}

fn mint(name: &str, args: RuntimeArgs) -> Vec<u8> {
    raw_call(mint_hash(), name, args)
}

fn handle_payment(name: &str) -> Vec<u8> {
    raw_call(system_hash(1), name, RuntimeArgs::new())
}

/// Calls a contract and returns the bytes of whatever it returns.
fn raw_call(contract: ContractHash, name: &str, args: RuntimeArgs) -> Vec<u8> {
    let [contract, name, args] = [bytes_of(contract), bytes_of(String::from(name)), bytes_of(args)];
    let mut size = 0_usize;
    let code = unsafe {
        ext_ffi::casper_call_contract(
            contract.as_ptr(),
            contract.len(),
            name.as_ptr(),
            name.len(),
            args.as_ptr(),
            args.len(),
            &mut size,
        )
    };
    let (mut buffer, mut written) = (vec![0_u8; size], 0_usize);
    if size > 0 {
        unsafe { ext_ffi::casper_read_host_buffer(buffer.as_mut_ptr(), size, &mut written) };
    }
    [status(code), bytes_of(Bytes::from(buffer))].concat()
}
