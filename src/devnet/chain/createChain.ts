import type { ConsensusOptions } from '../consensus/createConsensus.ts'
import type { Engine } from '../engine/execute.ts'
import type { Refusal } from '../transaction/refusal.ts'
import type { Transaction } from '../transaction/transaction.ts'
import type { Lane, TransactionRules } from '../transaction/transactionRules.ts'
import { acceptTransaction } from './acceptTransaction.ts'
import { existingAccount } from './account.ts'
import type { BlockTransaction } from './blockStore.ts'
import { type ChainBlock, type ChainView, outsideBlocks } from './chainView.ts'
import { BrokenExecutionError, executeBlock } from './executeBlock.ts'
import type { ExecutionBlock } from './executeTransaction.ts'
import { genesisWrites } from './genesis.ts'
import { type Ledger, type LedgerOptions, openLedger } from './ledger.ts'
import type { Overlay } from './overlay.ts'
import { createSealer, type Sealer } from './sealer.ts'
import { createTransactionPool, type PendingTransaction, type TransactionPool } from './transactionPool.ts'

export interface ChainOptions extends LedgerOptions, ConsensusOptions {
  engine: Engine
  rules: TransactionRules
  now: () => number
  /** Time between blocks in milliseconds; null: an immediate block for each transaction; `manual`: no automatic blocks. */
  blockTimeMs: number | null | 'manual'
}

export interface Chain extends ChainView {
  readonly genesisHash: string
  produceBlock(): ChainBlock
  /** Returns an independent copy in memory, without pending transactions. */
  fork(now: () => number): Chain
  close(): void
}

/**
 * Starts a chain, or continues the one in its directory.
 *
 * Block times increase strictly: if the clock does not advance, a block is one millisecond after its parent.
 *
 * @throws {ForeignDataError} when the directory contains another chain
 */
export function createChain(options: ChainOptions): Chain {
  const [ledger, sealer] = [openLedger(options), createSealer(options)]
  return chainOf({ ledger, sealer, options, pool: createTransactionPool() })
}

/** What a chain consists of. */
interface Parts {
  readonly ledger: Ledger
  readonly sealer: Sealer
  readonly options: ChainOptions
  readonly pool: TransactionPool
}

function chainOf(parts: Parts): Chain {
  const { ledger, sealer, options, pool } = parts
  const { chainName, now, blockTimeMs } = options
  const { blocks } = ledger
  if (blocks.isEmpty) appendGenesis(parts)
  return {
    chainName,
    genesisHash: blocks.genesis().hash,
    startedAtMs: now(),
    blockTimeMs: typeof blockTimeMs === 'number' ? blockTimeMs : null,
    now,
    check: (transaction) => check(parts, transaction),
    put: (transaction) => put(parts, transaction),
    produceBlock: () => produceBlock(parts),
    tip: blocks.tip,
    getBlock: blocks.get,
    latestSwitchBlock: blocks.latestSwitchBlock,
    fork: (clock) => fork(parts, clock),
    weightsOf: sealer.weightsOf,
    close: ledger.close,
    read: ledger.read,
    trieElement: ledger.trieElement,
    getTransaction(version, hash) {
      const pending = pool.get(version, hash)
      return pending === null ? blocks.getTransaction(version, hash) : outsideBlocks(pending)
    },
  }
}

function fork({ ledger, sealer, options }: Parts, now: ChainOptions['now']): Chain {
  const forked = { ledger: ledger.fork(), options: { ...options, now } }
  return chainOf({ ...forked, sealer, pool: createTransactionPool() })
}

function put(parts: Parts, transaction: Transaction): Refusal | null {
  const { ledger, options, pool } = parts
  const lane = laneOrRefusal(parts, transaction)
  if (typeof lane === 'string') return lane
  if (ledger.blocks.hasTransaction(transaction.version, transaction.hash)) return null
  pool.add({ transaction, lane })
  if (options.blockTimeMs === null) produceBlock(parts)
  return null
}

function check(parts: Parts, transaction: Transaction): Refusal | null {
  const found = laneOrRefusal(parts, transaction)
  return typeof found === 'string' ? found : null
}

/** Checks at the time of the next block: with a lagging clock, an accepted transaction could expire before it. */
function laneOrRefusal({ ledger, options }: Parts, transaction: Transaction): Lane | Refusal {
  const { chainName, rules } = options
  return acceptTransaction(
    transaction,
    { chainName, rules, nowMs: nextBlockTime(ledger, options) },
    ledger.openState(),
  )
}

const nextBlockTime = ({ blocks }: Ledger, { now }: ChainOptions): number =>
  Math.max(now(), blocks.tip().timestampMs + 1)

function produceBlock(parts: Parts): ChainBlock {
  const { ledger, sealer, options, pool } = parts
  const { refundRatio, blockGasLimit } = options.rules
  const parent = ledger.blocks.tip()
  const height = parent.height + 1
  const timeMs = nextBlockTime(ledger, options)
  const overlay = ledger.openState()
  const proposerPurse = existingAccount(overlay, sealer.proposerAccountAt(height)).mainPurse
  const pending = pool.select(timeMs, blockGasLimit)
  const transactions = execute(parts, pending, { timeMs, proposerPurse, refundRatio }, overlay)
  for (const [key, value] of sealer.writesAt(height)) overlay.write(key, value)
  const stateRootHash = ledger.commit(overlay.writes)
  const block = sealer.seal({ parent, stateRootHash, timestampMs: timeMs, transactions })
  ledger.append({ block, transactions, writes: [...overlay.writes] })
  pool.remove(pending)
  return block
}

/** Drops a transaction that makes the engine throw: otherwise every later block would fail too. */
function execute(
  { options, pool }: Parts,
  pending: readonly PendingTransaction[],
  block: ExecutionBlock,
  overlay: Overlay,
): BlockTransaction[] {
  try {
    return executeBlock(options.engine, pending, block, overlay)
  } catch (error) {
    if (error instanceof BrokenExecutionError) pool.remove([error.pending])
    throw error
  }
}

function appendGenesis({ ledger, sealer, options }: Parts): void {
  const accounts = [...options.accounts, ...sealer.genesisAccounts]
  const writes = [...genesisWrites(accounts, options.seed), ...sealer.writesAt(0)]
  const stateRootHash = ledger.commit(writes)
  const timestampMs = options.now()
  const block = sealer.seal({ parent: null, stateRootHash, timestampMs, transactions: [] })
  ledger.append({ block, transactions: [], writes })
}
