//! BN254's base field, with a multiplication for machines whose widest product has 64 bits.
//!
//! WebAssembly multiplies two 64-bit numbers to 64 bits. arkworks' own multiplication calls a routine for each of the
//! 36 double-width products, which took most of a proof's gas. Here a number has nine limbs of 29 bits. Then 27
//! products and a carry fit into 64 bits, and carries wait until a column is complete.
//! Montgomery's radix stays 2^256 (8 digits of 29 bits and one of 24), so values have the same bits as arkworks'.
use ark_bn254::FqConfig as Reference;
use ark_ff::{BigInt, Fp, Fp256, MontBackend, MontConfig};

/// An element of the base field, in the same form as [`ark_bn254::Fq`].
pub type Fq = Fp256<MontBackend<FqConfig, 4>>;

type Words = [u64; 4];
type Limbs = [u64; 9];

const LIMB_BITS: u32 = 29;
const LIMB: u64 = (1 << LIMB_BITS) - 1;
const LAST_DIGIT_BITS: u32 = 256 - 8 * LIMB_BITS;
const LAST_DIGIT: u64 = (1 << LAST_DIGIT_BITS) - 1;
const MODULUS: Words = <Reference as MontConfig<4>>::MODULUS.0;
const P: Limbs = split(&MODULUS);
/// -1 / p modulo 2^64, and so modulo 2^29 and 2^24.
const INVERSE: u64 = <Reference as MontConfig<4>>::INV;

/// The same number in this module's field.
pub const fn adopt(number: ark_bn254::Fq) -> Fq {
    Fp::new_unchecked(number.0)
}

pub struct FqConfig;

impl MontConfig<4> for FqConfig {
    const MODULUS: BigInt<4> = <Reference as MontConfig<4>>::MODULUS;
    const GENERATOR: Fq = adopt(<Reference as MontConfig<4>>::GENERATOR);
    const TWO_ADIC_ROOT_OF_UNITY: Fq = adopt(<Reference as MontConfig<4>>::TWO_ADIC_ROOT_OF_UNITY);

    fn add_assign(a: &mut Fq, b: &Fq) {
        add(&mut a.0 .0, &b.0 .0);
    }

    fn sub_assign(a: &mut Fq, b: &Fq) {
        subtract(&mut a.0 .0, &b.0 .0);
    }

    fn double_in_place(a: &mut Fq) {
        let b = a.0 .0;
        add(&mut a.0 .0, &b);
    }

    #[inline(always)]
    fn neg_in_place(a: &mut Fq) {
        if a.0 .0 != [0; 4] {
            a.0 .0 = difference(&MODULUS, &a.0 .0).0;
        }
    }

    fn mul_assign(a: &mut Fq, b: &Fq) {
        a.0 .0 = multiply(&a.0 .0, &b.0 .0);
    }

    fn square_in_place(a: &mut Fq) {
        a.0 .0 = multiply(&a.0 .0, &a.0 .0);
    }

    fn sum_of_products<const M: usize>(a: &[Fq; M], b: &[Fq; M]) -> Fq {
        if M == 2 {
            return Fp::new_unchecked(BigInt(multiply_two(&a[0].0 .0, &b[0].0 .0, &a[1].0 .0, &b[1].0 .0)));
        }
        a.iter().zip(b).map(|(a, b)| *a * b).sum()
    }
}

macro_rules! products {
    ($sum:ident, $x:ident, $y:ident; $($i:literal $j:literal),+) => { $($sum += $x[$i] * $y[$j];)+ };
}

/// Adds the products of limbs whose weights make up a column.
#[rustfmt::skip]
macro_rules! limb_products {
    ($sum:ident, $x:ident, $y:ident, 0) => { products!($sum, $x, $y; 0 0) };
    ($sum:ident, $x:ident, $y:ident, 1) => { products!($sum, $x, $y; 0 1, 1 0) };
    ($sum:ident, $x:ident, $y:ident, 2) => { products!($sum, $x, $y; 0 2, 1 1, 2 0) };
    ($sum:ident, $x:ident, $y:ident, 3) => { products!($sum, $x, $y; 0 3, 1 2, 2 1, 3 0) };
    ($sum:ident, $x:ident, $y:ident, 4) => { products!($sum, $x, $y; 0 4, 1 3, 2 2, 3 1, 4 0) };
    ($sum:ident, $x:ident, $y:ident, 5) => { products!($sum, $x, $y; 0 5, 1 4, 2 3, 3 2, 4 1, 5 0) };
    ($sum:ident, $x:ident, $y:ident, 6) => { products!($sum, $x, $y; 0 6, 1 5, 2 4, 3 3, 4 2, 5 1, 6 0) };
    ($sum:ident, $x:ident, $y:ident, 7) => { products!($sum, $x, $y; 0 7, 1 6, 2 5, 3 4, 4 3, 5 2, 6 1, 7 0) };
    ($sum:ident, $x:ident, $y:ident, 8) => { products!($sum, $x, $y; 0 8, 1 7, 2 6, 3 5, 4 4, 5 3, 6 2, 7 1, 8 0) };
    ($sum:ident, $x:ident, $y:ident, 9) => { products!($sum, $x, $y; 1 8, 2 7, 3 6, 4 5, 5 4, 6 3, 7 2, 8 1) };
    ($sum:ident, $x:ident, $y:ident, 10) => { products!($sum, $x, $y; 2 8, 3 7, 4 6, 5 5, 6 4, 7 3, 8 2) };
    ($sum:ident, $x:ident, $y:ident, 11) => { products!($sum, $x, $y; 3 8, 4 7, 5 6, 6 5, 7 4, 8 3) };
    ($sum:ident, $x:ident, $y:ident, 12) => { products!($sum, $x, $y; 4 8, 5 7, 6 6, 7 5, 8 4) };
    ($sum:ident, $x:ident, $y:ident, 13) => { products!($sum, $x, $y; 5 8, 6 7, 7 6, 8 5) };
    ($sum:ident, $x:ident, $y:ident, 14) => { products!($sum, $x, $y; 6 8, 7 7, 8 6) };
    ($sum:ident, $x:ident, $y:ident, 15) => { products!($sum, $x, $y; 7 8, 8 7) };
    ($sum:ident, $x:ident, $y:ident, 16) => { products!($sum, $x, $y; 8 8) };
}

/// A column that Montgomery's reduction clears, by adding the suitable multiple of p.
macro_rules! low_column {
    ($k:tt, $sum:ident, $m:ident, $digit:ident; $($x:ident * $y:ident),+) => {
        $(limb_products!($sum, $x, $y, $k);)+
        limb_products!($sum, $m, P, $k);
        $m[$k] = $sum.wrapping_mul(INVERSE) & $digit;
        $sum += $m[$k] * P[0];
    };
}

/// A column of the result.
macro_rules! high_column {
    ($k:tt, $sum:ident, $m:ident, $limb:ident; $($x:ident * $y:ident),+) => {
        $sum >>= LIMB_BITS;
        $(limb_products!($sum, $x, $y, $k);)+
        limb_products!($sum, $m, P, $k);
        let $limb = $sum & LIMB;
    };
}

/// Returns the sum of the products divided by 2^256, below p. Macros unroll it, because the optimizer for size does
/// not unroll loops, and limbs in memory cost twice as much.
///
/// A column has at most 27 products below 2^58 and a carry below 2^35: it fits. The sum of two products and the
/// multiple of p is below 2p^2 + 2^256 p, so the result is below 1.4p before the last subtraction.
macro_rules! montgomery {
    ($($x:ident * $y:ident),+) => {{
        let mut m: Limbs = [0; 9];
        let mut sum = 0u64;
        low_column!(0, sum, m, LIMB; $($x * $y),+);
        sum >>= LIMB_BITS;
        low_column!(1, sum, m, LIMB; $($x * $y),+);
        sum >>= LIMB_BITS;
        low_column!(2, sum, m, LIMB; $($x * $y),+);
        sum >>= LIMB_BITS;
        low_column!(3, sum, m, LIMB; $($x * $y),+);
        sum >>= LIMB_BITS;
        low_column!(4, sum, m, LIMB; $($x * $y),+);
        sum >>= LIMB_BITS;
        low_column!(5, sum, m, LIMB; $($x * $y),+);
        sum >>= LIMB_BITS;
        low_column!(6, sum, m, LIMB; $($x * $y),+);
        sum >>= LIMB_BITS;
        low_column!(7, sum, m, LIMB; $($x * $y),+);
        sum >>= LIMB_BITS;
        low_column!(8, sum, m, LAST_DIGIT; $($x * $y),+);
        let r0 = (sum & LIMB) >> LAST_DIGIT_BITS;
        high_column!(9, sum, m, r1; $($x * $y),+);
        high_column!(10, sum, m, r2; $($x * $y),+);
        high_column!(11, sum, m, r3; $($x * $y),+);
        high_column!(12, sum, m, r4; $($x * $y),+);
        high_column!(13, sum, m, r5; $($x * $y),+);
        high_column!(14, sum, m, r6; $($x * $y),+);
        high_column!(15, sum, m, r7; $($x * $y),+);
        high_column!(16, sum, m, r8; $($x * $y),+);
        let r9 = sum >> LIMB_BITS;
        subtract_modulus([
            r0 | r1 << 5 | r2 << 34 | r3 << 63,
            r3 >> 1 | r4 << 28 | r5 << 57,
            r5 >> 7 | r6 << 22 | r7 << 51,
            r7 >> 13 | r8 << 16 | r9 << 45,
        ])
    }};
}

/// a * b.
#[inline(never)]
fn multiply(a: &Words, b: &Words) -> Words {
    let (a, b) = (split(a), split(b));
    montgomery!(a * b)
}

/// a * b + c * d, for the price of one reduction.
#[inline(never)]
fn multiply_two(a: &Words, b: &Words, c: &Words, d: &Words) -> Words {
    let (a, b, c, d) = (split(a), split(b), split(c), split(d));
    montgomery!(a * b, c * d)
}

#[inline(never)]
fn add(a: &mut Words, b: &Words) {
    let (w0, carry) = a[0].overflowing_add(b[0]);
    let (w1, carry) = add_carry(a[1], b[1], carry);
    let (w2, carry) = add_carry(a[2], b[2], carry);
    *a = subtract_modulus([w0, w1, w2, a[3] + b[3] + carry as u64]);
}

#[inline(never)]
fn subtract(a: &mut Words, b: &Words) {
    let (words, borrow) = difference(a, b);
    *a = words;
    if borrow {
        let (w0, carry) = words[0].overflowing_add(MODULUS[0]);
        let (w1, carry) = add_carry(words[1], MODULUS[1], carry);
        let (w2, carry) = add_carry(words[2], MODULUS[2], carry);
        *a = [w0, w1, w2, words[3].wrapping_add(MODULUS[3]).wrapping_add(carry as u64)];
    }
}

/// Reduces a number below 2p to one below p.
#[inline(always)]
fn subtract_modulus(words: Words) -> Words {
    if words[3] < MODULUS[3] {
        return words;
    }
    let (less, borrow) = difference(&words, &MODULUS);
    if borrow {
        words
    } else {
        less
    }
}

#[inline(always)]
fn difference(a: &Words, b: &Words) -> (Words, bool) {
    let (w0, borrow) = a[0].overflowing_sub(b[0]);
    let (w1, borrow) = subtract_borrow(a[1], b[1], borrow);
    let (w2, borrow) = subtract_borrow(a[2], b[2], borrow);
    let (w3, borrow) = subtract_borrow(a[3], b[3], borrow);
    ([w0, w1, w2, w3], borrow)
}

#[inline(always)]
fn add_carry(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let (sum, first) = a.overflowing_add(b);
    let (sum, second) = sum.overflowing_add(carry as u64);
    (sum, first | second)
}

#[inline(always)]
fn subtract_borrow(a: u64, b: u64, borrow: bool) -> (u64, bool) {
    let (rest, first) = a.overflowing_sub(b);
    let (rest, second) = rest.overflowing_sub(borrow as u64);
    (rest, first | second)
}

#[inline(always)]
const fn split(words: &Words) -> Limbs {
    let [w0, w1, w2, w3] = *words;
    [
        w0 & LIMB,
        w0 >> 29 & LIMB,
        (w0 >> 58 | w1 << 6) & LIMB,
        w1 >> 23 & LIMB,
        (w1 >> 52 | w2 << 12) & LIMB,
        w2 >> 17 & LIMB,
        (w2 >> 46 | w3 << 18) & LIMB,
        w3 >> 11 & LIMB,
        w3 >> 40,
    ]
}
