//! Session code that changes an account's keys, weights and thresholds in one transaction.
//!
//! A session cannot list the keys of its account, so the old ones are an argument. It changes nothing unless the account is
//! as described there, and unless the new keys and thresholds are safe.
#![cfg_attr(not(test), no_std)]
extern crate alloc;

mod rules;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;
use casper_types::account::{ActionType, AddKeyFailure, RemoveKeyFailure, SetThresholdFailure, UpdateKeyFailure};
use casper_types::ApiError;
use rules::{total_weight, weight_in};

/// Account hashes of keys and the keys' weights, in ascending order of the hashes.
pub type Keys = Vec<([u8; 32], u8)>;

/// A change of an account's keys and thresholds: the arguments of the session.
#[derive(Clone, Debug)]
pub struct KeyChange {
    /// All keys that the account has now. A key without weight may be left out.
    pub current: Keys,
    /// All keys after the change.
    pub next: Keys,
    /// Account hashes of the keys of `next` that can act alone, in ascending order.
    pub recovery: Vec<[u8; 32]>,
    /// The thresholds after the change.
    pub deployment: u8,
    pub key_management: u8,
}

/// The keys and thresholds of the session's account.
pub trait AccountKeys {
    fn add(&mut self, key: [u8; 32], weight: u8) -> Result<(), AddKeyFailure>;
    fn update(&mut self, key: [u8; 32], weight: u8) -> Result<(), UpdateKeyFailure>;
    fn remove(&mut self, key: [u8; 32]) -> Result<(), RemoveKeyFailure>;
    fn set_threshold(&mut self, action: ActionType, threshold: u8) -> Result<(), SetThresholdFailure>;
}

/// Reasons to change nothing.
#[repr(u16)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// The account's keys and weights are not those of `current`.
    AccountDiffers = 1,
    /// The signatures weigh less than the account's threshold for key management.
    SignersTooLight = 2,
    /// A list is not in ascending order, or contains a key twice.
    UnsortedKeys = 3,
    /// A key of `next` has no weight.
    ZeroWeight = 4,
    /// The keys of `current` or of `next` weigh more than 254 together.
    TooHeavy = 5,
    /// The keys of `current` and `next` together are more than an account can have.
    TooManyKeys = 6,
    /// The deployment threshold exceeds the one for key management.
    ThresholdsReversed = 7,
    /// The keys of `next` together do not reach the thresholds.
    UnreachableThreshold = 8,
    /// A key of `recovery` is not in `next`.
    UnknownRecoveryKey = 9,
    /// Two groups of keys without a common key could both reach the deployment threshold.
    DisjointQuorums = 10,
    /// The chain refused a change for any other reason.
    Refused = 11,
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        ApiError::User(error as u16)
    }
}

/// Makes a change. The chain undoes what was changed before an error.
///
/// The chain checks the weight of the signatures against the account before the session, so no order of changes can make
/// them too light. It also checks after each change that all keys together reach the thresholds. Hence the order: what makes
/// the keys heavier comes first, then the thresholds, and last what makes them lighter.
pub fn change_keys(account: &mut impl AccountKeys, change: &KeyChange) -> Result<(), Error> {
    rules::check(change)?;
    let total = assert_current(account, &change.current)?;
    add_and_raise(account, change)?;
    set_thresholds(account, change, total)?;
    lower_and_remove(account, change)
}

/// Asserts that the account has these keys and weights, and raises the threshold for key management to their total weight,
/// which it returns.
///
/// All keys together must weigh exactly as much as these: one more as threshold is refused, the total is not. From then on, no
/// key can become lighter. Each key must be at least as heavy as described: one less would make it lighter. So none is
/// heavier either, and keys that are not described weigh nothing.
fn assert_current(account: &mut impl AccountKeys, current: &Keys) -> Result<u8, Error> {
    let total = total_weight(current)?;
    match account.set_threshold(ActionType::KeyManagement, total + 1) {
        Err(SetThresholdFailure::InsufficientTotalWeight) => {}
        Err(SetThresholdFailure::PermissionDeniedError) => return Err(Error::SignersTooLight),
        _ => return Err(Error::AccountDiffers),
    }
    account.set_threshold(ActionType::KeyManagement, total).map_err(|_| Error::AccountDiffers)?;
    for (key, weight) in current {
        let is_as_described = match weight.checked_sub(1) {
            Some(less) => account.update(*key, less) == Err(UpdateKeyFailure::ThresholdViolation),
            None => account.update(*key, 0).is_ok(),
        };
        if !is_as_described {
            return Err(Error::AccountDiffers);
        }
    }
    Ok(total)
}

fn add_and_raise(account: &mut impl AccountKeys, change: &KeyChange) -> Result<(), Error> {
    for (key, weight) in &change.next {
        match weight_in(&change.current, key) {
            None => account.add(*key, *weight).map_err(|failure| match failure {
                // A key without weight, which `current` leaves out.
                AddKeyFailure::DuplicateKey => Error::AccountDiffers,
                AddKeyFailure::MaxKeysLimit => Error::TooManyKeys,
                _ => Error::Refused,
            })?,
            Some(current) if current < *weight => account.update(*key, *weight).map_err(|_| Error::Refused)?,
            Some(_) => {}
        }
    }
    Ok(())
}

/// The deployment threshold never exceeds the one for key management, which is `total` now.
fn set_thresholds(account: &mut impl AccountKeys, change: &KeyChange, total: u8) -> Result<(), Error> {
    let KeyChange { deployment, key_management, .. } = *change;
    let deployment = (ActionType::Deployment, deployment);
    let key_management = (ActionType::KeyManagement, key_management);
    let ordered = if key_management.1 > total { [key_management, deployment] } else { [deployment, key_management] };
    for (action, threshold) in ordered {
        account.set_threshold(action, threshold).map_err(|_| Error::Refused)?;
    }
    Ok(())
}

fn lower_and_remove(account: &mut impl AccountKeys, change: &KeyChange) -> Result<(), Error> {
    for (key, current) in &change.current {
        match weight_in(&change.next, key) {
            None => account.remove(*key).map_err(|_| Error::Refused)?,
            Some(weight) if weight < *current => account.update(*key, weight).map_err(|_| Error::Refused)?,
            Some(_) => {}
        }
    }
    Ok(())
}
