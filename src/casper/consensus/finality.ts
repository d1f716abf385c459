import { blake2b } from '@noble/hashes/blake2.js'
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import type { AbortSignalLike } from '../../async/webTypes.ts'
import { createByteWriter } from '../../bytes/byteWriter.ts'
import type { Block, FinalitySignature } from '../types/block.ts'
import type { ValidatorWeight } from '../types/blockHeader.ts'
import { verifySignature } from './verifySignature.ts'

/** By public key, in motes. */
export type ValidatorWeights = ReadonlyMap<string, bigint>

/** How much of an era's weight has signed a block. */
export interface SignedWeight {
  /** Counted until it was enough, in motes. */
  signed: bigint
  /** Of all validators of the era, in motes. */
  total: bigint
  /** Strictly more than two thirds have signed. */
  isFinal: boolean
}

/** Weights by validator; one that is listed twice is counted once, with its last weight. */
export function validatorWeights(list: readonly ValidatorWeight[]): ValidatorWeights {
  return new Map(list.map(({ validator, weight }) => [validator, weight]))
}

/**
 * What a finality signature signs: block hash, height and era, and the blake2b-256 of the chain's name, so that no
 * other chain's signature serves. Before protocol 2 it was block hash and era alone.
 */
export function finalityMessage(
  { hash, header }: Pick<Block, 'hash' | 'header'>,
  chainName: string,
): Uint8Array {
  const message = createByteWriter(80).bytes(hexToBytes(hash))
  if (header.version === 1) return message.u64(header.eraId).finish()
  const name = blake2b(utf8ToBytes(chainName), { dkLen: 32 })
  return message.u64(header.height).u64(header.eraId).bytes(name).finish()
}

/**
 * Checks a block's finality signatures against the weights of its era, which the era's predecessor decides on.
 *
 * The heaviest are checked first, and no more than it takes. Signatures that are wrong, repeated or of others are
 * left out of the count: a node may serve some beside good ones. They are checked in slices, so that other work of
 * the event loop has its turn.
 *
 * @throws the signal's reason once it is aborted.
 *
 * @example
 * ```ts
 * const weights = validatorWeights(lastSwitchBlock.header.eraEnd.nextEraValidatorWeights)
 * const { isFinal } = await checkFinality(block, weights, 'casper-test')
 * ```
 */
export async function checkFinality(
  block: Block,
  weights: ValidatorWeights,
  chainName: string,
  signal?: AbortSignalLike,
): Promise<SignedWeight> {
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0n)
  const message = finalityMessage(block, chainName)
  const isEnough = (weight: bigint): boolean => weight * 3n > total * 2n
  let left = heaviestFirst(block.proofs, weights)
  let signed = 0n
  while (left.length > 0 && !isEnough(signed)) {
    signal?.throwIfAborted()
    const wanted = Math.min(countUntil(left, signed, isEnough), SLICE)
    signed += await checkSlice(left.slice(0, wanted), message)
    left = left.slice(wanted)
  }
  return { signed, total, isFinal: isEnough(signed) }
}

interface Candidate {
  weight: bigint
  /** What is said to be of this validator. */
  signatures: FinalitySignature[]
}

/** A node has one signature of each validator: more are only there to keep a reader busy. */
const MAX_TRIED = 2

function heaviestFirst(proofs: readonly FinalitySignature[], weights: ValidatorWeights): Candidate[] {
  const candidates = new Map<string, Candidate>()
  for (const proof of proofs) {
    const weight = weights.get(proof.publicKey)
    if (weight === undefined) continue
    const known = candidates.get(proof.publicKey)
    if (known && known.signatures.length < MAX_TRIED) known.signatures.push(proof)
    else if (!known) candidates.set(proof.publicKey, { weight, signatures: [proof] })
  }
  return [...candidates.values()].sort((a, b) => (a.weight === b.weight ? 0 : a.weight > b.weight ? -1 : 1))
}

/** How many of the candidates would be enough, were all of them good. */
function countUntil(
  candidates: readonly Candidate[],
  signed: bigint,
  isEnough: (weight: bigint) => boolean,
): number {
  let sum = signed
  const last = candidates.findIndex(({ weight }) => {
    sum += weight
    return isEnough(sum)
  })
  return last === -1 ? candidates.length : last + 1
}

/** As many signatures as a network has of a block: what checks them elsewhere takes that many in a millisecond. */
const SLICE = 100

/** What the good ones among some candidates weigh. */
async function checkSlice(candidates: readonly Candidate[], message: Uint8Array): Promise<bigint> {
  const checked = await Promise.all(candidates.map((each) => checkedWeight(each, message)))
  return checked.reduce((sum, weight) => sum + weight, 0n)
}

async function checkedWeight({ weight, signatures }: Candidate, message: Uint8Array): Promise<bigint> {
  for (const { publicKey, signature } of signatures)
    if (await verifySignature(publicKey, message, signature)) return weight
  return 0n
}
