import { limitTime } from '../../async/limitTime.ts'
import type { AbortSignalLike } from '../../async/webTypes.ts'
import { checkFinality } from '../consensus/finality.ts'
import type { Node } from '../rpc/node.ts'
import { MAX_CLOCK_AHEAD_MS } from '../rpc/nodeStatus.ts'
import { TransportError } from '../rpc/postJson.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { createMemory, type Validators } from './createValidators.ts'
import { decodeServedBlock, getBlock, type ServedBlock } from './getBlock.ts'
import { getBlockByHash } from './switchBlocks.ts'
import { VerificationError } from './verificationError.ts'

/** A block that more than two thirds of its era's weight has signed. */
export interface FinalBlock extends ServedBlock {
  /** In motes; counting stops once it suffices. */
  weightSigned: bigint
  /** Weight of all validators of its era, in motes. */
  weightTotal: bigint
}

export interface LightClientOptions {
  rpc: Rpc
  chainName: string
  validators: Validators
  /** The hash of a block that needs no signatures, or null. */
  trustedBlockHash: string | null
  /** Maximum age of a head, in milliseconds: a node that serves an older one may hide new blocks. */
  maxHeadAgeMs: number
  /**
   * How long verifying a head may take before another node is asked, in milliseconds.
   * @default 4000
   */
  maxCheckMs?: number
  /** Wall clock in epoch milliseconds. */
  now: () => number
}

export interface HeadRequest {
  /** A node not to ask. */
  except?: Node | undefined
  signal?: AbortSignalLike | undefined
}

/**
 * Finds the newest final block. With trusted validators it never goes back to an older one, and accepts no other at the
 * same height. Without, a node's head does not bind other nodes, and the node itself only while others answer.
 */
export interface LightClient {
  /**
   * Returns the newest final block and the node that served it, by `chain_get_block`. Skips nodes whose block is forged,
   * stale, from the future, or without final ancestors.
   *
   * @throws {AllNodesFailedError} with a `VerificationError` for each node, if all are skipped.
   */
  getHead(request?: HeadRequest): Promise<{ block: FinalBlock; node: Node }>
}

/** Where a head came from. */
interface Asked {
  node: Node
  /** Nodes already skipped in this call because they lag. */
  lagging: Set<Node>
  signal: AbortSignalLike
}

/** How far back to look for a final block: signatures take a few seconds to spread. */
const MAX_STEPS_BACK = 8

/** Limit for the signatures of these blocks together: twice what a network has. */
const MAX_SIGNATURES = 2_000

/** Creates a light client, which trusts validators' signatures rather than the nodes that serve them. */
export function createLightClient(options: LightClientOptions): LightClient {
  const { rpc, chainName, validators, trustedBlockHash, maxHeadAgeMs, now } = options
  const { maxCheckMs = 4_000 } = options
  // The same head is served again and again; its signatures are checked once.
  const checked = createMemory<FinalBlock>()
  /** Stays null if validators are not trusted. */
  let shown: FinalBlock | null = null
  const noteTime = createTimes()

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
    checked.add(final)
    return final
  }

  /** Returns the head or its newest final ancestor: a new head's signatures may not suffice yet. */
  async function findFinal(head: ServedBlock, node: Node, signal: AbortSignalLike): Promise<FinalBlock> {
    let block = head
    let signatures = 0
    for (let steps = 0; steps <= MAX_STEPS_BACK; steps++) {
      if (shown && block.header.height < shown.header.height && !isOfAnotherChain(block, shown)) return shown
      signatures += block.proofs.length
      if (signatures > MAX_SIGNATURES) break
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

  async function accept(json: unknown, { node, lagging, signal }: Asked): Promise<FinalBlock> {
    const head = decodeServedBlock(json)
    assertNotAhead(head, now())
    const block = await findFinal(head, node, signal)
    assertNoFork(block, shown)
    assertFresh(block, now(), maxHeadAgeMs)
    if (!validators.areTrusted) {
      noteTime(block, node, lagging)
      return block
    }
    // Another call may have found a newer one meanwhile.
    if (shown === null || block.header.height > shown.header.height || isOfAnotherChain(block, shown))
      shown = block
    return shown
  }

  /** Limits the time per node: another may be quicker, or its head already known. */
  async function acceptInTime(json: unknown, asked: Omit<Asked, 'signal'>, signal: AbortSignalLike) {
    const error = () => new TransportError(`its head was not verified within ${maxCheckMs} ms`)
    const limit = { timeoutMs: maxCheckMs, error, signal }
    const block = await limitTime(limit, ({ signal }) => accept(json, { ...asked, signal }))
    return { block, node: asked.node }
  }

  return {
    getHead({ except, signal } = {}) {
      const lagging = new Set<Node>()
      return getBlock(rpc, {
        identifier: null,
        except,
        signal,
        decode: (json, node, signal) => acceptInTime(json, { node, lagging }, signal),
      })
    },
  }
}

/** Later yet no higher means another chain, such as a restarted development chain. */
function isOfAnotherChain({ header }: ServedBlock, shown: FinalBlock | null): boolean {
  if (shown === null) return false
  return header.height <= shown.header.height && header.timestamp > shown.header.timestamp
}

function assertNoFork(block: FinalBlock, shown: FinalBlock | null): void {
  if (isOfAnotherChain(block, shown)) return
  if (shown && block.header.height === shown.header.height && block.hash !== shown.hash)
    throw new VerificationError('head', `block ${block.hash} stands where ${shown.hash} was final before`)
}

function assertFresh({ header }: ServedBlock, nowMs: number, maxAgeMs: number): void {
  const ageMs = nowMs - header.timestamp
  if (ageMs > maxAgeMs)
    throw new VerificationError(
      'head age',
      `block ${header.height} is ${ageMs} ms old, more than ${maxAgeMs}: the node hides newer ones, or the chain stands still`,
    )
}

function assertNotAhead({ header }: ServedBlock, nowMs: number): void {
  const aheadMs = header.timestamp - nowMs
  if (aheadMs > MAX_CLOCK_AHEAD_MS)
    throw new VerificationError(
      'head age',
      `block ${header.height}: its time is ${aheadMs} ms ahead of this machine's clock: the node made it up, or the clock is wrong`,
    )
}

/** Remembers the time of each node's last head, if validators are not trusted. */
function createTimes() {
  const times = new Map<Node, number>()
  /** Skips a lagging node once per call: if no other answers, its earlier head may have been the lie. */
  return ({ header }: FinalBlock, node: Node, lagging: Set<Node>): void => {
    if (header.timestamp < (times.get(node) ?? 0) && !lagging.has(node)) {
      lagging.add(node)
      throw new TransportError('its newest block is older than the one that it has shown before')
    }
    times.set(node, header.timestamp)
  }
}
