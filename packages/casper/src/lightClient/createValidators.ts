import { type AbortSignalLike, addNewest, assertOptions, type OptionNames } from '@wattfeed/base'
import { type ValidatorWeights, validatorWeights } from '../consensus/finality.ts'
import { TransportError } from '../rpc/jsonRpc.ts'
import type { Node } from '../rpc/node.ts'
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

/** Stores a checkpoint between runs. The checkpoint is trusted, so store it where only you can write. */
export interface CheckpointStore {
  /** Returns the stored checkpoint; null if there is none. */
  load(): Promise<Checkpoint | null>
  /** Replaces the stored checkpoint. */
  save(checkpoint: Checkpoint): Promise<void>
}

/** Looks up the validator weights of an era. */
export interface Validators {
  /** Whether the weights are proven from a trusted block. Otherwise they come from a node. */
  readonly areTrusted: boolean
  /** Returns the weights for the era of a block that `node` served. @throws {VerificationError} */
  weightsOf(header: BlockHeader, node: Node, signal?: AbortSignalLike): Promise<ValidatorWeights>
}

/** Maximum number of blocks to remember: a lagging node may be one era behind. */
export const MAX_REMEMBERED = 4

/** Creates validators that trust the switch block named by a header. Its hash is checked, its signatures are not. */
export function createNamedValidators(rpc: Rpc): Validators {
  const known = new Map<string, SwitchBlock>()
  return {
    areTrusted: false,
    async weightsOf(header, _node, signal) {
      const { lastSwitchBlockHash: hash, eraEnd } = header
      // The first block of a chain has no switch block before it.
      if (hash === null) return validatorWeights(eraEnd?.nextEraValidatorWeights ?? [])
      const block = known.get(hash) ?? asSwitchBlock(await getBlockByHash(rpc, hash, decodeBlock, signal))
      addNewest(known, hash, block, MAX_REMEMBERED)
      assertNamed(block, header)
      return block.weights
    },
  }
}

/** Options of {@link createTrustedValidators}. */
export interface TrustedValidatorsOptions {
  rpc: Rpc
  chainName: string
  /** The hash of a switch block: 64 hex digits. */
  trustedBlockHash: string
  checkpoint?: CheckpointStore | undefined
  /** Called when saving a checkpoint fails; not again until a save has succeeded. */
  onCheckpointError?: ((error: unknown) => void) | undefined
  /** Monotonic clock in milliseconds. @default performance.now */
  now?: () => number
}

const optionNames: OptionNames<TrustedValidatorsOptions> = {
  rpc: 1,
  chainName: 1,
  trustedBlockHash: 1,
  checkpoint: 1,
  onCheckpointError: 1,
  now: 1,
}

/** Minimum interval between restarts from the trusted block, in milliseconds. */
const MIN_RESTART_INTERVAL_MS = 60_000

/**
 * Creates validators that trust one block hash, and all later switch blocks with enough signatures of their eras.
 *
 * @throws {InvalidArgumentError} for an option that does not exist.
 */
export function createTrustedValidators(options: TrustedValidatorsOptions): Validators {
  assertOptions(options, optionNames)
  const { rpc, trustedBlockHash, now = () => performance.now() } = options
  const save = createSave(options)
  const known = new Map<string, SwitchBlock>()
  const walks = new Map<Node, { target: string; done: Promise<SwitchBlock> }>()
  let newest: SwitchBlock | null = null
  /** Checkpoint of an earlier run: undefined before it is loaded, null after a head was reached. */
  let saved: SwitchBlock | null | undefined
  let mayRestartAt = Number.NEGATIVE_INFINITY

  function keep(block: SwitchBlock): void {
    addNewest(known, block.hash, block, MAX_REMEMBERED)
    if (newest === null || newest.eraId < block.eraId) newest = block
  }

  async function getTrusted(): Promise<SwitchBlock> {
    const block = await findBlock(rpc, trustedBlockHash)
    if (block !== null) return asSwitchBlock(block)
    throw new VerificationError(
      'trusted block',
      `no node has the block ${trustedBlockHash}; check trustedBlockHash (setting TRUSTED_BLOCK_HASH)`,
    )
  }

  /**
   * Walks from the newest known switch block. If that fails, walks from the trusted block, because the chain may have been
   * replaced (a restarted development chain). That is expensive and a forged head causes it too, so it is rate limited.
   */
  async function walkFromNewest(header: BlockHeader): Promise<SwitchBlock> {
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
    const reached = (saved && (await tryFrom(saved, header, options))) ?? (await walkFromNewest(header))
    // A head older than the checkpoint does not refute it. Any other head that bypasses it is on another chain.
    if (saved && reached.eraId < saved.eraId) return reached
    saved = null
    keep(reached)
    await save(reached)
    return reached
  }

  /**
   * Callers with the same target share a walk. It continues after all callers have aborted, so that a long walk is done
   * only once. Each node has at most one walk at a time, so that a forged head delays no walk of another node.
   */
  function walkTo(header: BlockHeader, node: Node): Promise<SwitchBlock> {
    const target = `${header.eraId} ${header.lastSwitchBlockHash}`
    const shared = [...walks.values()].find((walk) => walk.target === target)
    if (shared) return shared.done
    if (walks.has(node)) throw new TransportError('its previous head is still being verified')
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

/** Verifies the switch blocks after `start` up to the one named by the header, and returns the last one. */
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

/** Like {@link walkFrom}, but returns null if the checkpoint is on another chain or the header is forged. */
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

/** Loads the switch block of the stored checkpoint; null if there is no usable one. */
async function findSaved(options: TrustedValidatorsOptions): Promise<SwitchBlock | null> {
  const { rpc, chainName, trustedBlockHash, checkpoint } = options
  const saved = await checkpoint?.load().catch(() => null)
  const isOurs = saved?.chainName === chainName && saved.trustedBlockHash === trustedBlockHash
  const block = isOurs && isHash(saved.blockHash) ? await findBlock(rpc, saved.blockHash) : null
  return block?.header.eraEnd ? asSwitchBlock(block) : null
}

/** A failed save only slows down the next run, so it is reported once until a save succeeds. */
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

async function findBlock(rpc: Rpc, hash: string): Promise<Block | null> {
  try {
    return await getBlockByHash(rpc, hash, decodeBlock)
  } catch (error) {
    if (isNoSuchBlock(error)) return null
    throw error
  }
}
