import { expect, test } from 'bun:test'

// BN254: the parameter, the field's modulus, the group's order, the trace, the order of the twist.
const x = 4965661367192848881n
const p = 36n * x ** 4n + 36n * x ** 3n + 24n * x ** 2n + 6n * x + 1n
const r = p - 6n * x ** 2n
const t = 6n * x ** 2n + 1n
const order = r * (2n * p - r)

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b))

/** Norm of a polynomial in the endomorphism ψ of the twist, lowest coefficient first; ψ² = tψ - p. */
function norm(polynomial: readonly bigint[]): bigint {
  const [a = 0n, b = 0n] = polynomial.reduceRight<[bigint, bigint]>(
    ([low, high], coefficient) => [coefficient - high * p, low + high * t],
    [0n, 0n],
  )
  return a * a + a * b * t + b * b * p
}

test('the end of the pairings’ loop decides on the subgroup: contracts/src/semaphore/pairing.rs', () => {
  expect(p).toBe(21888242871839275222246405745257275088696311157297823662689037894645226208583n)
  expect(r).toBe(21888242871839275222246405745257275088548364400416034343698204186575808495617n)
  const kernel = norm([6n * x + 2n, 1n, -1n, 1n])
  expect(kernel % r).toBe(0n)
  expect(gcd(kernel / r, order)).toBe(1n)
})
