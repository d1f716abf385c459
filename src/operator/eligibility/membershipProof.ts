import type { bn254 } from '@noble/curves/bn254.js'
import { hashToField, ORDER } from './fieldElement.ts'
import key from './verificationKey.json' with { type: 'json' }

export interface MembershipProof {
  merkleRoot: bigint
  /** The same in all proofs of one identity at one gate. */
  nullifier: bigint
  /** 512 hex digits: a.x, a.y, b.x.c1, b.x.c0, b.y.c1, b.y.c0, c.x, c.y. */
  proof: string
  /** 64 hex digits: the account that may claim with it. */
  accountHash: string
  /** 64 hex digits: the gate to claim at. */
  gatePackageHash: string
}

/** Verification results: a proof is verified once, even if its claim is retried. */
const verified = new WeakMap<MembershipProof, Promise<boolean>>()

/**
 * Verifies a proof as the gate does, by Groth16 on BN254 with the gate's verification key: 0.05 s, 0.15 s the first time.
 *
 * @see contracts/src/semaphore.rs, which rejects the same proofs
 */
export function verifyMembershipProof(proof: MembershipProof): Promise<boolean> {
  const known = verified.get(proof) ?? verify(proof)
  verified.set(proof, known)
  return known
}

async function verify(proof: MembershipProof): Promise<boolean> {
  // Loaded here, because only this needs it.
  const { bn254 } = await import('@noble/curves/bn254.js')
  const signals = publicSignalsOf(proof)
  const points = pointsOf(proof.proof, bn254.fields.Fp.ORDER)
  if (points === null || signals.some((signal) => signal < 0n || signal >= ORDER)) return false
  return isBalanced(bn254, points, signals)
}

/** In the order of the circuit. */
const publicSignalsOf = ({ merkleRoot, nullifier, accountHash, gatePackageHash }: MembershipProof) => [
  merkleRoot,
  nullifier,
  hashToField(accountHash),
  hashToField(gatePackageHash),
]

/** A point of G1: x and y. */
type Pair = readonly [bigint, bigint]

/** A point of G2: x and y, each with c0 first. */
type PairOfPairs = readonly [Pair, Pair]

interface ProofPoints {
  readonly a: Pair
  readonly b: PairOfPairs
  readonly c: Pair
}

/** Decodes a proof's points; null unless it has eight coordinates, all below the order of the base field. */
function pointsOf(hex: string, order: bigint): ProofPoints | null {
  if (!/^[0-9a-f]{512}$/.test(hex)) return null
  const numberAt = (index: number): bigint => BigInt(`0x${hex.slice(index * 64, index * 64 + 64)}`)
  const pairAt = (first: number, second: number): Pair => [numberAt(first), numberAt(second)]
  // The proof has c1 before c0.
  const points = { a: pairAt(0, 1), b: [pairAt(3, 2), pairAt(5, 4)], c: pairAt(6, 7) } as const
  const numbers = [points.a, points.b, points.c].flat(2)
  return numbers.every((number) => number < order) ? points : null
}

/** Returns whether e(a, b) = e(alpha, beta) e(sum of the signals' points, gamma) e(c, delta); false for an invalid point. */
function isBalanced(
  { G1, G2, fields, pairingBatch }: typeof bn254,
  points: ProofPoints,
  signals: readonly bigint[],
): boolean {
  const { Fp2, Fp12 } = fields
  const g1 = ([x, y]: Pair) => G1.Point.fromAffine({ x, y })
  const g2 = ([x, y]: PairOfPairs) =>
    G2.Point.fromAffine({ x: Fp2.fromBigTuple([...x]), y: Fp2.fromBigTuple([...y]) })
  const [a, b, c] = [g1(points.a), g2(points.b), g1(points.c)]
  if (key.ic.length !== signals.length + 1)
    throw new Error(`the verification key is of a circuit with ${key.ic.length - 1} signals`)
  const keyPoint = (index: number) => g1(pairOf(key.ic[index] ?? []))
  const sum = signals.reduce(
    (total, signal, index) => total.add(keyPoint(index + 1).multiplyUnsafe(signal)),
    keyPoint(0),
  )
  // A pairing of infinity is an error.
  if (![a, b, c].every(isValid) || sum.is0()) return false
  const product = pairingBatch([
    { g1: a.negate(), g2: b },
    { g1: g1(pairOf(key.alpha)), g2: g2(pairsOf(key.beta)) },
    { g1: sum, g2: g2(pairsOf(key.gamma)) },
    { g1: c, g2: g2(pairsOf(key.delta)) },
  ])
  return Fp12.eql(product, Fp12.ONE)
}

/** Returns whether a point is on its curve, in its subgroup, and not infinity. */
function isValid(point: { is0(): boolean; assertValidity(): void }): boolean {
  if (point.is0()) return false
  try {
    point.assertValidity()
    return true
  } catch {
    return false
  }
}

function pairOf([x, y]: readonly string[]): Pair {
  if (x === undefined || y === undefined)
    throw new Error('a point of the verification key lacks a coordinate')
  return [BigInt(x), BigInt(y)]
}

const pairsOf = ([x = [], y = []]: readonly (readonly string[])[]): PairOfPairs => [pairOf(x), pairOf(y)]
