//! The tree of a dataset, by RFC 6962: SHA-256 of a leaf after the byte 0, of two nodes after the byte 1.
pub(super) type Hash = [u8; 32];

const LEAF: u8 = 0;
const NODE: u8 = 1;

pub(super) fn hash_leaf(leaf: &[u8]) -> Hash {
    sha256(&[&[LEAF], leaf].concat())
}

fn hash_node(left: &Hash, right: &Hash) -> Hash {
    sha256(&[&[NODE], &left[..], &right[..]].concat())
}

/// Returns the root of a tree of this size, from the hashes of leaves that follow each other, and the hashes of the largest
/// nodes beside them, from left to right. None if the tree has no such leaves, or more or fewer such nodes.
///
/// Every node above a leaf is computed, so the nodes beside them cannot hide another leaf between them.
pub(super) fn root_of_run(first: u64, leaves: &[Hash], size: u64, beside: &[Hash]) -> Option<Hash> {
    let past = first.checked_add(leaves.len() as u64)?;
    if leaves.is_empty() || past > size {
        return None;
    }
    let mut run = Run { first, past, leaves, beside: beside.iter() };
    let root = run.hash_in(0, size)?;
    run.beside.next().is_none().then_some(root)
}

struct Run<'a> {
    first: u64,
    past: u64,
    leaves: &'a [Hash],
    beside: core::slice::Iter<'a, Hash>,
}

impl Run<'_> {
    /// The hash of the node above the leaves from `start` to before `end`.
    fn hash_in(&mut self, start: u64, end: u64) -> Option<Hash> {
        if end <= self.first || start >= self.past {
            return self.beside.next().copied();
        }
        if end - start == 1 {
            return Some(self.leaves[(start - self.first) as usize]);
        }
        let middle = start + largest_power_below(end - start);
        let left = self.hash_in(start, middle)?;
        let right = self.hash_in(middle, end)?;
        Some(hash_node(&left, &right))
    }
}

/// The largest power of two that is smaller than a size of at least 2.
fn largest_power_below(size: u64) -> u64 {
    1 << (size - 1).ilog2()
}

fn sha256(bytes: &[u8]) -> Hash {
    use sha2::{Digest, Sha256};
    Sha256::digest(bytes).into()
}
