/** A point on Baby Jubjub: two elements of BN254's scalar field. */
export type Point = readonly [x: bigint, y: bigint]

/**
 * Returns why a point cannot be the public key of an identity, which has prime order; null if it can.
 *
 * @see https://eips.ethereum.org/EIPS/eip-2494
 */
export async function publicKeyFault([x, y]: Point): Promise<string | null> {
  // Loaded here, because only groups need it.
  const { babyjubjub } = await import('@noble/curves/misc.js')
  const { p, a, d } = babyjubjub.Point.CURVE()
  if (x < 0n || y < 0n || x >= p || y >= p) return 'a coordinate is not below the field’s order'
  const [xx, yy] = [x * x, y * y]
  if ((a * xx + yy - 1n - d * xx * yy) % p !== 0n) return 'the point is not on the Baby Jubjub curve'
  const point = babyjubjub.Point.fromAffine({ x, y })
  return point.is0() || !point.isTorsionFree() ? 'the point is not in the prime-order subgroup' : null
}
