//! Pins of series of a dataset, and proofs of their values.
//!
//! The feed of a dataset has the root of a tree with every value of every series. A contract pins a series, and verifies a proof
//! of one value by that root. `wattfeed series arguments` makes the proof.
//!
//! ```
//! use odra::casper_types::bytesrepr::Bytes;
//! use odra::prelude::*;
//! use wattfeed::series::{Series, SeriesPin, Statement};
//! use wattfeed::Registries;
//!
//! #[odra::module]
//! pub struct Market {
//!     registries: SubModule<Registries>,
//!     price: Var<SeriesPin>,
//!     settled: Var<i64>,
//! }
//!
//! #[odra::module]
//! impl Market {
//!     pub fn init(&mut self, feed_registry: Address, attestation_registry: Address, attester: Address) {
//!         let pin = SeriesPin {
//!             attester,
//!             max_age_ms: 60 * 24 * 3_600_000,
//!             series: Series {
//!                 route: "electricity/retail-sales".into(),
//!                 frequency: "monthly".into(),
//!                 column: "price".into(),
//!                 facets: vec![("sectorid".into(), Some("COM".into())), ("stateid".into(), Some("CA".into()))],
//!                 unit: Some("cents per kilowatt-hour".into()),
//!                 decimals: 2,
//!             },
//!         };
//!         pin.series.check().unwrap_or_revert(self);
//!         self.registries.install(feed_registry, attestation_registry, None, &pin.series.feed_id());
//!         self.price.set(pin);
//!     }
//!
//!     /// Settles by the price of August, in hundredths of a cent.
//!     pub fn settle(&mut self, proof: Bytes) {
//!         let pin = self.price.get().unwrap_or_revert(self);
//!         let settled = pin.settle(&self.registries, Statement::ValueOf("2026-08"), &proof);
//!         self.settled.set(settled.value);
//!     }
//! }
//! # fn main() {}
//! ```
mod leaf;
mod proof;
mod tree;
mod value;

use odra::casper_types::U512;
use odra::prelude::*;

use self::leaf::Leaf;
use self::proof::Proof;
use crate::{period, Attestation, Error, Registries};

/// Maximum number of decimals of a pinned series: an `i64` has 18 full digits.
pub const MAX_DECIMALS: u8 = 18;

/// A series, and what a contract relies on when it reads it.
#[odra::odra_type]
pub struct SeriesPin {
    /// Whose roots count.
    pub attester: Address,
    /// Maximum age of the root in milliseconds, from its attestation to the block that reads it.
    pub max_age_ms: u64,
    /// The series.
    pub series: Series,
}

/// One series of a dataset: a column of its rows with these facets. All texts are EIA's.
#[odra::odra_type]
pub struct Series {
    /// EIA's route, below `/v2/`.
    pub route: String,
    /// EIA's word for the frequency, such as `monthly`.
    pub frequency: String,
    /// EIA's id of the column.
    pub column: String,
    /// Id and value of **every** facet of the dataset, sorted by id; no value where EIA's rows have none.
    pub facets: Vec<(String, Option<String>)>,
    /// Unit of the values; none if EIA's rows have none.
    pub unit: Option<String>,
    /// Number of digits after the decimal point of a settled value.
    pub decimals: u8,
}

/// A root of a dataset, with the facts of its attestation.
#[odra::odra_type]
pub struct Root {
    /// The root.
    pub hash: [u8; 32],
    /// Number of leaves of its tree.
    pub size: u64,
    /// The newest period of any leaf, as an integer; see [`period`](crate::period).
    pub period: u64,
    /// Block time of the attestation in milliseconds.
    pub timestamp: u64,
}

/// What a contract wants to know about a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statement<'a> {
    /// The value of a period, such as `2026-08`.
    ValueOf(&'a str),
    /// The value of the dataset's newest period.
    NewestPeriod,
    /// The newest value of the series. It may be of an earlier period than the dataset's newest.
    NewestValue,
}

/// A value that a proof has shown.
#[odra::odra_type]
pub struct Settled {
    /// EIA's text of the period.
    pub period: String,
    /// The value times 10^`decimals` of the series.
    pub value: i64,
}

impl SeriesPin {
    /// Returns the newest root of the dataset, or reverts with what [`try_read_root`](Self::try_read_root) returns.
    pub fn read_root(&self, registries: &Registries) -> Root {
        self.try_read_root(registries).unwrap_or_revert(registries)
    }

    /// Returns the newest root of the dataset. A contract may keep it, and settle by it later.
    ///
    /// [`Error::NoValue`], [`Error::OtherAttester`], [`Error::TooOld`] or [`Error::NotARoot`] if there is no such root.
    pub fn try_read_root(&self, registries: &Registries) -> Result<Root, Error> {
        let newest = registries.latest(&self.series.feed_id()).ok_or(Error::NoValue)?;
        if newest.attester != self.attester {
            return Err(Error::OtherAttester);
        }
        let age_ms = registries.env().get_block_time().saturating_sub(newest.timestamp);
        if age_ms > self.max_age_ms {
            return Err(Error::TooOld);
        }
        Root::try_from(newest)
    }

    /// Returns the value that a proof shows by the newest root, or reverts with what
    /// [`try_read_root`](Self::try_read_root) and [`Series::verify`] return.
    pub fn settle(&self, registries: &Registries, statement: Statement, proof: &[u8]) -> Settled {
        let root = self.read_root(registries);
        self.series.verify(&root, statement, proof).unwrap_or_revert(registries)
    }
}

impl Series {
    /// Id of the feed that has the dataset's roots.
    pub fn feed_id(&self) -> String {
        format!("EIA.DATASET.{}.{}", self.route.replace('/', "."), self.frequency).to_ascii_uppercase()
    }

    /// [`Error::MalformedPin`] if no leaf can be of the series. For the contract's `init`.
    pub fn check(&self) -> Result<(), Error> {
        let is_possible = self.leaf("2026").is_well_formed() && self.decimals <= MAX_DECIMALS;
        if is_possible {
            Ok(())
        } else {
            Err(Error::MalformedPin)
        }
    }

    /// Returns the value that a proof shows. It calls nothing and reads nothing.
    ///
    /// In this order:
    ///
    /// 1. [`Error::MalformedProof`], [`Error::MalformedPeriod`] or [`Error::MalformedValue`] before anything is hashed.
    /// 2. [`Error::NotInTree`] if the root does not have such a leaf.
    /// 3. [`Error::OtherPeriod`], [`Error::NotNewestPeriod`] or [`Error::NotNewestValue`] if it shows another statement.
    /// 4. [`Error::Withheld`] or [`Error::EmptyValue`] if EIA has no number there.
    /// 5. [`Error::OtherUnit`], [`Error::Exponent`], [`Error::NotANumber`] or [`Error::TooManyDigits`] if the contract cannot
    ///    take the number.
    ///
    /// So an error of the last two kinds is a fact about the series, which the root proves. The others say nothing.
    pub fn verify(&self, root: &Root, statement: Statement, proof: &[u8]) -> Result<Settled, Error> {
        let proof = Proof::decode(self, proof)?;
        if statement != Statement::NewestValue && proof.next.is_some() {
            return Err(Error::MalformedProof);
        }
        if !proof.is_in(&root.hash, root.size) {
            return Err(Error::NotInTree);
        }
        self.check_statement(&proof, root, statement)?;
        let Leaf { period, value, unit, .. } = proof.leaf;
        let text = value::given(value)?;
        if unit != self.unit.as_deref() {
            return Err(Error::OtherUnit);
        }
        Ok(Settled { period: period.into(), value: value::scale(text, self.decimals)? })
    }

    fn check_statement(&self, proof: &Proof, root: &Root, statement: Statement) -> Result<(), Error> {
        let period = proof.leaf.period;
        let (is_shown, error) = match statement {
            Statement::ValueOf(named) => (period == named, Error::OtherPeriod),
            Statement::NewestPeriod => {
                (period::encode(&self.frequency, period) == Some(root.period), Error::NotNewestPeriod)
            }
            Statement::NewestValue => (self.is_newest(proof, root.size), Error::NotNewestValue),
        };
        if is_shown {
            Ok(())
        } else {
            Err(error)
        }
    }

    /// Whether the tree ends after the leaf, or goes on with a key that comes after all of the series.
    fn is_newest(&self, proof: &Proof, size: u64) -> bool {
        let Some(next) = &proof.next else {
            return proof.index == size - 1;
        };
        let key = proof.leaf.key();
        // A key that starts with all elements of the series is not after all of it.
        let (series, _) = key.split_at(key.len() - 1);
        let differing = series.iter().zip(next.key()).find(|(own, other)| *own != other);
        differing.is_some_and(|(own, other)| *own < other)
    }

    fn leaf<'a>(&'a self, period: &'a str) -> Leaf<'a> {
        Leaf {
            route: &self.route,
            frequency: &self.frequency,
            column: &self.column,
            facets: self.facets.iter().map(|(id, value)| (id.as_str(), value.as_deref())).collect(),
            period,
            value: None,
            unit: self.unit.as_deref(),
        }
    }
}

impl TryFrom<Attestation> for Root {
    type Error = Error;

    /// [`Error::NotARoot`] unless the attestation is of a dataset's root.
    fn try_from(attestation: Attestation) -> Result<Self, Error> {
        let Attestation { period, amount, source_hash, timestamp, .. } = attestation;
        let is_size = amount >= U512::one() && amount <= U512::from(MAX_SIZE);
        let hash = decode_hash(&source_hash).filter(|_| is_size).ok_or(Error::NotARoot)?;
        Ok(Self { hash, size: amount.as_u64(), period, timestamp })
    }
}

/// Maximum number of leaves of a tree: the largest integer that every double has exactly, by the specification of proofs.
const MAX_SIZE: u64 = (1 << 53) - 1;

/// Decodes 64 lower-case hex digits.
fn decode_hash(text: &str) -> Option<[u8; 32]> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let (pairs, []) = text.as_bytes().as_chunks() else {
        return None;
    };
    let bytes: Option<Vec<u8>> = pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect();
    bytes?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::leaf::MAX_LEAF_BYTES;
    use super::tree::hash_leaf;
    use super::*;

    fn series(column: &str) -> Series {
        Series {
            route: "electricity/retail-sales".into(),
            frequency: "monthly".into(),
            column: column.into(),
            facets: vec![("stateid".into(), None)],
            unit: None,
            decimals: 1,
        }
    }

    /// What the crate says about the only leaf of a tree.
    fn outcome(series: &Series) -> (usize, Result<i64, Error>) {
        let leaf = Leaf { value: Some("17.4"), ..series.leaf("2026-08") }.encode();
        let root = Root { hash: hash_leaf(&leaf), size: 1, period: 202608, timestamp: 0 };
        let proof = [&[1, 0, 0, 0, 0, 0, 0, 0, 0, 7], &b"2026-08"[..], &[4], b"17.4", &[0]].concat();
        (leaf.len(), series.verify(&root, Statement::NewestPeriod, &proof).map(|settled| settled.value))
    }

    #[test]
    fn a_leaf_has_no_more_bytes_than_any_other_verifier_takes() {
        let (shortest, _) = outcome(&series(""));
        let longest = "x".repeat(MAX_LEAF_BYTES - shortest);
        assert_eq!(outcome(&series(&longest)), (MAX_LEAF_BYTES, Ok(174)));
        assert_eq!(outcome(&series(&format!("{longest}x"))), (MAX_LEAF_BYTES + 1, Err(Error::NotInTree)));
    }

    #[test]
    fn a_proof_with_a_leaf_too_many_is_malformed_whatever_its_root_is() {
        let series = series("price");
        let root = Root { hash: [0; 32], size: 2, period: 202608, timestamp: 0 };
        // The next leaf shares five elements of the key, and has another period.
        let leaves = [&[2, 0, 0, 0, 0, 0, 0, 0, 0, 7], &b"2026-08"[..], &[4], b"17.4", &[0, 5, 1, 7], b"2026-09"];
        let proof = [leaves.concat(), vec![255, 0]].concat();
        let error = |statement| series.verify(&root, statement, &proof).map(|settled| settled.value).unwrap_err();
        assert_eq!(error(Statement::ValueOf("2026-08")), Error::MalformedProof);
        assert_eq!(error(Statement::NewestPeriod), Error::MalformedProof);
        assert_eq!(error(Statement::NewestValue), Error::NotInTree);
    }

    #[test]
    fn the_feed_of_a_dataset_follows_from_route_and_frequency() {
        assert_eq!(series("price").feed_id(), "EIA.DATASET.ELECTRICITY.RETAIL-SALES.MONTHLY");
    }

    #[test]
    fn a_hash_is_64_lower_case_hex_digits() {
        let hash: [u8; 32] = core::array::from_fn(|at| 255 - at as u8);
        let text = hash.map(|byte| format!("{byte:02x}")).concat();
        assert_eq!(decode_hash(&text), Some(hash));
        for wrong in [&text[1..], &text[2..], &format!("{text}00"), &text.to_uppercase(), &text.replace('f', "g")] {
            assert_eq!(decode_hash(wrong), None, "{wrong}");
        }
    }
}
