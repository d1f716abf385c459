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
  const curves = await import('@noble/curves/bn254.js')
  const signals = publicSignalsOf(proof)
  const coordinates = coordinatesOf(proof.proof, curves.bn254.fields.Fp.ORDER)
  if (coordinates === null || signals.some((signal) => signal < 0n || signal >= ORDER)) return false
  try {
    return isBalanced(curves.bn254, coordinates, signals)
  } catch {
    // A point is off its curve, outside its subgroup, or infinity.
    return false
  }
}

/** In the order of the circuit. */
const publicSignalsOf = ({ merkleRoot, nullifier, accountHash, gatePackageHash }: MembershipProof) => [
  merkleRoot,
  nullifier,
  hashToField(accountHash),
  hashToField(gatePackageHash),
]

/** Decodes a proof's coordinates; null unless there are eight, all below the order of the base field. */
function coordinatesOf(hex: string, order: bigint): bigint[] | null {
  if (!/^[0-9a-f]{512}$/.test(hex)) return null
  const numbers = (hex.match(/.{64}/g) ?? []).map((digits) => BigInt(`0x${digits}`))
  return numbers.every((number) => number < order) ? numbers : null
}

/** Whether e(a, b) = e(alpha, beta) e(sum of the signals' points, gamma) e(c, delta). @throws for an invalid point. */
function isBalanced(
  { G1, G2, fields, pairingBatch }: typeof bn254,
  [ax = 0n, ay = 0n, bx1 = 0n, bx0 = 0n, by1 = 0n, by0 = 0n, cx = 0n, cy = 0n]: readonly bigint[],
  signals: readonly bigint[],
): boolean {
  const { Fp2, Fp12 } = fields
  const g1 = ([x = 0, y = 0]: Numbers) => G1.Point.fromAffine({ x: BigInt(x), y: BigInt(y) })
  const fp2 = ([c0 = 0, c1 = 0]: Numbers = []) => Fp2.fromBigTuple([BigInt(c0), BigInt(c1)])
  const g2 = ([x, y]: readonly Numbers[]) => G2.Point.fromAffine({ x: fp2(x), y: fp2(y) })
  const [first = G1.Point.ZERO, ...points] = key.ic.map(g1)
  const sum = points.reduce(
    (total, point, index) => total.add(point.multiplyUnsafe(signals[index] ?? 0n)),
    first,
  )
  // pairingBatch checks that each point is on its curve and in its subgroup.
  const product = pairingBatch([
    {
      g1: g1([ax, ay]).negate(),
      g2: g2([
        [bx0, bx1],
        [by0, by1],
      ]),
    },
    { g1: g1(key.alpha), g2: g2(key.beta) },
    { g1: sum, g2: g2(key.gamma) },
    { g1: g1([cx, cy]), g2: g2(key.delta) },
  ])
  return Fp12.eql(product, Fp12.ONE)
}

type Numbers = readonly (string | number | bigint)[]
