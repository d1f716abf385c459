import { limitTime } from '../../async/limitTime.ts'
import type { AbortSignalLike } from '../../async/webTypes.ts'
import { checkFinality } from '../consensus/finality.ts'
import type { Node } from '../rpc/nodePool.ts'
import { MAX_AHEAD_MS } from '../rpc/nodeStatus.ts'
import { TransportError } from '../rpc/postJson.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { createMemory, type Validators } from './createValidators.ts'
import { decodeServedBlock, getCheckedBlock, type ServedBlock } from './getBlock.ts'
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
  maxCheckMs?: number
  /** The wall clock, in epoch milliseconds: blocks carry its time. */
  now: () => number
}

/** What a head is asked for with. */
export interface HeadRequest {
  /** A node that is not asked. */
  except?: Node | undefined
  signal?: AbortSignalLike | undefined
}

/**
 * Finds the newest final block. Where validators are trusted, it never steps back from one, and accepts no other at
 * its height; else what a node has said binds no other one, and itself only as long as others answer.
 */
export interface LightClient {
  /**
   * The newest final block and the node that knows it, by `chain_get_block`.
   *
   * A node that sends a block which is forged, stale, from the future, or without final ancestors is passed over; where
   * all do, it throws an `AllNodesFailedError` that holds a `VerificationError` for each.
   */
  getHead(request?: HeadRequest): Promise<{ block: FinalBlock; node: Node }>
}

/** Who has served a head. */
interface Asked {
  node: Node
  /** Nodes that have been passed over for this question, because they lag. */
  lagging: Set<Node>
  signal: AbortSignalLike
}

/** How far back a final block is looked for: signatures need a few seconds to spread. */
const MAX_STEPS_BACK = 8

/** The blocks on that way have so many signatures in all: twice what a network's have. */
const MAX_SIGNATURES = 2_000

/** Creates a light client: it trusts what validators have signed, not the node that serves it. */
export function createLightClient(options: LightClientOptions): LightClient {
  const { rpc, chainName, validators, trustedBlockHash, maxHeadAgeMs, now } = options
  const { maxCheckMs = 4_000 } = options
  // The same head is served again and again: its signatures are checked once.
  const checked = createMemory<FinalBlock>()
  /** Stays null if validators are not trusted. */
  let shown: FinalBlock | null = null
  /** The time of the block that a node has shown last, where validators are not trusted. */
  const times = new Map<Node, number>()

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

  /** A head whose signatures are still short is no lie: one of its ancestors is final. */
  async function findFinal(head: ServedBlock, node: Node, signal: AbortSignalLike): Promise<FinalBlock> {
    let block = head
    let signatures = 0
    for (let steps = 0; steps <= MAX_STEPS_BACK; steps++) {
      if (shown && block.header.height < shown.header.height && !isOfAnotherChain(block)) return shown
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

  /** Times grow along a chain: what is later and yet no higher is of another one, as a restarted development chain is. */
  function isOfAnotherChain({ header }: ServedBlock): boolean {
    if (shown === null) return false
    return header.height <= shown.header.height && header.timestamp > shown.header.timestamp
  }

  function assertNoFork(block: FinalBlock): void {
    if (isOfAnotherChain(block)) return
    if (shown && block.header.height === shown.header.height && block.hash !== shown.hash)
      throw new VerificationError('head', `block ${block.hash} stands where ${shown.hash} was final before`)
  }

  function assertFresh({ header }: ServedBlock): void {
    const ageMs = now() - header.timestamp
    if (ageMs > maxHeadAgeMs)
      throw new VerificationError(
        'head age',
        `block ${header.height} is ${ageMs} ms old, more than ${maxHeadAgeMs}: the node hides newer ones, or the chain stands still`,
      )
  }

  /** Before anything is asked or checked for it. */
  function assertNotAhead({ header }: ServedBlock): void {
    const aheadMs = header.timestamp - now()
    if (aheadMs > MAX_AHEAD_MS)
      throw new VerificationError(
        'head age',
        `block ${header.height}: its time is ${aheadMs} ms ahead of this machine's clock: the node made it up, or the clock is wrong`,
      )
  }

  /** A node that lags is passed over, until no other answers: what it has shown before may have been a lie. */
  function assertNoStepBack({ header }: FinalBlock, node: Node, lagging: Set<Node>): void {
    const isBack = header.timestamp < (times.get(node) ?? 0) && !lagging.has(node)
    if (isBack) {
      lagging.add(node)
      throw new TransportError('its newest block is older than the one that it has shown before')
    }
    times.set(node, header.timestamp)
  }

  async function accept(json: unknown, { node, lagging, signal }: Asked): Promise<FinalBlock> {
    const head = decodeServedBlock(json)
    assertNotAhead(head)
    const block = await findFinal(head, node, signal)
    assertNoFork(block)
    assertFresh(block)
    if (!validators.areTrusted) {
      assertNoStepBack(block, node, lagging)
      return block
    }
    // While this one was checked, another call may have shown a newer one.
    if (shown === null || block.header.height > shown.header.height || isOfAnotherChain(block)) shown = block
    return shown
  }

  /** A node whose head takes too long is passed over: others may be quicker, or their heads already known. */
  async function acceptInTime(json: unknown, asked: Omit<Asked, 'signal'>, signal: AbortSignalLike) {
    const error = () => new TransportError(`its head was not verified within ${maxCheckMs} ms`)
    const limit = { timeoutMs: maxCheckMs, error, signal }
    const block = await limitTime(limit, ({ signal }) => accept(json, { ...asked, signal }))
    return { block, node: asked.node }
  }

  return {
    getHead({ except, signal } = {}) {
      const lagging = new Set<Node>()
      return getCheckedBlock(rpc, {
        identifier: null,
        except,
        signal,
        check: (json, node, signal) => acceptInTime(json, { node, lagging }, signal),
      })
    },
  }
}
