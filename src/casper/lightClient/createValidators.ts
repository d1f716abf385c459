import { decodeBlock } from '../block/block.ts'
import type { BlockHeader } from '../block/blockHeader.ts'
import type { ValidatorWeights } from '../block/finality.ts'
import { validatorWeights } from '../block/finality.ts'
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
  /** The weights of a block's era. Throws a {@link VerificationError}. */
  weightsOf(header: BlockHeader, signal?: AbortSignal): Promise<ValidatorWeights>
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
    async weightsOf({ lastSwitchBlockHash, eraEnd }, signal) {
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
  /** Told while many eras are verified. */
  onProgress?: ((progress: { verified: number; of: number }) => void) | undefined
}

/** Believes one block hash, and from there on what more than two thirds of each era's weight has signed. */
export function createTrustedValidators(options: TrustedValidatorsOptions): Validators {
  const { rpc, chainName, trustedBlockHash, checkpoint, onProgress } = options
  const known = createMemory()
  let newest: SwitchBlock | null = null
  let advancing: Promise<unknown> = Promise.resolve()

  function keep(block: SwitchBlock): void {
    known.add(block)
    newest = block
  }

  /** Where to begin: the block that an earlier run came to, or the trusted one. */
  async function start(): Promise<SwitchBlock> {
    if (newest) return newest
    const saved = await checkpoint?.load()
    const isOurs = saved?.chainName === chainName && saved.trustedBlockHash === trustedBlockHash
    const hash = isOurs ? saved.blockHash : trustedBlockHash
    const block = await getBlockByHash(rpc, hash, decodeBlock)
    keep(asSwitchBlock(block))
    return newest ?? asSwitchBlock(block)
  }

  async function advance(header: BlockHeader): Promise<void> {
    const from = await start()
    if (header.lastSwitchBlockHash !== null && known.has(header.lastSwitchBlockHash)) return
    const fetched = await prefetchSwitchBlocks(rpc, from, header, decodeBlock)
    const isKnown = (hash: string): boolean => known.has(hash)
    const walk = { rpc, decode: decodeBlock, isKnown, oldestEra: from.eraId, fetched }
    const blocks = await listSwitchBlocks(header, walk)
    let before = known.get(blocks[0]?.header.lastSwitchBlockHash ?? '') ?? from
    for (const [index, block] of blocks.entries()) {
      before = await verifySwitchBlock(rpc, block, { before, chainName })
      keep(before)
      onProgress?.({ verified: index + 1, of: blocks.length })
    }
    await checkpoint?.save({ chainName, trustedBlockHash, blockHash: before.hash })
  }

  return {
    async weightsOf(header) {
      // One walk at a time: the next finds what this one has verified. It goes on when nobody waits any longer, so
      // that the way from an old trusted block is walked once, however long it takes.
      const mine = advancing.then(() => advance(header))
      advancing = mine.catch(() => {})
      await mine
      const block = known.get(header.lastSwitchBlockHash ?? '')
      if (block === undefined) throw new VerificationError('switch block', 'its era is before what is known')
      return block.weights
    },
  }
}
