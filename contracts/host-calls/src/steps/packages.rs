//! Packages, their versions, groups and message topics.

use alloc::{collections::BTreeSet, string::String, vec, vec::Vec};

use casper_contract::contract_api::{runtime, storage};
use casper_types::{
    contract_messages::{MessagePayload, MessageTopicOperation},
    contracts::{ContractHash, ContractPackageHash},
    URef,
};

use crate::{
    bytes::{argument, bytes_of, outcome},
    install,
};

pub fn run(step: &str) -> Option<Vec<u8>> {
    Some(match step {
        "install" => install::install(&argument::<String>("name")),
        "install an entry point" => install::install_entry_point(&argument::<String>("name")),
        "install a named key" => install::install_named_key(&argument::<String>("name")),
        "new_contract" => install::new_contract(&argument::<String>("name")),
        "new_locked_contract" => install::new_locked_contract(&argument::<String>("name")),
        "create_contract_package_at_hash" => bytes_of(storage::create_contract_package_at_hash()),
        "add_contract_version_with_message_topics" => install::add_version(),
        "add_contract_version" => install::add_version_without_topics(),
        "add_package_version_with_message_topics" => install::add_package_version(),
        "disable_contract_version" => outcome(storage::disable_contract_version(package(), contract())),
        "enable_contract_version" => outcome(storage::enable_contract_version(package(), contract())),
        "create_contract_user_group" => {
            outcome(storage::create_contract_user_group(package(), &label(), 2, BTreeSet::new()).map(|_| ()))
        }
        "create_contract_user_group of a URef" => {
            let uref = storage::new_uref(());
            outcome(storage::create_contract_user_group(package(), &label(), 0, BTreeSet::from([uref])).map(|_| ()))
        }
        "create_contract_user_group of too many URefs" => {
            outcome(storage::create_contract_user_group(package(), &label(), 255, BTreeSet::new()).map(|_| ()))
        }
        "create_contract_user_group many times" => {
            let create = |index: u8| {
                let label = label() + char::from(b'a' + index).encode_utf8(&mut [0; 4]);
                storage::create_contract_user_group(package(), &label, argument("urefs"), BTreeSet::new())
            };
            outcome((0..argument("count")).try_for_each(|index| create(index).map(|_| ())))
        }
        "manage_message_topic many times" => {
            let add = |index: u8| {
                let topic = argument::<String>("topic") + char::from(index).encode_utf8(&mut [0; 4]);
                runtime::manage_message_topic(&topic, MessageTopicOperation::Add)
            };
            outcome((0..argument("count")).try_for_each(add))
        }
        "provision_contract_user_group_uref" => {
            let uref = storage::provision_contract_user_group_uref(package(), &label());
            if let Ok(uref) = uref {
                runtime::put_key("provisioned", uref.into());
            }
            outcome(uref.map(|_| ()))
        }
        "remove_contract_user_group_urefs" => {
            let urefs = BTreeSet::from([argument::<URef>("uref")]);
            outcome(storage::remove_contract_user_group_urefs(package(), &label(), urefs))
        }
        "remove_contract_user_group" => outcome(storage::remove_contract_user_group(package(), &label())),
        "manage_message_topic" => {
            outcome(runtime::manage_message_topic(&argument::<String>("topic"), MessageTopicOperation::Add))
        }
        "emit_message" => emit(),
        "emit three messages" => {
            emit();
            emit();
            emit()
        }
        "emit a long message" => {
            let message = MessagePayload::String("x".repeat(argument::<u32>("size") as usize));
            outcome(runtime::emit_message(&argument::<String>("topic"), &message))
        }
        "emit a message of bytes" => {
            let message = MessagePayload::Bytes(vec![1, 2, 3].into());
            outcome(runtime::emit_message(&argument::<String>("topic"), &message))
        }
        _ => return None,
    })
}

fn package() -> ContractPackageHash {
    argument("package")
}

fn contract() -> ContractHash {
    argument("contract")
}

fn label() -> String {
    argument("label")
}

fn emit() -> Vec<u8> {
    outcome(runtime::emit_message(&argument::<String>("topic"), &MessagePayload::String("news".into())))
}
