import { blake2b } from '@noble/hashes/blake2.js'
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { type AbortSignalLike, createByteWriter } from '@wattfeed/base'
import type { Block, FinalitySignature } from '../types/block.ts'
import type { ValidatorWeight } from '../types/blockHeader.ts'
import { verifySignature } from './verifySignature.ts'

/** Weights by public key, in motes. */
export type ValidatorWeights = ReadonlyMap<string, bigint>

/** The signed part of an era's weight. */
export interface SignedWeight {
  signed: bigint
  total: bigint
  /** Whether strictly more than two thirds of the weight have signed. */
  isFinal: boolean
}

export function validatorWeights(list: readonly ValidatorWeight[]): ValidatorWeights {
  return new Map(list.map(({ validator, weight }) => [validator, weight]))
}

/**
 * Returns the message of a finality signature: block hash, height, era and the blake2b-256 of the chain name. The chain
 * name prevents replays of signatures from other chains. Before protocol 2, the message was block hash and era only.
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
 * Checks a block's finality signatures against the weights of its era, which the previous switch block sets.
 *
 * Checks the signatures of the heaviest validators first, and stops when they suffice. Skips invalid, repeated and foreign
 * signatures, because a node may mix them with valid ones. Works in slices to keep the event loop responsive.
 *
 * @throws the signal's reason once it is aborted.
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
  /** Unchecked. */
  signatures: FinalitySignature[]
}

/** Maximum number of signatures to check per validator. An honest node sends one; a flood would keep the client busy. */
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
  return [...candidates.values()].sort((a, b) => Number(b.weight > a.weight) - Number(a.weight > b.weight))
}

/** Returns the number of candidates that suffice if all their signatures are valid. */
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

/** About as many signatures as a block on a real network has. The runtime's crypto threads need 1 ms for them. */
const SLICE = 100

async function checkSlice(candidates: readonly Candidate[], message: Uint8Array): Promise<bigint> {
  const checked = await Promise.all(candidates.map((each) => checkedWeight(each, message)))
  return checked.reduce((sum, weight) => sum + weight, 0n)
}

async function checkedWeight({ weight, signatures }: Candidate, message: Uint8Array): Promise<bigint> {
  for (const { publicKey, signature } of signatures)
    if (await verifySignature(publicKey, message, signature)) return weight
  return 0n
}
