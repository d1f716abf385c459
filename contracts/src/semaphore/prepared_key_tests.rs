use std::format;
use std::string::String;

use ark_bn254::Bn254;
use ark_ec::pairing::Pairing;
use ark_ec::AffineRepr;

use crate::verification_key::{ALPHA, BETA, DELTA, GAMMA, IC};

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/semaphore/prepared_key.rs");

/// `WRITE_PREPARED_KEY=1 cargo test prepared_key` writes the file.
#[test]
fn prepared_key_follows_from_the_verification_key_by_arkworks() {
    let text = write();
    if std::env::var_os("WRITE_PREPARED_KEY").is_some() {
        std::fs::write(PATH, &text).unwrap();
    }
    assert!(
        std::fs::read_to_string(PATH).unwrap() == text,
        "write it again: WRITE_PREPARED_KEY=1 cargo test prepared_key"
    );
}

fn write() -> String {
    let mut text = String::from(
        "//! The verification key as the verifier wants it. Written by `WRITE_PREPARED_KEY=1 cargo test prepared_key`\n\
         //! from `verification_key.rs`; numbers are in Montgomery's form, lowest word first.\n\
         #![cfg_attr(rustfmt, rustfmt_skip)]\n\
         use ark_ff::{BigInt, Fp};\n\n\
         use super::comb::Table;\n\
         use super::curve::{Fq12, Fq2, Fq6, G1Affine, G2Affine};\n\
         use super::field::Fq;\n\n\
         const fn fq(words: [u64; 4]) -> Fq {\n    Fp::new_unchecked(BigInt(words))\n}\n\n\
         const fn g1(x: [u64; 4], y: [u64; 4]) -> G1Affine {\n    G1Affine::new_unchecked(fq(x), fq(y))\n}\n\n\
         const fn fq2(c0: [u64; 4], c1: [u64; 4]) -> Fq2 {\n    Fq2::new(fq(c0), fq(c1))\n}\n\n",
    );
    text += &format!("pub const GAMMA: G2Affine = {};\n\n", g2(GAMMA));
    text += &format!("pub const DELTA: G2Affine = {};\n\n", g2(DELTA));
    let expected = Bn254::pairing(-ALPHA, BETA).0;
    text += &format!(
        "/// e(-alpha, beta): what the other pairings of a proof multiply to.\n\
         pub const EXPECTED: Fq12 = Fq12::new(\n    {},\n    {},\n);\n\n",
        fq6(expected.c0),
        fq6(expected.c1)
    );
    text += &format!("/// The point that no public input multiplies.\npub const FIRST: G1Affine = {};\n\n", g1(IC[0]));
    text += "/// One for each public input's point.\npub static TABLES: [Table; 4] = [\n";
    for point in &IC[1..] {
        text += "    [\n";
        for entry in 1..16u64 {
            let words = [entry & 1, entry >> 1 & 1, entry >> 2 & 1, entry >> 3];
            text += &format!("        {},\n", g1(point.mul_bigint(words).into()));
        }
        text += "    ],\n";
    }
    text + "];\n"
}

fn words(number: ark_bn254::Fq) -> String {
    format!("{:#x?}", number.0 .0).split_whitespace().collect::<String>().replace(",]", "]").replace(',', ", ")
}

fn g1(point: ark_bn254::G1Affine) -> String {
    format!("g1({}, {})", words(point.x), words(point.y))
}

fn g2(point: ark_bn254::G2Affine) -> String {
    format!("G2Affine::new_unchecked({}, {})", fq2(point.x), fq2(point.y))
}

fn fq2(number: ark_bn254::Fq2) -> String {
    format!("fq2({}, {})", words(number.c0), words(number.c1))
}

fn fq6(number: ark_bn254::Fq6) -> String {
    format!("Fq6::new({}, {}, {})", fq2(number.c0), fq2(number.c1), fq2(number.c2))
}
