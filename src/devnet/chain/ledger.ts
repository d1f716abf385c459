import { stateKey } from '../../casper/types/key.ts'
import { blake2b } from '../blake2b.ts'
import { createGlobalState } from '../state/globalState.ts'
import { openBlockLog } from '../storage/blockLog.ts'
import { type BlockRecord, decodeRecord, encodeRecord } from './blockRecord.ts'
import { type BlockStore, createBlockStore } from './blockStore.ts'
import type { ProvenValue } from './chainView.ts'
import type { GenesisAccount } from './genesis.ts'
import { createMessageKeys } from './messageKeys.ts'
import { createOverlay, type Overlay } from './overlay.ts'

export interface LedgerOptions {
  chainName: string
  /** Where the chain's keys come from. */
  seed: Uint8Array
  /** Who has money when the chain begins, beside its validators. */
  accounts: readonly GenesisAccount[]
  /** Where it is kept; null: in memory only. */
  directory: string | null
  retainedRoots: number
}

/** All blocks, and global state after the newest of them. */
export interface Ledger {
  readonly blocks: Omit<BlockStore, 'add'>
  /** Global state after the newest block, with room for writes. */
  openState(): Overlay
  /** The state root after some more writes; they stand once their block is kept. */
  commit(writes: Iterable<readonly [string, Uint8Array | null]>): string
  /** Adds a block, on the disk first: what is answered is never lost. */
  keep(record: BlockRecord): void
  /** Null where nothing is stored. Throws an `UnknownRootError`. */
  read(stateRootHash: string, key: Uint8Array): ProvenValue | null
  close(): void
}

// A block leaves much garbage and little that stays; left alone, the heap of a long chain grows to twice what it holds.
const BLOCKS_PER_COLLECTION = 1_000

/**
 * Opens what a directory holds, or nothing.
 *
 * Throws a `ForeignDataError` where the directory holds another chain.
 */
export function openLedger(options: LedgerOptions): Ledger {
  const state = createGlobalState({ retainedRoots: options.retainedRoots })
  const messageKeys = createMessageKeys()
  const blocks = createBlockStore()

  const newestRoot = (): string => (blocks.isEmpty ? state.emptyRootHash : blocks.tip().stateRootHash)
  const commit: Ledger['commit'] = (writes) => state.commit(newestRoot(), writes)
  const publish = ({ block, transactions, writes }: BlockRecord): void => {
    messageKeys.note(writes)
    blocks.add(block, transactions)
  }
  const replay = (record: BlockRecord): void => {
    const { height, stateRootHash } = record.block
    if (commit(record.writes) !== stateRootHash)
      throw new Error(`block ${height} does not lead to its state root`)
    publish(record)
  }
  const log = openLog(options, (record) => replay(decodeRecord(record)))
  return {
    blocks,
    openState() {
      const root = newestRoot()
      return createOverlay({ read: (key) => state.get(root, key), listKeys: messageKeys.list })
    },
    commit,
    keep(record) {
      log?.append(encodeRecord(record))
      publish(record)
      if (record.block.height % BLOCKS_PER_COLLECTION === BLOCKS_PER_COLLECTION - 1) Bun.gc(true)
    },
    read(stateRootHash, key) {
      const stored = state.get(stateRootHash, stateKey(key))
      const merkleProof = state.prove(stateRootHash, stateKey(key))
      return stored === null || merkleProof === null ? null : { stored, merkleProof }
    },
    close: () => log?.close(),
  }
}

function openLog({ directory, chainName, seed, accounts }: LedgerOptions, replay: (record: unknown) => void) {
  if (directory === null) return null
  const publicKeys = accounts.map(({ publicKey }) => publicKey).join(' ')
  const accountsHash = blake2b(new TextEncoder().encode(publicKeys)).toHex()
  return openBlockLog(directory, { chainName, seedHash: blake2b(seed).toHex(), accountsHash }, replay)
}
