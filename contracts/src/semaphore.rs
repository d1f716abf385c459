//! Verifies Semaphore v4 membership proofs: Groth16 on BN254.
//!
//! Field towers, curves and the last exponentiation are arkworks'. The parts that determine a claim's gas are ours: the
//! multiplication in the base field, the loop of the pairings, and tables for the parts of the verification key.
use ark_bn254::Fr;
use ark_ec::CurveGroup;
use ark_ff::{AdditiveGroup, BigInt, PrimeField};
use sha3::{Digest, Keccak256};

use self::curve::{Fq2, G1Affine, G2Affine};
use self::field::Fq;
use self::prepared_key::{DELTA, EXPECTED, FIRST, GAMMA, TABLES};

mod comb;
#[cfg(all(target_arch = "wasm32", odra_module = "EligibilityGate"))]
mod copy;
mod curve;
mod field;
mod pairing;
mod prepared_key;
#[cfg(test)]
mod prepared_key_tests;
#[cfg(test)]
pub(crate) mod tests;

/// Eight 32-byte big-endian numbers: a.x, a.y, b.x.c1, b.x.c0, b.y.c1, b.y.c0, c.x, c.y.
pub const PROOF_BYTES: usize = 256;

/// The public inputs of a proof: 32-byte big-endian numbers.
#[derive(Clone)]
pub struct PublicInputs {
    pub merkle_root: [u8; 32],
    pub nullifier: [u8; 32],
    pub message: [u8; 32],
    pub scope: [u8; 32],
}

/// Why a proof is invalid.
#[derive(Debug, PartialEq, Eq)]
pub enum Fault {
    /// Wrong length, a number that is not below its modulus, or a point that is not on the curve or in its subgroup.
    Malformed,
    /// Well-formed, but the equation does not hold.
    Refuted,
}

/// Whether `proof` proves the inputs.
pub fn verify(inputs: &PublicInputs, proof: &[u8]) -> Result<(), Fault> {
    let (a, b, c) = decode_proof(proof)?;
    let scalars = [
        decode_scalar(&inputs.merkle_root)?,
        decode_scalar(&inputs.nullifier)?,
        hash_to_field(&inputs.message),
        hash_to_field(&inputs.scope),
    ];
    let sum = comb::sum(FIRST, &TABLES, &scalars).into_affine();
    if sum.infinity {
        return Err(Fault::Refuted);
    }
    // e(a, b) = e(alpha, beta) e(sum, gamma) e(c, delta), with only the constant factors on one side.
    match pairing::product(&[(-a, b), (sum, GAMMA), (c, DELTA)]) {
        None => Err(Fault::Malformed),
        Some(product) if product == EXPECTED => Ok(()),
        Some(_) => Err(Fault::Refuted),
    }
}

/// Whether a 32-byte big-endian number is below the order of the scalar field.
pub fn is_scalar(number: &[u8; 32]) -> bool {
    decode_scalar(number).is_ok()
}

/// Semaphore's conversion of a number to a field element: keccak256 of its 32 bytes, without the last 8 bits.
fn hash_to_field(number: &[u8; 32]) -> BigInt<4> {
    let hash: [u8; 32] = Keccak256::digest(number).into();
    let mut shifted = [0; 32];
    shifted[1..].copy_from_slice(&hash[..31]);
    big_endian(&shifted)
}

/// Reads the points and checks that they are on their curves. The pairings' loop checks that b is in its subgroup.
fn decode_proof(proof: &[u8]) -> Result<(G1Affine, G2Affine, G1Affine), Fault> {
    if proof.len() != PROOF_BYTES {
        return Err(Fault::Malformed);
    }
    let mut numbers = [Fq::ZERO; 8];
    for (number, bytes) in numbers.iter_mut().zip(proof.chunks_exact(32)) {
        *number = decode_coordinate(bytes)?;
    }
    let [ax, ay, bx1, bx0, by1, by0, cx, cy] = numbers;
    let b = G2Affine::new_unchecked(Fq2::new(bx0, bx1), Fq2::new(by0, by1));
    if !b.is_on_curve() {
        return Err(Fault::Malformed);
    }
    Ok((decode_g1(ax, ay)?, b, decode_g1(cx, cy)?))
}

/// The curve's order is prime: every point on it is in the subgroup. Infinity, written as (0, 0), is not on it.
fn decode_g1(x: Fq, y: Fq) -> Result<G1Affine, Fault> {
    let point = G1Affine::new_unchecked(x, y);
    if point.is_on_curve() {
        Ok(point)
    } else {
        Err(Fault::Malformed)
    }
}

fn decode_coordinate(bytes: &[u8]) -> Result<Fq, Fault> {
    let mut number = [0; 32];
    number.copy_from_slice(bytes);
    Fq::from_bigint(big_endian(&number)).ok_or(Fault::Malformed)
}

fn decode_scalar(bytes: &[u8; 32]) -> Result<BigInt<4>, Fault> {
    let number = big_endian(bytes);
    if number < Fr::MODULUS {
        Ok(number)
    } else {
        Err(Fault::Malformed)
    }
}

fn big_endian(bytes: &[u8; 32]) -> BigInt<4> {
    let mut limbs = [0; 4];
    for (limb, chunk) in limbs.iter_mut().rev().zip(bytes.chunks_exact(8)) {
        let mut eight = [0; 8];
        eight.copy_from_slice(chunk);
        *limb = u64::from_be_bytes(eight);
    }
    BigInt::new(limbs)
}
