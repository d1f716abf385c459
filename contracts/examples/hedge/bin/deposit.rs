//! Session code that deposits motes in the hedge: a payable call of Odra takes them from a purse, which only the sender's own code can fill.
//!
//! Arguments: `hedge`, the package (ByteArray(32)); `amount`, the motes (U512). A session cannot spend more than an argument of this name.
#![cfg_attr(target_arch = "wasm32", no_std, no_main)]

#[cfg(target_arch = "wasm32")]
mod session {
    use casper_contract::contract_api::{account, runtime, system};
    use casper_contract::unwrap_or_revert::UnwrapOrRevert;
    use casper_types::{contracts::ContractPackageHash, runtime_args, U512};
    use ink_allocator as _;

    #[no_mangle]
    pub extern "C" fn call() {
        let hedge: ContractPackageHash = runtime::get_named_arg("hedge");
        let amount: U512 = runtime::get_named_arg("amount");
        let purse = system::create_purse();
        system::transfer_from_purse_to_purse(account::get_main_purse(), purse, amount, None).unwrap_or_revert();
        runtime::call_versioned_contract::<()>(hedge, None, "deposit", runtime_args! { "cargo_purse" => purse });
    }

    #[panic_handler]
    fn abort(_: &core::panic::PanicInfo) -> ! {
        core::arch::wasm32::unreachable()
    }
}

/// Cargo builds every bin for the integration tests, for the host too.
#[cfg(not(target_arch = "wasm32"))]
fn main() {}
