use odra::prelude::*;

/// What a read of this crate reverts with. A contract's own errors take other numbers.
#[odra::odra_error]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// The feed is not registered.
    NotRegistered = 60_001,
    /// The feed has no value yet.
    NoValue = 60_002,
    /// The newest value is of another attester than the pinned one.
    OtherAttester = 60_003,
    /// The feed's unit is not the pinned one.
    OtherUnit = 60_004,
    /// The feed's decimals are not the pinned ones.
    OtherDecimals = 60_005,
    /// The newest value is older than the pinned maximum age.
    TooOld = 60_006,
    /// The contract was installed without the registries' addresses.
    RegistriesUnset = 60_007,
    /// The seed is not that of the AttestationRegistry: a direct read with it differs from a call.
    OtherSeed = 60_008,
    /// The seed cannot be checked, because the feed has no value yet.
    SeedUnchecked = 60_009,
    // Those of `series` start at 60,101.
}
