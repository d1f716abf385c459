//! Compares changes on the account of casper-types, which the chain's engine uses, with what they should result in.
use crate::rules::{check, total_weight, weight_in};
use crate::{change_keys, AccountKeys, Error, KeyChange, Keys};
use casper_types::account::{
    Account, AccountHash, ActionThresholds, ActionType, AddKeyFailure, AssociatedKeys, RemoveKeyFailure,
    SetThresholdFailure, UpdateKeyFailure, Weight,
};
use casper_types::contracts::NamedKeys;
use casper_types::{AccessRights, URef};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// A session of an account, with the checks of casper-execution-engine 8.1.1 around the account's own.
struct Session {
    at_start: Account,
    account: Account,
    signers: BTreeSet<AccountHash>,
}

const MAX_KEYS: usize = 100;

impl Session {
    fn is_signed(&self) -> bool {
        self.at_start.can_manage_keys_with(&self.signers)
    }
}

impl AccountKeys for Session {
    fn add(&mut self, key: [u8; 32], weight: u8) -> Result<(), AddKeyFailure> {
        if !self.is_signed() {
            return Err(AddKeyFailure::PermissionDenied);
        }
        if self.account.associated_keys().len() >= MAX_KEYS {
            return Err(AddKeyFailure::MaxKeysLimit);
        }
        self.account.add_associated_key(AccountHash::new(key), Weight::new(weight))
    }

    fn update(&mut self, key: [u8; 32], weight: u8) -> Result<(), UpdateKeyFailure> {
        if !self.is_signed() {
            return Err(UpdateKeyFailure::PermissionDenied);
        }
        self.account.update_associated_key(AccountHash::new(key), Weight::new(weight))
    }

    fn remove(&mut self, key: [u8; 32]) -> Result<(), RemoveKeyFailure> {
        if !self.is_signed() {
            return Err(RemoveKeyFailure::PermissionDenied);
        }
        self.account.remove_associated_key(AccountHash::new(key))
    }

    fn set_threshold(&mut self, action: ActionType, threshold: u8) -> Result<(), SetThresholdFailure> {
        if !self.is_signed() {
            return Err(SetThresholdFailure::PermissionDeniedError);
        }
        self.account.set_action_threshold(action, Weight::new(threshold))
    }
}

fn account(keys: &Keys, deployment: u8, key_management: u8) -> Account {
    let keys: BTreeMap<_, _> =
        keys.iter().map(|(key, weight)| (AccountHash::new(*key), Weight::new(*weight))).collect();
    let thresholds = ActionThresholds::new(Weight::new(deployment), Weight::new(key_management)).unwrap();
    let purse = URef::new([0; 32], AccessRights::READ_ADD_WRITE);
    Account::new(AccountHash::new([1; 32]), NamedKeys::new(), purse, AssociatedKeys::from(keys), thresholds)
}

/// Runs the session with signatures of all keys of the account.
fn run(at_start: &Account, change: &KeyChange) -> (Result<(), Error>, Account) {
    let signers = at_start.associated_keys().iter().map(|(key, _)| *key).collect();
    let mut session = Session { at_start: at_start.clone(), account: at_start.clone(), signers };
    let result = change_keys(&mut session, change);
    (result, session.account)
}

/// Keys from a small set, so that two sets often have common keys.
fn keys(least: u8) -> impl Strategy<Value = Keys> {
    let weight = prop_oneof![4 => least..=4, 1 => least..=120];
    prop::collection::btree_map((0..8_u8).prop_map(|key| [key; 32]), weight, 0..8)
        .prop_map(|keys| keys.into_iter().collect())
}

fn exact_total(keys: &Keys) -> u32 {
    keys.iter().map(|(_, weight)| u32::from(*weight)).sum()
}

/// An account whose keys reach its thresholds.
fn accounts() -> impl Strategy<Value = (Keys, Account)> {
    (keys(0), any::<[u8; 2]>())
        .prop_filter("an account has keys with weight", |(keys, _)| exact_total(keys) > 0)
        .prop_map(|(keys, [one, other])| {
            let total = exact_total(&keys).min(255) as u8;
            let key_management = one % total + 1;
            let deployment = other % key_management + 1;
            (keys.clone(), account(&keys, deployment, key_management))
        })
}

/// A change to keys and thresholds, half of them safe.
fn targets() -> impl Strategy<Value = KeyChange> {
    (keys(1), keys(1), any::<[u8; 2]>(), any::<bool>()).prop_map(|(next, recovery, [one, other], is_safe)| {
        let total = exact_total(&next).clamp(1, 254) as u8;
        let least = if is_safe { total / 2 + 1 } else { 0 };
        let deployment = least + one % (total - least + 1);
        let key_management = if is_safe { deployment + other % (total - deployment + 1) } else { other % 8 };
        let recovery = recovery.into_iter().map(|(key, _)| key).filter(|key| weight_in(&next, key).is_some());
        KeyChange { current: Vec::new(), recovery: recovery.collect(), next, deployment, key_management }
    })
}

/// Whether two groups of keys without a common key both reach a threshold.
fn can_split(keys: &[u8], threshold: u8) -> bool {
    let total: u32 = keys.iter().map(|weight| u32::from(*weight)).sum();
    (0_u32..1 << keys.len()).any(|group| {
        let chosen = keys.iter().enumerate().filter(|(index, _)| group & (1 << index) != 0);
        let sum: u32 = chosen.map(|(_, weight)| u32::from(*weight)).sum();
        sum >= u32::from(threshold) && total - sum >= u32::from(threshold)
    })
}

fn with_weight(keys: &Keys) -> Keys {
    keys.iter().filter(|(_, weight)| *weight > 0).copied().collect()
}

fn keys_of(account: &Account) -> Keys {
    account.associated_keys().iter().map(|(key, weight)| (key.value(), weight.value())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_048, max_global_rejects: 65_536, ..ProptestConfig::default() })]

    #[test]
    fn an_account_as_described_becomes_as_planned((current, before) in accounts(), target in targets()) {
        let change = KeyChange { current: current.clone(), ..target };
        let (result, after) = run(&before, &change);
        prop_assert_eq!(result, check(&change));
        if result.is_ok() {
            prop_assert_eq!(keys_of(&after), change.next);
            prop_assert_eq!(after.action_thresholds().deployment().value(), change.deployment);
            prop_assert_eq!(after.action_thresholds().key_management().value(), change.key_management);
            let all: BTreeSet<_> = after.associated_keys().iter().map(|(key, _)| *key).collect();
            prop_assert!(after.can_deploy_with(&all) && after.can_manage_keys_with(&all));
        }
    }

    #[test]
    fn another_account_is_refused((_, before) in accounts(), current in keys(0), target in targets()) {
        let change = KeyChange { current, ..target };
        prop_assume!(check(&change).is_ok());
        prop_assume!(with_weight(&change.current) != with_weight(&keys_of(&before)));
        prop_assert_eq!(run(&before, &change).0, Err(Error::AccountDiffers));
    }

    #[test]
    fn an_account_with_one_other_weight_is_refused(
        (mut current, before) in accounts(), index in any::<prop::sample::Index>(), weight in 0..9_u8, target in targets()
    ) {
        let at = index.index(current.len());
        prop_assume!(current[at].1 != weight);
        current[at].1 = weight;
        let change = KeyChange { current, ..target };
        prop_assume!(check(&change).is_ok());
        prop_assert_eq!(run(&before, &change).0, Err(Error::AccountDiffers));
    }

    #[test]
    fn quorums_share_a_key(target in targets()) {
        prop_assume!(check(&target).is_ok());
        let signs_alone = |key, weight| target.recovery.contains(key) && weight >= target.deployment;
        let ordinary = target.next.iter().filter(|(key, weight)| !signs_alone(key, *weight));
        let weights: Vec<u8> = ordinary.map(|(_, weight)| *weight).collect();
        prop_assert!(!can_split(&weights, target.deployment));
    }

    #[test]
    fn light_signatures_change_nothing((current, before) in accounts(), target in targets(), signing in any::<u8>()) {
        let change = KeyChange { current, ..target };
        prop_assume!(check(&change).is_ok());
        let all: Vec<_> = before.associated_keys().iter().map(|(key, _)| *key).collect();
        let signed = all.into_iter().enumerate().filter(|(index, _)| signing & (1 << index) != 0);
        let signers: BTreeSet<_> = signed.map(|(_, key)| key).collect();
        prop_assume!(!before.can_manage_keys_with(&signers));
        let mut session = Session { at_start: before.clone(), account: before.clone(), signers };
        prop_assert_eq!(change_keys(&mut session, &change), Err(Error::SignersTooLight));
        prop_assert_eq!(session.account, before);
    }
}

#[test]
fn weights_of_254_are_the_most() {
    assert_eq!(total_weight(&vec![([1; 32], 200), ([2; 32], 54)]), Ok(254));
    assert_eq!(total_weight(&vec![([1; 32], 200), ([2; 32], 55)]), Err(Error::TooHeavy));
    assert_eq!(total_weight(&vec![([1; 32], 255), ([2; 32], 255)]), Err(Error::TooHeavy));
}
