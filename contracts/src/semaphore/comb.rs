//! Sums of multiples of fixed points, with one table per point.
use ark_ec::short_weierstrass::Projective;
use ark_ff::{AdditiveGroup, BigInt};

use super::curve::{G1Affine, G1Config};

/// For a point Q, entry i - 1 is the sum of 2^(64 j) Q over the bits j that are set in i.
pub type Table = [G1Affine; 15];

/// Returns `start` plus the sum of `scalar * point`: bit k of a scalar's four words selects the entry to add before
/// the last k doublings.
pub fn sum<const N: usize>(start: G1Affine, tables: &[Table; N], scalars: &[BigInt<4>; N]) -> Projective<G1Config> {
    let mut sum = Projective::ZERO;
    for bit in (0..64).rev() {
        sum.double_in_place();
        for (table, scalar) in tables.iter().zip(scalars) {
            let entry = (0..4).map(|word| (scalar.0[word] >> bit & 1) << word).sum::<u64>() as usize;
            if entry != 0 {
                sum += &table[entry - 1];
            }
        }
    }
    sum + start
}
