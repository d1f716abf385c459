//! A product of pairings, with a check that an untrusted point is in its subgroup.
//!
//! arkworks' pairing expects points of the second group's subgroup. Its check of that is a separate
//! multiplication. Here the loop itself checks it. The steps after the loop are arkworks'.
use ark_ec::bn::BnConfig;
use ark_ec::pairing::{MillerLoopOutput, Pairing as _};
use ark_ec::short_weierstrass::SWCurveConfig;
use ark_ff::{AdditiveGroup, Field, MontFp, One, Zero};

use super::curve::{Config, Fq12, Fq2, G1Affine, G2Affine, G2Config, Pairing};
use super::field::{adopt, Fq};

const HALF: Fq = adopt(MontFp!("10944121435919637611123202872628637544348155578648911831344518947322613104292"));

/// Returns the product of e(p, q), or None if the first q is not in its curve's subgroup. The others must be in it.
///
/// No point may be infinity.
pub fn product<const N: usize>(pairs: &[(G1Affine, G2Affine); N]) -> Option<Fq12> {
    let mut walks = pairs.map(|(_, q)| Walk::start(q));
    let mut f = Fq12::one();
    let digits = Config::ATE_LOOP_COUNT;
    for digit in digits[..digits.len() - 1].iter().rev() {
        f.square_in_place();
        for (walk, (p, q)) in walks.iter_mut().zip(pairs) {
            multiply_line(&mut f, walk.double(), p);
            if *digit != 0 {
                let step = if *digit == 1 { *q } else { -*q };
                multiply_line(&mut f, walk.add(&step), p);
            }
        }
    }
    for (walk, (p, q)) in walks.iter_mut().zip(pairs) {
        let once = frobenius(q);
        let twice = -frobenius(&once);
        multiply_line(&mut f, walk.add(&once), p);
        multiply_line(&mut f, walk.add(&twice), p);
    }
    if !walks[0].ended_as_in_subgroup(&pairs[0].1) {
        return None;
    }
    Pairing::final_exponentiation(MillerLoopOutput(f)).map(|output| output.0)
}

/// Coefficients of y, of x and of 1.
type Line = (Fq2, Fq2, Fq2);

/// The current point of the loop, in homogeneous coordinates.
struct Walk {
    x: Fq2,
    y: Fq2,
    z: Fq2,
}

impl Walk {
    fn start(q: G2Affine) -> Self {
        Walk { x: q.x, y: q.y, z: Fq2::ONE }
    }

    /// Doubles, and returns the tangent. <https://eprint.iacr.org/2013/722>, section 4.3
    #[inline(never)]
    fn double(&mut self) -> Line {
        let mut a = self.x * self.y;
        a.mul_assign_by_fp(&HALF);
        let b = self.y.square();
        let c = self.z.square();
        let e = G2Config::COEFF_B * (c.double() + c);
        let f = e.double() + e;
        let mut g = b + f;
        g.mul_assign_by_fp(&HALF);
        let h = (self.y + self.z).square() - (b + c);
        let i = e - b;
        let j = self.x.square();
        let e_square = e.square();
        self.x = a * (b - f);
        self.y = g.square() - (e_square.double() + e_square);
        self.z = b * h;
        (-h, j.double() + j, i)
    }

    /// Adds q, and returns the line through both.
    #[inline(never)]
    fn add(&mut self, q: &G2Affine) -> Line {
        let theta = self.y - q.y * self.z;
        let lambda = self.x - q.x * self.z;
        let c = theta.square();
        let d = lambda.square();
        let e = lambda * d;
        let f = self.z * c;
        let g = self.x * d;
        let h = e + f - g.double();
        self.x = lambda * h;
        self.y = theta * (g - h) - e * self.y;
        self.z *= e;
        let j = theta * q.x - lambda * q.y;
        (lambda, -theta, j)
    }

    /// Whether the start is in the subgroup, by the end point of the loop: [6x+2]q + ψ(q) - ψ²(q) with ψ as in
    /// [`frobenius`].
    ///
    /// That is -ψ³(q) in the subgroup, and nowhere else: the points with [6x+2]q + ψ(q) - ψ²(q) + ψ³(q) = 0 are the kernel
    /// of an endomorphism. Its norm has only the factor r, once, in common with the curve's order. (Because
    /// ψ² = [t]ψ - [p], it is a + bψ for two integers, with the norm a² + abt + b²p.)
    /// <https://eprint.iacr.org/2022/352>, section 4
    ///
    /// The formulas are invalid for adding a point to itself or to its opposite, which can only happen outside the
    /// subgroup. In that case z becomes 0 and stays 0.
    fn ended_as_in_subgroup(&self, q: &G2Affine) -> bool {
        let end = -frobenius(&frobenius(&frobenius(q)));
        !self.z.is_zero() && self.x == end.x * self.z && self.y == end.y * self.z
    }
}

/// Multiplies by the value of a line at a point.
#[inline(never)]
fn multiply_line(f: &mut Fq12, line: Line, p: &G1Affine) {
    let (mut y, mut x, one) = line;
    y.mul_assign_by_fp(&p.y);
    x.mul_assign_by_fp(&p.x);
    f.mul_by_034(&y, &x, &one);
}

/// ψ, the p-th power map on the curve, transferred to the twist.
fn frobenius(q: &G2Affine) -> G2Affine {
    let mut image = *q;
    image.x.conjugate_in_place();
    image.x *= Config::TWIST_MUL_BY_Q_X;
    image.y.conjugate_in_place();
    image.y *= Config::TWIST_MUL_BY_Q_Y;
    image
}
