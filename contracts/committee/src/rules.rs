//! The rules for a change that need no look at the account.
use crate::{Error, KeyChange, Keys};

/// The most that all keys of an account may weigh. The chain's sums stop at 255, where they no longer show what keys weigh.
const MAX_TOTAL_WEIGHT: u32 = 254;

/// The most keys of an account.
const MAX_KEYS: usize = 100;

/// Asserts that a change leaves an account that can sign, and whose quorums share keys.
pub fn check(change: &KeyChange) -> Result<(), Error> {
    let KeyChange { current, next, recovery, deployment, key_management } = change;
    assert_ascending(current.iter().map(|(key, _)| key))?;
    assert_ascending(next.iter().map(|(key, _)| key))?;
    assert_ascending(recovery.iter())?;
    if next.iter().any(|(_, weight)| *weight == 0) {
        return Err(Error::ZeroWeight);
    }
    total_weight(current)?;
    let total = total_weight(next)?;
    if current.len() + next.iter().filter(|(key, _)| weight_in(current, key).is_none()).count() > MAX_KEYS {
        return Err(Error::TooManyKeys);
    }
    if deployment > key_management {
        return Err(Error::ThresholdsReversed);
    }
    if *key_management > total {
        return Err(Error::UnreachableThreshold);
    }
    if recovery.iter().any(|key| weight_in(next, key).is_none()) {
        return Err(Error::UnknownRecoveryKey);
    }
    if 2 * u32::from(*deployment) <= weight_of_quorums(change) {
        return Err(Error::DisjointQuorums);
    }
    Ok(())
}

/// Returns the total weight of the keys that sign together. A recovery key reaches the deployment threshold alone and needs no
/// other key. One that does not is like any other key.
fn weight_of_quorums(KeyChange { next, recovery, deployment, .. }: &KeyChange) -> u32 {
    let signs_alone = |key, weight| recovery.binary_search(key).is_ok() && weight >= *deployment;
    next.iter().filter(|(key, weight)| !signs_alone(key, *weight)).map(|(_, weight)| u32::from(*weight)).sum()
}

/// Returns the exact total weight.
pub fn total_weight(keys: &Keys) -> Result<u8, Error> {
    let total: u32 = keys.iter().map(|(_, weight)| u32::from(*weight)).sum();
    if total > MAX_TOTAL_WEIGHT {
        Err(Error::TooHeavy)
    } else {
        Ok(total as u8)
    }
}

pub fn weight_in(keys: &Keys, key: &[u8; 32]) -> Option<u8> {
    keys.binary_search_by_key(key, |(each, _)| *each).ok().map(|index| keys[index].1)
}

fn assert_ascending<'a>(keys: impl Iterator<Item = &'a [u8; 32]>) -> Result<(), Error> {
    let mut previous = None;
    for key in keys {
        if previous >= Some(key) {
            return Err(Error::UnsortedKeys);
        }
        previous = Some(key);
    }
    Ok(())
}
