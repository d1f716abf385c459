//! The delivered wasm on the execution engine of a real node.
use casper_engine_test_support::{
    DeployItemBuilder, ExecuteRequestBuilder, LmdbWasmTestBuilder, ARG_AMOUNT, DEFAULT_ACCOUNT_ADDR,
    LOCAL_GENESIS_REQUEST,
};
use casper_types::account::AccountHash;
use casper_types::{runtime_args, RuntimeArgs, U512};
use wattfeed_committee::{Error, Keys};

/// An account on a chain of its own.
struct Chain {
    builder: LmdbWasmTestBuilder,
    sent: u8,
}

/// The account's own key.
fn own_key() -> [u8; 32] {
    DEFAULT_ACCOUNT_ADDR.value()
}

/// The account's own key and others, with weights.
fn keys(own: u8, others: &[u8]) -> Keys {
    let mut keys: Keys = others.iter().zip(1..).map(|(weight, number)| ([number; 32], *weight)).collect();
    if own > 0 {
        keys.push((own_key(), own));
    }
    keys.retain(|(_, weight)| *weight > 0);
    keys.sort();
    keys
}

fn change(current: &Keys, next: &Keys, recovery: Vec<[u8; 32]>, deployment: u8, key_management: u8) -> RuntimeArgs {
    runtime_args! {
        "current" => current.clone(),
        "next" => next.clone(),
        "recovery" => recovery,
        "deployment" => deployment,
        "key_management" => key_management,
    }
}

impl Chain {
    fn new() -> Self {
        let mut builder = LmdbWasmTestBuilder::default();
        builder.run_genesis(LOCAL_GENESIS_REQUEST.clone()).commit();
        Self { builder, sent: 0 }
    }

    /// Runs the session. Returns the engine's message if it fails.
    fn run(&mut self, signers: &Keys, args: RuntimeArgs) -> Result<(), String> {
        self.sent += 1;
        let wasm = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../wasm/Committee.wasm")).unwrap();
        let signers: Vec<_> = signers.iter().map(|(key, _)| AccountHash::new(*key)).collect();
        let item = DeployItemBuilder::new()
            .with_address(*DEFAULT_ACCOUNT_ADDR)
            .with_standard_payment(runtime_args! { ARG_AMOUNT => U512::from(5_000_000_000_u64) })
            .with_session_bytes(wasm, args)
            .with_authorization_keys(&signers)
            .with_deploy_hash([self.sent; 32])
            .build();
        self.builder.exec(ExecuteRequestBuilder::from_deploy_item(&item).build()).commit();
        self.builder.get_error_message().map_or(Ok(()), Err)
    }

    fn read(&self) -> (Keys, u8, u8) {
        let account = self.builder.get_account(*DEFAULT_ACCOUNT_ADDR).unwrap();
        let keys = account.associated_keys().iter().map(|(key, weight)| (key.value(), weight.value()));
        let thresholds = account.action_thresholds();
        (keys.collect(), thresholds.deployment().value(), thresholds.key_management().value())
    }

    fn gas(&self) -> U512 {
        self.builder.last_exec_gas_consumed().value()
    }
}

fn user_error(error: Error) -> Result<(), String> {
    Err(format!("User error: {}", error as u16))
}

#[test]
fn one_key_becomes_four_of_five_and_back() {
    let (one, five) = (keys(1, &[]), keys(1, &[1, 1, 1, 1]));
    let mut chain = Chain::new();
    assert_eq!(chain.run(&one, change(&one, &five, vec![], 4, 4)), Ok(()));
    assert_eq!(chain.read(), (five.clone(), 4, 4));
    println!("from 1 to 5 keys: {} motes", chain.gas());
    assert_eq!(chain.run(&keys(0, &[1, 1, 1, 1]), change(&five, &one, vec![], 1, 1)), Ok(()));
    assert_eq!(chain.read(), (one, 1, 1));
    println!("from 5 keys to 1: {} motes", chain.gas());
}

#[test]
fn keys_weights_and_thresholds_change() {
    let mut current = keys(1, &[]);
    let mut chain = Chain::new();
    for (next, deployment, key_management) in [
        (keys(2, &[1]), 2, 3),
        (keys(0, &[1, 1, 1]), 2, 3),
        (keys(0, &[3, 2, 1]), 4, 4),
        (keys(0, &[1, 2, 3]), 4, 6),
        (keys(0, &[0, 0, 0, 100, 100, 54]), 128, 254),
        (keys(0, &[0, 0, 0, 1, 2]), 2, 2),
    ] {
        let signers = current.clone();
        assert_eq!(chain.run(&signers, change(&current, &next, vec![], deployment, key_management)), Ok(()));
        assert_eq!(chain.read(), (next.clone(), deployment, key_management));
        current = next;
    }
}

#[test]
fn another_account_is_left_as_it_is() {
    let (one, account) = (keys(1, &[]), keys(3, &[2, 1]));
    let mut chain = Chain::new();
    assert_eq!(chain.run(&one, change(&one, &account, vec![], 4, 5)), Ok(()));
    for current in [
        keys(0, &[]),
        keys(3, &[2]),
        keys(3, &[2, 1, 1]),
        keys(3, &[2, 0, 1]),
        keys(2, &[2, 1]),
        keys(3, &[2, 2]),
        keys(2, &[3, 1]),
        keys(3, &[3]),
        keys(3, &[1, 1, 1]),
        keys(1, &[]),
    ] {
        let args = change(&current, &one, vec![], 1, 1);
        assert_eq!(chain.run(&account, args), user_error(Error::AccountDiffers), "{current:?}");
        assert_eq!(chain.read(), (account.clone(), 4, 5));
    }
}

#[test]
fn unsafe_changes_and_light_signatures_are_refused() {
    let (one, five) = (keys(1, &[]), keys(1, &[1, 1, 1, 1]));
    let mut chain = Chain::new();
    for (next, deployment, key_management, error) in [
        (keys(200, &[55]), 200, 200, Error::TooHeavy),
        (keys(1, &[]), 2, 1, Error::ThresholdsReversed),
        (five.clone(), 3, 6, Error::UnreachableThreshold),
        (keys(1, &[1, 1, 1]), 2, 2, Error::DisjointQuorums),
    ] {
        let args = change(&one, &next, vec![], deployment, key_management);
        assert_eq!(chain.run(&one, args), user_error(error));
        assert_eq!(chain.read(), (one.clone(), 1, 1));
    }
    assert_eq!(chain.run(&one, change(&one, &five, vec![], 3, 4)), Ok(()));
    let back = change(&five, &one, vec![], 1, 1);
    assert_eq!(chain.run(&keys(0, &[1, 1, 1]), back.clone()), user_error(Error::SignersTooLight));
    let refused = "Tracking copy error: Deployment authorization failure".to_string();
    assert_eq!(chain.run(&keys(0, &[1, 1]), back.clone()), Err(refused));
    let foreign = "Tracking copy error: Authorization error".to_string();
    assert_eq!(chain.run(&keys(0, &[0, 0, 0, 0, 1]), back.clone()), Err(foreign));
    assert_eq!(chain.read(), (five, 3, 4));
    // A foreign key beside enough others does no harm.
    assert_eq!(chain.run(&keys(1, &[1, 1, 1, 0, 1]), back), Ok(()));
}
