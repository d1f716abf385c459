import { checkFinality } from '../block/finality.ts'
import { decodeServedBlock, getBlock, type ServedBlock } from '../block/getBlock.ts'
import { limitTime } from '../limitTime.ts'
import type { Node } from '../nodePool.ts'
import { TransportError } from '../postJson.ts'
import type { Rpc } from '../rpc.ts'
import type { Validators } from './createValidators.ts'
import { getBlockByHash } from './switchBlocks.ts'
import { VerificationError } from './verificationError.ts'

/** A block that more than two thirds of its era's weight has signed. */
export interface FinalBlock extends ServedBlock {
  /** Counted until it was enough, in motes. */
  weightSigned: bigint
  /** Of all validators of its era, in motes. */
  weightTotal: bigint
}

export interface LightClientOptions {
  rpc: Rpc
  chainName: string
  validators: Validators
  /** The hash of a block that needs no signatures, or null. */
  trustedBlockHash: string | null
  /** A head that is older is refused: the node may hide new blocks. In milliseconds. */
  maxHeadAgeMs: number
  /**
   * The longest that a head may take to verify before another node is asked, in milliseconds.
   * @default 4000
   */
  longestCheckMs?: number
  now: () => number
}

/** Finds the newest final block, and never steps back from it. */
export interface LightClient {
  /**
   * The newest final block and the node that knows it, by `chain_get_block`.
   *
   * A node that sends a block which is forged, stale, or without final ancestors is passed over; where all do, it
   * throws an `AllNodesFailedError` that holds a `VerificationError` for each.
   */
  getHead(signal?: AbortSignal): Promise<{ block: FinalBlock; node: Node }>
}

/** How far back a final block is looked for: signatures need a few seconds to spread. */
const MOST_STEPS_BACK = 8

/** Creates a light client: it believes what validators have signed, not the node that serves it. */
export function createLightClient(options: LightClientOptions): LightClient {
  const { rpc, chainName, validators, trustedBlockHash, maxHeadAgeMs, now } = options
  const { longestCheckMs = 4_000 } = options
  let shown: FinalBlock | null = null

  async function asFinal(block: ServedBlock, node: Node, signal: AbortSignal): Promise<FinalBlock | null> {
    if (block.hash === shown?.hash) return shown
    if (block.hash === trustedBlockHash) return { ...block, weightSigned: 0n, weightTotal: 0n }
    const weights = await validators.weightsOf(block.header, node, signal)
    const { signed, total, isFinal } = await checkFinality(block, weights, chainName)
    return isFinal ? { ...block, weightSigned: signed, weightTotal: total } : null
  }

  /** A head whose signatures are still short is no lie: one of its ancestors is final. */
  async function findFinal(head: ServedBlock, node: Node, signal: AbortSignal): Promise<FinalBlock> {
    let block = head
    for (let steps = 0; steps <= MOST_STEPS_BACK; steps++) {
      if (shown && block.header.height < shown.header.height) return shown
      const final = await asFinal(block, node, signal)
      if (final) return final
      if (block.header.height === 0) break
      block = await getBlockByHash(rpc, block.header.parentHash, decodeServedBlock, signal)
    }
    throw new VerificationError(
      'finality signatures',
      `two thirds of the weight or less have signed block ${head.hash} and those before it`,
    )
  }

  function assertNoFork(block: FinalBlock): void {
    if (shown && block.header.height === shown.header.height && block.hash !== shown.hash)
      throw new VerificationError('head', `block ${block.hash} stands where ${shown.hash} was final before`)
  }

  function assertFresh({ header }: FinalBlock): void {
    const ageMs = now() - header.timestamp
    if (ageMs > maxHeadAgeMs)
      throw new VerificationError(
        'head age',
        `block ${header.height} is ${ageMs} ms old, more than ${maxHeadAgeMs}: the node hides newer ones, or the chain stands still`,
      )
  }

  async function accept(json: unknown, node: Node, signal: AbortSignal): Promise<FinalBlock> {
    const block = await findFinal(decodeServedBlock(json), node, signal)
    assertNoFork(block)
    assertFresh(block)
    // While this one was checked, another call may have shown a newer one.
    if (shown === null || block.header.height > shown.header.height) shown = block
    return shown
  }

  /** A node whose head takes too long is passed over: others may be quicker, or their heads already known. */
  function acceptInTime(json: unknown, node: Node, signal?: AbortSignal): Promise<FinalBlock> {
    const error = () => new TransportError(`its head was not verified within ${longestCheckMs} ms`)
    return limitTime({ timeoutMs: longestCheckMs, error, signal }, (limited) => accept(json, node, limited))
  }

  return {
    getHead: (signal) =>
      getBlock(rpc, {
        identifier: null,
        signal,
        accept: async (json, node) => ({ block: await acceptInTime(json, node, signal), node }),
      }),
  }
}
