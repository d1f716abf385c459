use odra::prelude::*;

/// What a read of this crate reverts with. A contract's own errors take other numbers.
#[odra::odra_error]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// The feed is not registered.
    NotRegistered = 60_001,
    /// The feed has no value yet, or the dataset no root.
    NoValue = 60_002,
    /// The newest value is of another attester than the pinned one.
    OtherAttester = 60_003,
    /// The unit of the feed, or of the value of the series, is not the pinned one.
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
    /// The newest value of the dataset's feed is not a root.
    NotARoot = 60_101,
    /// No leaf can be of the pinned series, or its decimals are more than 18.
    MalformedPin = 60_102,
    /// The bytes are not a proof of the statement.
    MalformedProof = 60_103,
    /// The period has other characters than those of a period.
    MalformedPeriod = 60_104,
    /// The value has characters that no value may have here, or too many.
    MalformedValue = 60_105,
    /// The root does not have this leaf, with this value.
    NotInTree = 60_106,
    /// The value is of another period than the named one.
    OtherPeriod = 60_107,
    /// The value is not of the newest period of the dataset.
    NotNewestPeriod = 60_108,
    /// The value is not shown to be the newest of the series.
    NotNewestValue = 60_109,
    /// EIA withholds the value: it is null, or a mark such as `w` or `NA`.
    Withheld = 60_110,
    /// The value is an empty text.
    EmptyValue = 60_111,
    /// The value is written with an exponent.
    Exponent = 60_112,
    /// The value is a text that is neither a number nor a mark.
    NotANumber = 60_113,
    /// The value has more digits than the pinned decimals or an `i64` take.
    TooManyDigits = 60_114,
    /// Nobody has put the value on the board.
    NotOnBoard = 60_201,
    /// The contract was installed without the address of the board.
    BoardUnset = 60_202,
}
