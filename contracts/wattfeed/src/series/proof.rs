//! The bytes of a proof. What the pin knows does not travel.
//!
//! | part | bytes |
//! | --- | --- |
//! | kind | 1: one leaf; 2: a leaf and the next one of the tree |
//! | index | 8, little-endian |
//! | period | text |
//! | value | text or null |
//! | unit | 0: the pinned one; 1: another, which follows as text or null |
//! | next leaf, for kind 2 | below |
//! | hashes | 32 each, beside the leaves, from left to right |
//!
//! A text is its length in one byte and UTF-8. The length 255 is null.
//!
//! The next leaf is the number of elements that its key shares with the pinned series, the number of other elements, and these
//! (texts; null for a facet without a value), then its value and unit as those of the first leaf.
use odra::prelude::*;

use super::leaf::{FacetRef, Leaf, MAX_LEAF_BYTES};
use super::tree::{hash_leaf, root_of_run, Hash};
use super::value::is_plain;
use super::Series;
use crate::Error;

const ONE_LEAF: u8 = 1;
const TWO_LEAVES: u8 = 2;
const NULL: u8 = 255;

/// Maximum number of characters of a period.
const MAX_PERIOD_CHARACTERS: usize = 32;

/// A leaf of a series, and the next one of the tree if the proof has it.
pub(super) struct Proof<'a> {
    pub index: u64,
    pub leaf: Leaf<'a>,
    pub next: Option<Leaf<'a>>,
    hashes: &'a [Hash],
}

impl<'a> Proof<'a> {
    /// Decodes a proof for a series. All of its texts are checked here, before anything is hashed.
    pub fn decode(series: &'a Series, bytes: &'a [u8]) -> Result<Self, Error> {
        let mut reader = Reader(bytes);
        let kind = reader.byte()?;
        let index = u64::from_le_bytes(reader.array()?);
        let period = reader.text()?;
        if !is_period(period) {
            return Err(Error::MalformedPeriod);
        }
        let value = reader.optional()?;
        if !value.is_none_or(is_plain) {
            return Err(Error::MalformedValue);
        }
        let leaf = Leaf { value, unit: reader.unit(series)?, ..series.leaf(period) };
        let next = match kind {
            ONE_LEAF => None,
            TWO_LEAVES => Some(reader.next_leaf(series, &leaf)?),
            _ => return Err(Error::MalformedProof),
        };
        let (hashes, rest) = reader.0.as_chunks();
        let is_well_formed = leaf.is_well_formed() && next.as_ref().is_none_or(Leaf::is_well_formed);
        if !is_well_formed || !rest.is_empty() {
            return Err(Error::MalformedProof);
        }
        Ok(Self { index, leaf, next, hashes })
    }

    /// Whether the leaves are in a tree.
    pub fn is_in(&self, root: &Hash, size: u64) -> bool {
        let leaves: Vec<Vec<u8>> =
            [Some(&self.leaf), self.next.as_ref()].into_iter().flatten().map(Leaf::encode).collect();
        let hashes: Vec<Hash> = leaves.iter().map(|leaf| hash_leaf(leaf)).collect();
        leaves.iter().all(|leaf| leaf.len() <= MAX_LEAF_BYTES)
            && root_of_run(self.index, &hashes, size, self.hashes) == Some(*root)
    }
}

/// Whether this may be a period: characters that no JSON escapes.
fn is_period(text: &str) -> bool {
    text.len() <= MAX_PERIOD_CHARACTERS
        && !text.is_empty()
        && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'A'..=b'Z' | b'-' | b':' | b'+'))
}

/// The bytes that are left.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Error> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Error::MalformedProof)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const COUNT: usize>(&mut self) -> Result<[u8; COUNT], Error> {
        self.take(COUNT)?.try_into().map_err(|_| Error::MalformedProof)
    }

    fn byte(&mut self) -> Result<u8, Error> {
        self.array().map(|[byte]| byte)
    }

    fn optional(&mut self) -> Result<Option<&'a str>, Error> {
        let length = self.byte()?;
        if length == NULL {
            return Ok(None);
        }
        let bytes = self.take(length.into())?;
        core::str::from_utf8(bytes).map(Some).map_err(|_| Error::MalformedProof)
    }

    fn text(&mut self) -> Result<&'a str, Error> {
        self.optional()?.ok_or(Error::MalformedProof)
    }

    fn unit(&mut self, series: &'a Series) -> Result<Option<&'a str>, Error> {
        match self.byte()? {
            0 => Ok(series.unit.as_deref()),
            1 => self.optional(),
            _ => Err(Error::MalformedProof),
        }
    }

    /// `first` has the elements that its key shares with the next leaf's.
    fn next_leaf(&mut self, series: &'a Series, first: &Leaf<'a>) -> Result<Leaf<'a>, Error> {
        let key = first.key();
        let shared = key.get(..self.byte()?.into()).ok_or(Error::MalformedProof)?;
        // An empty element of a shared facet is null, as the key has it.
        let mut elements: Vec<Option<&str>> = shared.iter().map(|text| (!text.is_empty()).then_some(*text)).collect();
        for _ in 0..self.byte()? {
            elements.push(self.optional()?);
        }
        let [Some(route), Some(frequency), Some(column), facets @ .., Some(period)] = elements.as_slice() else {
            return Err(Error::MalformedProof);
        };
        let (pairs, []) = facets.as_chunks() else {
            return Err(Error::MalformedProof);
        };
        let facets: Option<Vec<FacetRef>> = pairs.iter().map(|[id, value]| id.map(|id| (id, *value))).collect();
        let facets = facets.ok_or(Error::MalformedProof)?;
        Ok(Leaf { route, frequency, column, facets, period, value: self.optional()?, unit: self.unit(series)? })
    }
}
