import type { AbortSignalLike } from '../../async/webTypes.ts'
import { type ValidatorWeights, validatorWeights } from '../consensus/finality.ts'
import type { Node } from '../rpc/node.ts'
import { TransportError } from '../rpc/postJson.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { type Block, decodeBlock } from '../types/block.ts'
import type { BlockHeader } from '../types/blockHeader.ts'
import { isNoSuchBlock, isUnproven } from './getBlock.ts'
import {
  asSwitchBlock,
  assertNamed,
  decodeWaitingBlock,
  getBlockByHash,
  type SwitchBlock,
  waitingBytes,
} from './switchBlocks.ts'
import { VerificationError } from './verificationError.ts'
import { verifySwitchBlocks } from './verifySwitchBlocks.ts'

/** Progress of `verify: 'full'`, to resume from at the next start. */
export interface Checkpoint {
  /** Name of the chain. */
  chainName: string
  /** The trusted block that verification started from: 64 hex digits. A checkpoint of another block is ignored. */
  trustedBlockHash: string
  /** The newest switch block that was verified: 64 hex digits. */
  blockHash: string
}

/** Stores a checkpoint between runs. It is trusted, so store it where only you can write. */
export interface CheckpointStore {
  /** Returns the stored checkpoint; null if there is none. */
  load(): Promise<Checkpoint | null>
  /** Replaces the stored checkpoint. */
  save(checkpoint: Checkpoint): Promise<void>
}

/** Knows the weights of an era's validators. */
export interface Validators {
  /** Whether the weights are proven from a trusted block, rather than named by a node. */
  readonly areTrusted: boolean
  /** Returns the weights of the era of a block that `node` served. @throws {VerificationError} */
  weightsOf(header: BlockHeader, node: Node, signal?: AbortSignalLike): Promise<ValidatorWeights>
}

/** How many switch blocks are remembered: a node may lag behind the newest by an era. */
const MAX_REMEMBERED = 4

/** Creates a map by hash that keeps the most recently added blocks. */
export function createMemory<B extends { hash: string }>(): Map<string, B> & { add(block: B): void } {
  const blocks = new Map<string, B>()
  return Object.assign(blocks, {
    add(block: B) {
      blocks.delete(block.hash)
      blocks.set(block.hash, block)
      const [oldest] = blocks.keys()
      if (blocks.size > MAX_REMEMBERED && oldest !== undefined) blocks.delete(oldest)
    },
  })
}

/** Trusts the switch block that a header names: its hash is checked, its signatures are not. */
export function createNamedValidators(rpc: Rpc): Validators {
  const known = createMemory<SwitchBlock>()
  return {
    areTrusted: false,
    async weightsOf(header, _node, signal) {
      const { lastSwitchBlockHash: hash, eraEnd } = header
      // The first block of a chain names none before it.
      if (hash === null) return validatorWeights(eraEnd?.nextEraValidatorWeights ?? [])
      const block = known.get(hash) ?? asSwitchBlock(await getBlockByHash(rpc, hash, decodeBlock, signal))
      known.add(block)
      assertNamed(block, header)
      return block.weights
    },
  }
}

export interface TrustedValidatorsOptions {
  rpc: Rpc
  chainName: string
  /** The hash of a switch block: 64 hex digits. */
  trustedBlockHash: string
  checkpoint?: CheckpointStore | undefined
  /** Called when a checkpoint cannot be kept: once, until one can. */
  onCheckpointError?: ((error: unknown) => void) | undefined
  /** Milliseconds of a monotonic clock. @default performance.now */
  now?: () => number
}

/** Minimum interval between restarts from the trusted block, in milliseconds. */
const MIN_RESTART_INTERVAL_MS = 60_000

/** Trusts one block hash, and from there every switch block signed by more than two thirds of its era's weight. */
export function createTrustedValidators(options: TrustedValidatorsOptions): Validators {
  const { rpc, trustedBlockHash, now = () => performance.now() } = options
  const save = createSave(options)
  const known = createMemory<SwitchBlock>()
  const walks = new Map<Node, { target: string; done: Promise<SwitchBlock> }>()
  let newest: SwitchBlock | null = null
  /** An earlier run's checkpoint; undefined before it is loaded, null once a head was reached from it. */
  let saved: SwitchBlock | null | undefined
  let mayRestartAt = Number.NEGATIVE_INFINITY

  function keep(block: SwitchBlock): void {
    known.add(block)
    if (newest === null || newest.eraId < block.eraId) newest = block
  }

  async function getTrusted(): Promise<SwitchBlock> {
    const block = await findBlock(rpc, trustedBlockHash)
    if (block !== null) return asSwitchBlock(block)
    throw new VerificationError(
      'trusted block',
      `no node has the block ${trustedBlockHash}; check trustedBlockHash (in programs the setting TRUSTED_BLOCK_HASH)`,
    )
  }

  /**
   * Walks from the newest known switch block; if that fails, from the trusted block, as the chain may be another one (a
   * restarted development chain). That is expensive and a lie causes it too, so it is rate-limited.
   */
  async function walkOn(header: BlockHeader): Promise<SwitchBlock> {
    try {
      return await walkFrom(newest ?? (await getTrusted()), header, options, keep)
    } catch (error) {
      if (newest === null || !isUnproven(error) || now() < mayRestartAt) throw error
      mayRestartAt = now() + MIN_RESTART_INTERVAL_MS
      const reached = await walkFrom(await getTrusted(), header, options)
      known.clear()
      newest = null
      return reached
    }
  }

  async function advance(header: BlockHeader): Promise<SwitchBlock> {
    if (saved === undefined) saved = await findSaved(options)
    const reached = (saved && (await tryFrom(saved, header, options))) ?? (await walkOn(header))
    // An older head says nothing about the checkpoint; any other that bypasses it is of another chain.
    if (saved && reached.eraId < saved.eraId) return reached
    saved = null
    keep(reached)
    await save(reached)
    return reached
  }

  /**
   * Callers with the same target share a walk, which continues even if all give up, so that a long one is walked only
   * once. Each node has one walk at a time: a false one must not delay the others'.
   */
  function walkTo(header: BlockHeader, node: Node): Promise<SwitchBlock> {
    const target = `${header.eraId} ${header.lastSwitchBlockHash}`
    const shared = [...walks.values()].find((walk) => walk.target === target)
    if (shared) return shared.done
    if (walks.has(node)) throw new TransportError('an earlier head of it is still being verified')
    const done = advance(header).finally(() => walks.delete(node))
    walks.set(node, { target, done })
    return done
  }

  return {
    areTrusted: true,
    async weightsOf(header, node) {
      const block = known.get(header.lastSwitchBlockHash ?? '') ?? (await walkTo(header, node))
      assertNamed(block, header)
      return block.weights
    },
  }
}

/** Verifies the switch blocks from a trusted one up to the one that the header names, and returns the last. */
async function walkFrom(
  start: SwitchBlock,
  header: BlockHeader,
  { rpc, chainName }: TrustedValidatorsOptions,
  onVerified?: (block: SwitchBlock) => void,
): Promise<SwitchBlock> {
  const walk = { rpc, chainName, decode: decodeWaitingBlock, sizeOf: waitingBytes, onWrong: rpc.penalize }
  let reached = start
  for await (const { as } of verifySwitchBlocks(start, header, walk)) {
    reached = as
    onVerified?.(as)
  }
  return reached
}

/** Returns null if the walk fails: the checkpoint may be of another chain, or the header a lie. */
async function tryFrom(
  start: SwitchBlock,
  header: BlockHeader,
  options: TrustedValidatorsOptions,
): Promise<SwitchBlock | null> {
  try {
    return await walkFrom(start, header, options)
  } catch (error) {
    if (isUnproven(error)) return null
    throw error
  }
}

const isHash = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)

/** Loads the switch block of an earlier run's checkpoint, or null if there is no usable one. */
async function findSaved(options: TrustedValidatorsOptions): Promise<SwitchBlock | null> {
  const { rpc, chainName, trustedBlockHash, checkpoint } = options
  const saved = await checkpoint?.load().catch(() => null)
  const isOurs = saved?.chainName === chainName && saved.trustedBlockHash === trustedBlockHash
  const block = isOurs && isHash(saved.blockHash) ? await findBlock(rpc, saved.blockHash) : null
  return block?.header.eraEnd ? asSwitchBlock(block) : null
}

/** A failed save only costs the next run time, so it is reported once, until a save succeeds. */
function createSave({
  chainName,
  trustedBlockHash,
  checkpoint,
  onCheckpointError,
}: TrustedValidatorsOptions) {
  let isReported = false
  return async ({ hash: blockHash }: SwitchBlock): Promise<void> => {
    try {
      await checkpoint?.save({ chainName, trustedBlockHash, blockHash })
      isReported = false
    } catch (error) {
      if (!isReported) onCheckpointError?.(error)
      isReported = true
    }
  }
}

/** Fetches a block; null if no node has it. */
async function findBlock(rpc: Rpc, hash: string): Promise<Block | null> {
  try {
    return await getBlockByHash(rpc, hash, decodeBlock)
  } catch (error) {
    if (isNoSuchBlock(error)) return null
    throw error
  }
}
