import { type AbortSignalLike, addNewest, assertOptions, limitTime, type OptionNames } from '@wattfeed/base'
import { checkFinality } from '../consensus/finality.ts'
import { TransportError } from '../rpc/jsonRpc.ts'
import type { Node } from '../rpc/node.ts'
import { MAX_CLOCK_AHEAD_MS } from '../rpc/nodeStatus.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { StaleNodeError } from '../rpc/rpcErrors.ts'
import { MAX_REMEMBERED, type Validators } from './createValidators.ts'
import { decodeServedBlock, getBlock, type ServedBlock } from './getBlock.ts'
import { getBlockByHash } from './switchBlocks.ts'
import { VerificationError } from './verificationError.ts'

/** A block with signatures of more than two thirds of its era's weight, or the trusted block. */
export interface FinalBlock extends ServedBlock {
  /** Signed weight in motes. Counting stops as soon as it suffices. Zero for the trusted block, which needs no signature. */
  weightSigned: bigint
  /** Weight of all validators of the era, in motes. Zero for the trusted block. */
  weightTotal: bigint
}

/** Options of {@link createLightClient}. */
export interface LightClientOptions {
  rpc: Rpc
  chainName: string
  validators: Validators
  /** Hash of a block that is accepted without signatures, or null. */
  trustedBlockHash: string | null
  /** Maximum age of a head, in milliseconds. A node with an older head may hide new blocks. */
  maxHeadAgeMs: number
  /** Time limit for verifying a head, in milliseconds. After it, the next node is called. */
  maxCheckMs: number
  /** Epoch milliseconds. */
  now: () => number
}

const optionNames: OptionNames<LightClientOptions> = {
  rpc: 1,
  chainName: 1,
  validators: 1,
  trustedBlockHash: 1,
  maxHeadAgeMs: 1,
  maxCheckMs: 1,
  now: 1,
}

/** Which node a head must not come from, and when to stop. */
export interface HeadRequest {
  except?: Node | undefined
  signal?: AbortSignalLike | undefined
}

/**
 * Finds the newest final block.
 *
 * With trusted validators, it never returns to an older block and rejects a fork at the same height. Without them, a
 * node's head does not bind other nodes, and it binds the node itself only while other nodes answer.
 */
export interface LightClient {
  /**
   * Returns the newest final block and the node that served it. Skips a node if its block is forged, stale or from the
   * future, or has no final ancestor. A node whose block is before one shown earlier is called last from then on.
   *
   * @throws {AllNodesFailedError} with a `VerificationError` for each node, if all are skipped.
   */
  getHead(request?: HeadRequest): Promise<{ block: FinalBlock; node: Node }>
}

/** The origin of a head. */
interface HeadSource {
  node: Node
  /** Nodes that this call has skipped because they are lagging. */
  lagging: Set<Node>
  signal: AbortSignalLike
}

/** Maximum number of ancestors to check for finality: signatures take a few seconds to spread. */
const MAX_STEPS_BACK = 8

/** Maximum number of signatures of these blocks together: twice as many as on a real network. */
const MAX_SIGNATURES = 2_000

/**
 * Creates a light client, which trusts the validators' signatures instead of the nodes that serve them.
 *
 * With validators of {@link createTrustedValidators}, a head is proven from the block that you trust, over all eras between them.
 *
 * @example
 * ```ts
 * import { createRpc } from '@wattfeed/casper'
 * import { createLightClient, createTrustedValidators } from '@wattfeed/casper/light-client'
 *
 * async function readProvenRoot(trustedBlockHash: string): Promise<string> {
 *   const chainName = 'casper-devnet'
 *   const rpc = createRpc({ urls: ['http://localhost:11101/rpc'], chainName, fetch })
 *   const client = createLightClient({
 *     rpc,
 *     chainName,
 *     trustedBlockHash,
 *     validators: createTrustedValidators({ rpc, chainName, trustedBlockHash }),
 *     maxHeadAgeMs: 300_000,
 *     maxCheckMs: 60_000,
 *     now: Date.now,
 *   })
 *   const { block } = await client.getHead()
 *   return block.header.stateRootHash
 * }
 * ```
 *
 * @throws {InvalidArgumentError} for an option that does not exist.
 */
export function createLightClient(options: LightClientOptions): LightClient {
  assertOptions(options, optionNames)
  const { rpc, chainName, validators, trustedBlockHash, maxHeadAgeMs, maxCheckMs, now } = options
  // Nodes serve the same head many times. Its signatures are checked only once.
  const checked = new Map<string, FinalBlock>()
  /** Stays null without trusted validators. */
  let shown: FinalBlock | null = null
  const assertNotLagging = createLagCheck()

  async function asFinal(
    block: ServedBlock,
    node: Node,
    signal: AbortSignalLike,
  ): Promise<FinalBlock | null> {
    const known = checked.get(block.hash)
    if (known) return known
    if (block.hash === trustedBlockHash) return { ...block, weightSigned: 0n, weightTotal: 0n }
    const weights = await validators.weightsOf(block.header, node, signal)
    const { signed, total, isFinal } = await checkFinality(block, weights, chainName, signal)
    if (!isFinal) return null
    const final = { ...block, weightSigned: signed, weightTotal: total }
    addNewest(checked, final.hash, final, MAX_REMEMBERED)
    return final
  }

  /** Returns the head or its newest final ancestor, because a new head may not have enough signatures yet. */
  async function findFinal(head: ServedBlock, node: Node, signal: AbortSignalLike): Promise<FinalBlock> {
    let block = head
    let signatures = 0
    for (let steps = 0; steps <= MAX_STEPS_BACK; steps++) {
      if (shown !== null && isBehind(block, shown)) return shown
      signatures += block.proofs.length
      if (signatures > MAX_SIGNATURES) break
      const final = await asFinal(block, node, signal)
      if (final) return final
      if (block.header.height === 0) break
      block = await getBlockByHash(rpc, block.header.parentHash, decodeServedBlock, signal)
    }
    throw new VerificationError(
      'finality signatures',
      `block ${head.hash} and its recent ancestors are signed by two thirds of the weight or less`,
    )
  }

  async function accept(head: ServedBlock, { node, lagging, signal }: HeadSource): Promise<FinalBlock> {
    assertNotAhead(head, now())
    const block = await findFinal(head, node, signal)
    assertNoFork(block, shown)
    assertFresh(block, now(), maxHeadAgeMs)
    if (!validators.areTrusted) {
      assertNotLagging(block, node, lagging)
      return block
    }
    // Another call may have found a newer block meanwhile.
    if (shown === null || block.header.height > shown.header.height || isOfAnotherChain(block, shown))
      shown = block
    return shown
  }

  /** Limits the time per node: the next node may be faster, or its head may already be known. */
  async function acceptInTime(json: unknown, source: Omit<HeadSource, 'signal'>, signal: AbortSignalLike) {
    const error = () => new TransportError(`verifying its newest block timed out after ${maxCheckMs} ms`)
    const limit = { timeoutMs: maxCheckMs, error, signal }
    const head = decodeServedBlock(json)
    const block = await limitTime(limit, ({ signal }) => accept(head, { ...source, signal }))
    return { block, head, node: source.node }
  }

  return {
    async getHead(request = {}) {
      assertOptions(request, { except: 1, signal: 1 })
      const { except, signal } = request
      const lagging = new Set<Node>()
      // A block that is shown only during this call may be later than the answer of a node that does not lag.
      const before = shown
      const { block, head, node } = await getBlock(rpc, {
        identifier: null,
        except,
        signal,
        decode: (json, node, signal) => acceptInTime(json, { node, lagging }, signal),
      })
      if (before !== null && isBehind(head, before))
        rpc.penalize(node, new StaleNodeError(before.header.timestamp - head.header.timestamp))
      return { block, node }
    },
  }
}

const isBehind = (block: ServedBlock, shown: FinalBlock): boolean =>
  block.header.height < shown.header.height && !isOfAnotherChain(block, shown)

/** A block that is later but not higher belongs to another chain, for example to a restarted development chain. */
function isOfAnotherChain({ header }: ServedBlock, shown: FinalBlock): boolean {
  return header.height <= shown.header.height && header.timestamp > shown.header.timestamp
}

function assertNoFork(block: FinalBlock, shown: FinalBlock | null): void {
  if (shown === null || isOfAnotherChain(block, shown)) return
  if (block.header.height === shown.header.height && block.hash !== shown.hash)
    throw new VerificationError(
      'head',
      `fork: block ${block.hash} has the height of ${shown.hash}, which is final`,
    )
}

function assertFresh({ header }: ServedBlock, nowMs: number, maxAgeMs: number): void {
  const ageMs = nowMs - header.timestamp
  if (ageMs > maxAgeMs)
    throw new VerificationError(
      'head age',
      `block ${header.height} is ${ageMs} ms old, more than ${maxAgeMs}: the node hides newer blocks, or the chain has stopped`,
    )
}

function assertNotAhead({ header }: ServedBlock, nowMs: number): void {
  const aheadMs = header.timestamp - nowMs
  if (aheadMs > MAX_CLOCK_AHEAD_MS)
    throw new VerificationError(
      'head age',
      `block ${header.height} is ${aheadMs} ms ahead of this machine's clock: the block is forged, or the clock is wrong`,
    )
}

/** Compares each node's head with its previous one, for a client without trusted validators. */
function createLagCheck() {
  const times = new Map<Node, number>()
  /** Skips a lagging node once per call. If no other node answers, its earlier head may have been the forged one. */
  return ({ header }: FinalBlock, node: Node, lagging: Set<Node>): void => {
    if (header.timestamp < (times.get(node) ?? 0) && !lagging.has(node)) {
      lagging.add(node)
      throw new TransportError('lagging node: its newest block is older than its previous one')
    }
    times.set(node, header.timestamp)
  }
}
