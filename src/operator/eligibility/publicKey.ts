import { parseFieldElement } from './fieldElement.ts'
import { ProverError } from './proverError.ts'

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

/** Formats a public key as Semaphore's `identity.publicKey` prints: `x,y`, in decimal. */
export const formatPublicKey = ([x, y]: Point): string => `${x},${y}`

/**
 * Parses public keys, `x,y` in decimal or in hex with 0x.
 *
 * @throws {ProverError} for a text that is not the public key of an identity, and for a commitment, which may be the
 * root of a whole tree of identities.
 */
export async function parsePublicKeys(texts: readonly string[]): Promise<Point[]> {
  const keys: Point[] = []
  for (const text of texts) keys.push(await parsePublicKey(text))
  return keys
}

export async function parsePublicKey(text: string): Promise<Point> {
  const [x = null, y = null, ...others] = text.split(',').map(parseFieldElement)
  if (x !== null && y === null && !text.includes(','))
    throw keyError(
      text,
      'a commitment may hide a whole tree of identities; use the public key that "identity <file>" shows to its holder',
    )
  if (x === null || y === null || others.length > 0)
    throw keyError(text, 'give x,y in decimal or in hex with 0x, as "identity <file>" shows it')
  const fault = await publicKeyFault([x, y])
  if (fault !== null) throw keyError(text, `${fault}; use the one that "identity <file>" shows to its holder`)
  return [x, y]
}

const keyError = (text: string, rule: string): ProverError =>
  new ProverError({ reason: 'public_key', message: `${text.slice(0, 170)} is not a public key: ${rule}` })
