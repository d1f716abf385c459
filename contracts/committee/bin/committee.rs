//! The session: reads its arguments and changes the keys of the account that sends it.
#![cfg_attr(target_arch = "wasm32", no_std, no_main)]

#[cfg(target_arch = "wasm32")]
mod session {
    use casper_contract::contract_api::{account, runtime};
    use casper_types::account::{
        AccountHash, ActionType, AddKeyFailure, RemoveKeyFailure, SetThresholdFailure, UpdateKeyFailure, Weight,
    };
    use ink_allocator as _;
    use wattfeed_committee::{change_keys, AccountKeys, KeyChange};

    struct SessionAccount;

    impl AccountKeys for SessionAccount {
        fn add(&mut self, key: [u8; 32], weight: u8) -> Result<(), AddKeyFailure> {
            account::add_associated_key(AccountHash::new(key), Weight::new(weight))
        }

        fn update(&mut self, key: [u8; 32], weight: u8) -> Result<(), UpdateKeyFailure> {
            account::update_associated_key(AccountHash::new(key), Weight::new(weight))
        }

        fn remove(&mut self, key: [u8; 32]) -> Result<(), RemoveKeyFailure> {
            account::remove_associated_key(AccountHash::new(key))
        }

        fn set_threshold(&mut self, action: ActionType, threshold: u8) -> Result<(), SetThresholdFailure> {
            account::set_action_threshold(action, Weight::new(threshold))
        }
    }

    #[no_mangle]
    pub extern "C" fn call() {
        let change = KeyChange {
            current: runtime::get_named_arg("current"),
            next: runtime::get_named_arg("next"),
            recovery: runtime::get_named_arg("recovery"),
            deployment: runtime::get_named_arg("deployment"),
            key_management: runtime::get_named_arg("key_management"),
        };
        if let Err(error) = change_keys(&mut SessionAccount, &change) {
            runtime::revert(error);
        }
    }

    #[panic_handler]
    fn panic(_: &core::panic::PanicInfo) -> ! {
        core::arch::wasm32::unreachable()
    }
}

/// Cargo builds every bin for the tests, for the host too.
#[cfg(not(target_arch = "wasm32"))]
fn main() {}
