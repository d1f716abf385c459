import type { Engine } from '../engine/execute.ts'
import { createGlobalState } from '../state/globalState.ts'
import { openBlockLog } from '../storage/blockLog.ts'
import type { Refusal } from '../transaction/refusal.ts'
import type { Transaction } from '../transaction/transaction.ts'
import type { TransactionRules } from '../transaction/transactionRules.ts'
import { blake2b } from '../value/blake2b.ts'
import { stateKey } from '../value/key.ts'
import { acceptTransaction } from './acceptTransaction.ts'
import { type BlockRecord, decodeRecord, encodeRecord } from './blockRecord.ts'
import { type BlockTransaction, createBlockStore } from './blockStore.ts'
import type { ChainBlock, ChainView } from './chainView.ts'
import { BrokenExecutionError, executeBlock } from './executeBlock.ts'
import { type ExecutionBlock, mainPurseOf } from './executeTransaction.ts'
import { type GenesisAccount, genesisWrites } from './genesis.ts'
import { createMessageKeys } from './messageKeys.ts'
import { createOverlay, type Overlay } from './overlay.ts'
import { createSealer } from './sealer.ts'
import { createTransactionPool, type PendingTransaction } from './transactionPool.ts'

export interface ChainOptions {
  chainName: string
  /** Where the validators' keys and the purses come from. */
  seed: Uint8Array
  /** Who has money when the chain begins, beside its validators. */
  accounts: readonly GenesisAccount[]
  engine: Engine
  rules: TransactionRules
  now: () => number
  /** Whether every transaction gets a block at once. */
  isOnDemand: boolean
  /** Where the chain is kept; null: in memory only. */
  directory: string | null
  validators: number
  eraLength: number
  retainedRoots: number
}

/** A Casper chain. */
export interface Chain extends ChainView {
  readonly genesisHash: string
  /** Makes a block of what is pending, even if that is nothing. */
  produceBlock(): ChainBlock
  close(): void
}

// A block leaves much garbage and little that stays; left alone, the heap of a long chain grows to twice what it holds.
const BLOCKS_PER_COLLECTION = 1_000

/**
 * Begins a chain, or goes on with the one that its directory holds.
 *
 * Time only goes forward in it: a block is at least a millisecond after the one before, whatever the clock says.
 *
 * Throws a `ForeignDataError` where the directory holds another chain.
 */
export function createChain(options: ChainOptions): Chain {
  const { chainName, seed, rules, now, engine } = options
  const state = createGlobalState({ retainedRoots: options.retainedRoots })
  const messageKeys = createMessageKeys()
  const store = createBlockStore()
  const pool = createTransactionPool()
  const sealer = createSealer(options)

  const publish = ({ block, transactions, writes }: BlockRecord): void => {
    messageKeys.note(writes)
    store.add(block, transactions)
  }
  const replay = ({ block, transactions, writes }: BlockRecord): void => {
    const root = state.commit(store.isEmpty ? state.emptyRootHash : store.tip().stateRootHash, writes)
    if (root !== block.stateRootHash) throw new Error(`block ${block.height} does not lead to its state root`)
    publish({ block, transactions, writes })
  }
  const log = openLog(options, (record) => replay(decodeRecord(record)))

  /** To the disk first: what is answered is never lost. */
  const keep = (record: BlockRecord): void => {
    log?.append(encodeRecord(record))
    publish(record)
    if (record.block.height % BLOCKS_PER_COLLECTION === BLOCKS_PER_COLLECTION - 1) Bun.gc(true)
  }

  const nextBlockTime = (): number => Math.max(now(), store.tip().timestampMs + 1)

  /** Global state after the newest block, with room for writes. */
  const openState = (): Overlay => {
    const { stateRootHash } = store.tip()
    return createOverlay({ read: (key) => state.get(stateRootHash, key), listKeys: messageKeys.list })
  }

  function begin(): void {
    const accounts = [...options.accounts, ...sealer.genesisAccounts]
    const writes = [...genesisWrites(accounts, seed), ...sealer.writesAt(0)]
    const stateRootHash = state.commit(state.emptyRootHash, writes)
    const block = sealer.seal({ parent: null, stateRootHash, timestampMs: now(), transactions: [] })
    keep({ block, transactions: [], writes })
  }

  function produceBlock(): ChainBlock {
    const parent = store.tip()
    const height = parent.height + 1
    const timestampMs = nextBlockTime()
    const overlay = openState()
    const proposerPurse = mainPurseOf(overlay, sealer.proposerAccountAt(height))
    const pending = pool.select(timestampMs, rules.blockGasLimit)
    const transactions = execute(
      pending,
      { timeMs: timestampMs, proposerPurse, refundRatio: rules.refundRatio },
      overlay,
    )
    for (const [key, value] of sealer.writesAt(height)) overlay.write(key, value)
    const stateRootHash = state.commit(parent.stateRootHash, overlay.writes)
    const block = sealer.seal({ parent, stateRootHash, timestampMs, transactions })
    keep({ block, transactions, writes: [...overlay.writes] })
    pool.remove(pending)
    return block
  }

  /** What breaks the engine would do so in every block to come, and all that waits would wait forever. */
  function execute(
    pending: readonly PendingTransaction[],
    block: ExecutionBlock,
    overlay: Overlay,
  ): BlockTransaction[] {
    try {
      return executeBlock(engine, pending, block, overlay)
    } catch (error) {
      if (error instanceof BrokenExecutionError) pool.remove([error.pending])
      throw error
    }
  }

  // By the time of the block that it would come into: accepted by a clock that lags behind, it would expire there.
  function put(transaction: Transaction): Refusal | null {
    const lane = acceptTransaction(transaction, { chainName, rules, nowMs: nextBlockTime() }, openState())
    if (typeof lane === 'string') return lane
    if (store.hasTransaction(transaction.version, transaction.hash)) return null
    pool.add({ transaction, lane })
    if (options.isOnDemand) produceBlock()
    return null
  }

  if (store.isEmpty) begin()
  return {
    chainName,
    genesisHash: store.get({ height: 0 })?.hash ?? '',
    startedAtMs: now(),
    now,
    put,
    produceBlock,
    tip: store.tip,
    getBlock: store.get,
    latestSwitchBlock: store.latestSwitchBlock,
    close: () => log?.close(),
    read(stateRootHash, key) {
      const stored = state.get(stateRootHash, stateKey(key))
      const merkleProof = state.prove(stateRootHash, stateKey(key))
      return stored === null || merkleProof === null ? null : { stored, merkleProof }
    },
    getTransaction(version, hash) {
      const pending = pool.get(version, hash)
      if (pending !== null) return { json: pending.json, blockHeight: null, executionInfo: null }
      return store.getTransaction(version, hash)
    },
  }
}

function openLog({ directory, chainName, seed, accounts }: ChainOptions, replay: (record: unknown) => void) {
  if (directory === null) return null
  const publicKeys = accounts.map(({ publicKey }) => publicKey).join(' ')
  const accountsHash = blake2b(new TextEncoder().encode(publicKeys)).toHex()
  return openBlockLog(directory, { chainName, seedHash: blake2b(seed).toHex(), accountsHash }, replay)
}
