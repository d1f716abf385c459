//! Compares our code with arkworks, which computes the same results differently.
use std::vec::Vec;

use ark_bn254::{Bn254, Fq as ReferenceFq, Fq2 as ReferenceFq2, G1Affine as ReferenceG1, G2Affine as ReferenceG2};
use ark_ec::pairing::Pairing as _;
use ark_ec::{AffineRepr, CurveConfig};
use ark_ff::{BigInteger, Field, Fp, One, Zero};

use super::curve::{adopt2, Fq12, Fq6};
use super::field::adopt;
use super::*;
use crate::verification_key;

/// The same numbers in every run.
struct Numbers(u64);

impl Numbers {
    fn word(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn scalar(&mut self) -> BigInt<4> {
        let mut number = BigInt([self.word(), self.word(), self.word(), self.word() >> 2]);
        while number >= Fr::MODULUS {
            number.sub_with_borrow(&Fr::MODULUS);
        }
        number
    }

    /// Any element, and often an edge case; its form is Montgomery's, so that limbs have edge cases, too.
    fn element(&mut self) -> ReferenceFq {
        let [m0, m1, m2, m3] = ReferenceFq::MODULUS.0;
        let mut words = match self.word() % 6 {
            0 => [self.word() % 3, 0, 0, 0],
            1 => [m0 - 1 - self.word() % 3, m1, m2, m3],
            2 => [u64::MAX, u64::MAX, u64::MAX, m3 - 1],
            _ => [self.word(), self.word(), self.word(), self.word() >> 2],
        };
        words[3] %= m3 + 1;
        let mut number = BigInt(words);
        if number >= ReferenceFq::MODULUS {
            number.sub_with_borrow(&ReferenceFq::MODULUS);
        }
        Fp::new_unchecked(number)
    }

    fn g1(&mut self) -> ReferenceG1 {
        ReferenceG1::generator().mul_bigint(self.scalar()).into()
    }

    fn g2(&mut self) -> ReferenceG2 {
        ReferenceG2::generator().mul_bigint(self.scalar()).into()
    }

    /// A point of the twist, almost never of the subgroup.
    fn on_twist(&mut self) -> ReferenceG2 {
        loop {
            let x = ReferenceFq2::new(self.element(), self.element());
            if let Some(point) = ReferenceG2::get_point_from_x_unchecked(x, self.word() % 2 == 0) {
                return point;
            }
        }
    }
}

fn adopt_g1(point: ReferenceG1) -> G1Affine {
    G1Affine::new_unchecked(adopt(point.x), adopt(point.y))
}

fn adopt_g2(point: ReferenceG2) -> G2Affine {
    G2Affine::new_unchecked(adopt2(point.x), adopt2(point.y))
}

fn adopt_12(number: ark_bn254::Fq12) -> Fq12 {
    let six = |part: ark_bn254::Fq6| Fq6::new(adopt2(part.c0), adopt2(part.c1), adopt2(part.c2));
    Fq12::new(six(number.c0), six(number.c1))
}

/// Points on the twist in a proof's encoding: of any order, of the cofactor's, and of its small factors.
pub fn points_outside_the_subgroup() -> Vec<[u8; 128]> {
    outside_the_subgroup().into_iter().map(encode_g2).collect()
}

/// The prime factors of the cofactor that the additions of the loop can reach.
const SMALL_ORDERS: [u64; 2] = [10069, 5864401];

fn outside_the_subgroup() -> Vec<ReferenceG2> {
    let mut numbers = Numbers(5);
    let any = numbers.on_twist();
    let of_cofactor: ReferenceG2 = any.mul_bigint(Fr::MODULUS).into();
    let mixed: ReferenceG2 = (of_cofactor + ReferenceG2::generator()).into();
    let mut points = std::vec![any, of_cofactor, mixed];
    for order in SMALL_ORDERS {
        let small: ReferenceG2 = of_cofactor.mul_bigint(divide(ark_bn254::g2::Config::COFACTOR, order)).into();
        assert!(!small.infinity && small.mul_bigint([order]).is_zero());
        points.push(small);
        points.push((small + ReferenceG2::generator()).into());
    }
    points
}

fn divide(words: &[u64], divisor: u64) -> Vec<u64> {
    let mut rest = 0u128;
    let mut quotient: Vec<u64> = words
        .iter()
        .rev()
        .map(|word| {
            let part = rest << 64 | u128::from(*word);
            rest = part % u128::from(divisor);
            (part / u128::from(divisor)) as u64
        })
        .collect();
    assert_eq!(rest, 0);
    quotient.reverse();
    quotient
}

fn encode_g2(point: ReferenceG2) -> [u8; 128] {
    let mut bytes = [0; 128];
    let numbers = [point.x.c1, point.x.c0, point.y.c1, point.y.c0];
    for (chunk, number) in bytes.chunks_exact_mut(32).zip(numbers) {
        chunk.copy_from_slice(&number.into_bigint().to_bytes_be());
    }
    bytes
}

#[test]
fn the_field_computes_as_arkworks_does() {
    let mut numbers = Numbers(88_172_645_463_325_252);
    for _ in 0..20_000 {
        let [a, b, c, d] = [numbers.element(), numbers.element(), numbers.element(), numbers.element()];
        assert_eq!(adopt(a) * adopt(b), adopt(a * b));
        assert_eq!(adopt(a).square(), adopt(a.square()));
        assert_eq!(adopt(a) + adopt(b), adopt(a + b));
        assert_eq!(adopt(a) - adopt(b), adopt(a - b));
        assert_eq!(adopt(a).double(), adopt(a.double()));
        assert_eq!(-adopt(a), adopt(-a));
        let sum = Fq::sum_of_products(&[adopt(a), adopt(c)], &[adopt(b), adopt(d)]);
        assert_eq!(sum, adopt(a * b + c * d));
        assert_eq!(adopt(a).into_bigint(), a.into_bigint());
    }
    for _ in 0..200 {
        let a = numbers.element();
        assert_eq!(adopt(a).inverse(), a.inverse().map(adopt));
    }
}

#[test]
fn the_field_takes_canonical_numbers_only() {
    let modulus = ReferenceFq::MODULUS;
    let mut below = modulus;
    below.sub_with_borrow(&BigInt::one());
    assert_eq!(Fq::from_bigint(below), Some(-Fq::one()));
    assert_eq!(Fq::from_bigint(modulus), None);
    assert_eq!(Fq::from_bigint(BigInt([u64::MAX; 4])), None);
    assert_eq!(decode_scalar(&[0xff; 32]), Err(Fault::Malformed));
}

#[test]
fn the_tower_computes_as_arkworks_does() {
    let mut numbers = Numbers(1);
    for _ in 0..50 {
        let mut two = || ReferenceFq2::new(numbers.element(), numbers.element());
        let mut six = || ark_bn254::Fq6::new(two(), two(), two());
        let (a, b) = (ark_bn254::Fq12::new(six(), six()), ark_bn254::Fq12::new(six(), six()));
        assert_eq!(adopt_12(a) * adopt_12(b), adopt_12(a * b));
        assert_eq!(adopt_12(a).square(), adopt_12(a.square()));
        assert_eq!(adopt_12(a).inverse().unwrap(), adopt_12(a.inverse().unwrap()));
        for power in 0..4 {
            assert_eq!(adopt_12(a).frobenius_map(power), adopt_12(a.frobenius_map(power)));
        }
    }
}

#[test]
fn products_of_pairings_are_those_of_arkworks() {
    let mut numbers = Numbers(2);
    for _ in 0..10 {
        let pairs = [0; 3].map(|_| (numbers.g1(), numbers.g2()));
        let expected = Bn254::multi_pairing(pairs.map(|pair| pair.0), pairs.map(|pair| pair.1)).0;
        let product = pairing::product(&pairs.map(|(p, q)| (adopt_g1(p), adopt_g2(q))));
        assert_eq!(product, Some(adopt_12(expected)));
    }
}

#[test]
fn the_first_point_must_be_in_its_subgroup() {
    let mut numbers = Numbers(3);
    let p = adopt_g1(numbers.g1());
    for _ in 0..20 {
        let inside = numbers.g2();
        assert!(inside.is_in_correct_subgroup_assuming_on_curve());
        assert!(pairing::product(&[(p, adopt_g2(inside))]).is_some());
        let outside = numbers.on_twist();
        assert!(!outside.is_in_correct_subgroup_assuming_on_curve());
        assert_eq!(pairing::product(&[(p, adopt_g2(outside))]), None);
    }
    for outside in outside_the_subgroup() {
        assert!(outside.is_on_curve() && !outside.is_in_correct_subgroup_assuming_on_curve());
        assert_eq!(pairing::product(&[(p, adopt_g2(outside))]), None);
    }
}

#[test]
fn sums_of_multiples_are_those_of_arkworks() {
    let mut numbers = Numbers(4);
    let mut highest = Fr::MODULUS;
    highest.sub_with_borrow(&BigInt::one());
    let edges = [BigInt::zero(), BigInt::one(), highest, BigInt([0, 0, 0, 1]), BigInt([u64::MAX, 0, u64::MAX, 0])];
    let random = (0..10).map(|_| [0; 4].map(|_| numbers.scalar())).collect::<Vec<_>>();
    for scalars in edges.map(|edge| [edge; 4]).into_iter().chain(random) {
        let mut expected = verification_key::IC[0].into_group();
        for (point, scalar) in verification_key::IC[1..].iter().zip(scalars) {
            expected += point.mul_bigint(scalar);
        }
        let sum = comb::sum(FIRST, &TABLES, &scalars).into_affine();
        assert_eq!(sum, adopt_g1(expected.into_affine()));
    }
}

#[test]
fn a_number_is_hashed_as_semaphore_does() {
    // keccak256 of 32 zero bytes begins 290decd9 548b62a8 and ends f3e563.
    let hash = hash_to_field(&[0; 32]);
    assert_eq!(hash.0[3], 0x0029_0dec_d954_8b62);
    assert_eq!(hash.0[0] & 0xffff, 0xf3e5);
}
