import { keyTags, stateKey } from '../../casper/types/key.ts'
import { blake2b } from '../blake2b.ts'
import { createGlobalState } from '../state/globalState.ts'
import { openBlockLog } from '../storage/blockLog.ts'
import { type BlockStore, type BlockTransaction, createBlockStore } from './blockStore.ts'
import type { ChainBlock, ProvenValue } from './chainView.ts'
import type { GenesisAccount } from './genesis.ts'
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

/** A block with all that it takes to have it again. */
export interface BlockRecord {
  block: ChainBlock
  transactions: readonly BlockTransaction[]
  /** By the lower-case hex of a serialized key; null prunes. */
  writes: readonly (readonly [string, Uint8Array | null])[]
}

/** As JSON that a log keeps. */
function encodeRecord({ block, transactions, writes }: BlockRecord): object {
  return { block, transactions, writes: writes.map(([key, value]) => [key, value?.toHex() ?? null]) }
}

/** What {@link encodeRecord} made: the log's checksum vouches for it. */
function decodeRecord(record: unknown): BlockRecord {
  const { block, transactions, writes } = record as ReturnType<typeof encodeRecord> & {
    block: ChainBlock
    transactions: readonly BlockTransaction[]
    writes: readonly [string, string | null][]
  }
  return {
    block,
    transactions,
    writes: writes.map(([key, hex]) => [key, hex === null ? null : Uint8Array.fromHex(hex)]),
  }
}

/** Keys of messages and of their topics, which an engine asks for by what they start with. */
export interface MessageKeys {
  /** Takes note of what a block wrote. */
  note(writes: Iterable<readonly [string, Uint8Array | null]>): void
  /** All that start with a prefix (hex). */
  list(prefix: string): Iterable<string>
}

const MESSAGE_PREFIX = keyTags.message.toString(16)

/** Global state finds a value by its whole key only, so this keeps count of the few keys that are looked up otherwise. */
export function createMessageKeys(): MessageKeys {
  const keys = new Set<string>()
  return {
    note(writes) {
      for (const [key, value] of writes) {
        if (!key.startsWith(MESSAGE_PREFIX)) continue
        if (value === null) keys.delete(key)
        else keys.add(key)
      }
    },
    list: (prefix) => keys.values().filter((key) => key.startsWith(prefix)),
  }
}
