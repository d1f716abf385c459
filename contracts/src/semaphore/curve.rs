//! BN254 over this crate's base field: every constant is arkworks'.
use ark_bn254::{
    g1, g2, Config as Reference, Fq12Config as Reference12, Fq2Config as Reference2, Fq6Config as Reference6, Fr,
};
use ark_ec::bn::{Bn, BnConfig, TwistType};
use ark_ec::short_weierstrass::{Affine, SWCurveConfig};
use ark_ec::CurveConfig;
use ark_ff::{AdditiveGroup, Field, Fp12Config, Fp2, Fp2Config, Fp6Config};

use super::field::{adopt, Fq};

pub type Fq2 = Fp2<Fq2Config>;
pub type Fq6 = ark_ff::Fp6<Fq6Config>;
pub type Fq12 = ark_ff::Fp12<Fq12Config>;
pub type G1Affine = Affine<G1Config>;
pub type G2Affine = Affine<G2Config>;
pub type Pairing = Bn<Config>;

pub const fn adopt2(number: ark_bn254::Fq2) -> Fq2 {
    Fq2::new(adopt(number.c0), adopt(number.c1))
}

/// Only the first four powers of Frobenius are used.
const fn adopt_powers(numbers: &[ark_bn254::Fq2]) -> [Fq2; 4] {
    [adopt2(numbers[0]), adopt2(numbers[1]), adopt2(numbers[2]), adopt2(numbers[3])]
}

pub struct Fq2Config;

impl Fp2Config for Fq2Config {
    type Fp = Fq;
    const NONRESIDUE: Fq = adopt(Reference2::NONRESIDUE);
    const FROBENIUS_COEFF_FP2_C1: &'static [Fq] = &[Fq::ONE, Self::NONRESIDUE];

    fn mul_fp_by_nonresidue_in_place(number: &mut Fq) -> &mut Fq {
        number.neg_in_place()
    }
}

#[derive(Clone, Copy)]
pub struct Fq6Config;

impl Fp6Config for Fq6Config {
    type Fp2Config = Fq2Config;
    const NONRESIDUE: Fq2 = adopt2(Reference6::NONRESIDUE);
    const FROBENIUS_COEFF_FP6_C1: &'static [Fq2] = &adopt_powers(Reference6::FROBENIUS_COEFF_FP6_C1);
    const FROBENIUS_COEFF_FP6_C2: &'static [Fq2] = &adopt_powers(Reference6::FROBENIUS_COEFF_FP6_C2);

    /// Returns the number times 9 + u.
    fn mul_fp2_by_nonresidue_in_place(number: &mut Fq2) -> &mut Fq2 {
        let mut nine = *number;
        nine.double_in_place().double_in_place().double_in_place();
        nine += &*number;
        *number = Fq2::new(nine.c0 - number.c1, nine.c1 + number.c0);
        number
    }
}

#[derive(Clone, Copy)]
pub struct Fq12Config;

impl Fp12Config for Fq12Config {
    type Fp6Config = Fq6Config;
    const NONRESIDUE: ark_ff::Fp6<Fq6Config> = ark_ff::Fp6::new(Fq2::ZERO, Fq2::ONE, Fq2::ZERO);
    const FROBENIUS_COEFF_FP12_C1: &'static [Fq2] = &adopt_powers(Reference12::FROBENIUS_COEFF_FP12_C1);
}

#[derive(Clone, Default, PartialEq, Eq)]
pub struct G1Config;

impl CurveConfig for G1Config {
    type BaseField = Fq;
    type ScalarField = Fr;
    const COFACTOR: &'static [u64] = g1::Config::COFACTOR;
    const COFACTOR_INV: Fr = g1::Config::COFACTOR_INV;
}

impl SWCurveConfig for G1Config {
    const COEFF_A: Fq = Fq::ZERO;
    const COEFF_B: Fq = adopt(g1::Config::COEFF_B);
    const GENERATOR: G1Affine = Affine::new_unchecked(adopt(g1::G1_GENERATOR_X), adopt(g1::G1_GENERATOR_Y));

    fn mul_by_a(_: Fq) -> Fq {
        Fq::ZERO
    }
}

#[derive(Clone, Default, PartialEq, Eq)]
pub struct G2Config;

impl CurveConfig for G2Config {
    type BaseField = Fq2;
    type ScalarField = Fr;
    const COFACTOR: &'static [u64] = g2::Config::COFACTOR;
    const COFACTOR_INV: Fr = g2::Config::COFACTOR_INV;
}

impl SWCurveConfig for G2Config {
    const COEFF_A: Fq2 = Fq2::ZERO;
    const COEFF_B: Fq2 = adopt2(g2::Config::COEFF_B);
    const GENERATOR: G2Affine = Affine::new_unchecked(adopt2(g2::G2_GENERATOR_X), adopt2(g2::G2_GENERATOR_Y));

    fn mul_by_a(_: Fq2) -> Fq2 {
        Fq2::ZERO
    }
}

pub struct Config;

impl BnConfig for Config {
    const X: &'static [u64] = Reference::X;
    const X_IS_NEGATIVE: bool = Reference::X_IS_NEGATIVE;
    const ATE_LOOP_COUNT: &'static [i8] = Reference::ATE_LOOP_COUNT;
    const TWIST_TYPE: TwistType = Reference::TWIST_TYPE;
    const TWIST_MUL_BY_Q_X: Fq2 = adopt2(Reference::TWIST_MUL_BY_Q_X);
    const TWIST_MUL_BY_Q_Y: Fq2 = adopt2(Reference::TWIST_MUL_BY_Q_Y);
    type Fp = Fq;
    type Fp2Config = Fq2Config;
    type Fp6Config = Fq6Config;
    type Fp12Config = Fq12Config;
    type G1Config = G1Config;
    type G2Config = G2Config;
}
