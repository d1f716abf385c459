import { type Block, decodeBlock } from '../block/block.ts'
import type { BlockHeader } from '../block/blockHeader.ts'
import type { ValidatorWeights } from '../block/finality.ts'
import { validatorWeights } from '../block/finality.ts'
import { isNoSuchBlock } from '../block/noSuchBlock.ts'
import type { Node } from '../nodePool.ts'
import { TransportError } from '../postJson.ts'
import type { Rpc } from '../rpc.ts'
import type { CheckpointStore } from './checkpoint.ts'
import { prefetchSwitchBlocks } from './prefetchSwitchBlocks.ts'
import {
  asSwitchBlock,
  getBlockByHash,
  listSwitchBlocks,
  type SwitchBlock,
  verifySwitchBlock,
} from './switchBlocks.ts'
import { VerificationError } from './verificationError.ts'

/** Knows what each validator of an era weighs. */
export interface Validators {
  /** The weights of the era of a block that a node has named. Throws a {@link VerificationError}. */
  weightsOf(header: BlockHeader, node: Node, signal?: AbortSignal): Promise<ValidatorWeights>
}

/** How many switch blocks are remembered: a node may lag behind the newest by an era. */
const MOST_REMEMBERED = 4

/** Remembers the newest of what is added. */
function createMemory(): Map<string, SwitchBlock> & { add(block: SwitchBlock): void } {
  const blocks = new Map<string, SwitchBlock>()
  return Object.assign(blocks, {
    add(block: SwitchBlock) {
      blocks.set(block.hash, block)
      const [oldest] = blocks.keys()
      if (blocks.size > MOST_REMEMBERED && oldest !== undefined) blocks.delete(oldest)
    },
  })
}

/** Believes the switch block that a header names: its hash is checked, not who has signed it. */
export function createNamedValidators(rpc: Rpc): Validators {
  const known = createMemory()
  return {
    async weightsOf({ lastSwitchBlockHash, eraEnd }, _node, signal) {
      // The first block of a chain names none before it.
      if (lastSwitchBlockHash === null) return validatorWeights(eraEnd?.nextEraValidatorWeights ?? [])
      const block =
        known.get(lastSwitchBlockHash) ??
        asSwitchBlock(await getBlockByHash(rpc, lastSwitchBlockHash, decodeBlock, signal))
      if (!known.has(block.hash)) known.add(block)
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
}

/** Believes one block hash, and from there on what more than two thirds of each era's weight has signed. */
export function createTrustedValidators(options: TrustedValidatorsOptions): Validators {
  const { rpc, chainName, trustedBlockHash, checkpoint } = options
  const known = createMemory()
  const walks = new Map<Node, { target: string; done: Promise<SwitchBlock> }>()
  let newest: SwitchBlock | null = null

  function keep(block: SwitchBlock): SwitchBlock {
    known.add(block)
    if (newest === null || newest.eraId < block.eraId) newest = block
    return block
  }

  async function advance(header: BlockHeader): Promise<SwitchBlock> {
    const from = newest ?? keep(await findStart(options))
    let before = from
    const isKnown = (hash: string): boolean => {
      const found = hash === from.hash ? from : known.get(hash)
      before = found ?? before
      return found !== undefined
    }
    const fetched = await prefetchSwitchBlocks(rpc, from, header, decodeBlock)
    const walk = { rpc, decode: decodeBlock, isKnown, oldestEra: from.eraId, fetched }
    const blocks = await listSwitchBlocks(header, walk)
    for (const block of blocks) before = keep(await verifySwitchBlock(rpc, block, { before, chainName }))
    // What cannot be kept costs the next run its time, and this one nothing.
    await checkpoint?.save({ chainName, trustedBlockHash, blockHash: before.hash }).catch(() => {})
    return before
  }

  /**
   * The way goes on when nobody waits any longer, so that the one from an old trusted block is walked once, however
   * long it takes. A node has one way at a time: one that leads nowhere must not keep the others waiting.
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
    async weightsOf(header, node) {
      const { lastSwitchBlockHash: hash, eraId } = header
      const block = known.get(hash ?? '') ?? (await walkTo(header, node))
      if (block.hash !== hash || block.eraId !== eraId - 1)
        throw new VerificationError('switch block', `era ${eraId} is not the one after it`)
      return block.weights
    },
  }
}

/** Where to begin: the block that an earlier run came to, if a node knows it, else the trusted one. */
async function findStart(options: TrustedValidatorsOptions): Promise<SwitchBlock> {
  const { rpc, chainName, trustedBlockHash, checkpoint } = options
  const saved = await checkpoint?.load()
  const isOurs = saved?.chainName === chainName && saved.trustedBlockHash === trustedBlockHash
  const found = isOurs ? await findBlock(rpc, saved.blockHash) : null
  return asSwitchBlock(found ?? (await getBlockByHash(rpc, trustedBlockHash, decodeBlock)))
}

/** A block, or null where no node knows it. */
async function findBlock(rpc: Rpc, hash: string): Promise<Block | null> {
  try {
    return await getBlockByHash(rpc, hash, decodeBlock)
  } catch (error) {
    if (isNoSuchBlock(error)) return null
    throw error
  }
}
