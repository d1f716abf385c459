import type { ConsensusOptions } from '../consensus/createConsensus.ts'
import type { Engine } from '../engine/execute.ts'
import type { Refusal } from '../transaction/refusal.ts'
import type { Transaction } from '../transaction/transaction.ts'
import type { Lane, TransactionRules } from '../transaction/transactionRules.ts'
import { acceptTransaction } from './acceptTransaction.ts'
import type { BlockTransaction } from './blockStore.ts'
import type { ChainBlock, ChainView } from './chainView.ts'
import { BrokenExecutionError, executeBlock } from './executeBlock.ts'
import type { ExecutionBlock } from './executeTransaction.ts'
import { genesisWrites } from './genesis.ts'
import { type Ledger, type LedgerOptions, openLedger } from './ledger.ts'
import type { Overlay } from './overlay.ts'
import { accountOf } from './purse.ts'
import { createSealer, type Sealer } from './sealer.ts'
import { createTransactionPool, type PendingTransaction } from './transactionPool.ts'

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
  return chainOn(openLedger(options), createSealer(options), options)
}

function chainOn(ledger: Ledger, sealer: Sealer, options: ChainOptions): Chain {
  const { chainName, rules, now, engine } = options
  const { blocks } = ledger
  const pool = createTransactionPool()

  const nextBlockTime = (): number => Math.max(now(), blocks.tip().timestampMs + 1)

  function produceBlock(): ChainBlock {
    const parent = blocks.tip()
    const height = parent.height + 1
    const timeMs = nextBlockTime()
    const overlay = ledger.openState()
    const proposerPurse = accountOf(overlay, sealer.proposerAccountAt(height)).mainPurse
    const pending = pool.select(timeMs, rules.blockGasLimit)
    const transactions = execute(pending, { timeMs, proposerPurse, refundRatio: rules.refundRatio }, overlay)
    for (const [key, value] of sealer.writesAt(height)) overlay.write(key, value)
    const stateRootHash = ledger.commit(overlay.writes)
    const block = sealer.seal({ parent, stateRootHash, timestampMs: timeMs, transactions })
    ledger.append({ block, transactions, writes: [...overlay.writes] })
    pool.remove(pending)
    return block
  }

  /** Drops a transaction that makes the engine throw: otherwise every later block would fail too. */
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

  // At the time of the next block: with a lagging clock, an accepted transaction could expire before it.
  const laneOrRefusal = (transaction: Transaction): Lane | Refusal =>
    acceptTransaction(transaction, { chainName, rules, nowMs: nextBlockTime() }, ledger.openState())

  function check(transaction: Transaction): Refusal | null {
    const found = laneOrRefusal(transaction)
    return typeof found === 'string' ? found : null
  }

  function put(transaction: Transaction): Refusal | null {
    const lane = laneOrRefusal(transaction)
    if (typeof lane === 'string') return lane
    if (blocks.hasTransaction(transaction.version, transaction.hash)) return null
    pool.add({ transaction, lane })
    if (options.blockTimeMs === null) produceBlock()
    return null
  }

  if (blocks.isEmpty) appendGenesis(ledger, sealer, options)
  return {
    chainName,
    genesisHash: blocks.genesis().hash,
    startedAtMs: now(),
    blockTimeMs: typeof options.blockTimeMs === 'number' ? options.blockTimeMs : null,
    now,
    check,
    put,
    produceBlock,
    tip: blocks.tip,
    getBlock: blocks.get,
    latestSwitchBlock: blocks.latestSwitchBlock,
    fork: (clock) => chainOn(ledger.fork(), sealer, { ...options, now: clock }),
    weightsOf: sealer.weightsOf,
    close: ledger.close,
    read: ledger.read,
    trieElement: ledger.trieElement,
    getTransaction(version, hash) {
      const pending = pool.get(version, hash)
      if (pending !== null) return { json: pending.json, blockHeight: null, executionInfo: null }
      return blocks.getTransaction(version, hash)
    },
  }
}

function appendGenesis(ledger: Ledger, sealer: Sealer, options: ChainOptions): void {
  const accounts = [...options.accounts, ...sealer.genesisAccounts]
  const writes = [...genesisWrites(accounts, options.seed), ...sealer.writesAt(0)]
  const stateRootHash = ledger.commit(writes)
  const timestampMs = options.now()
  const block = sealer.seal({ parent: null, stateRootHash, timestampMs, transactions: [] })
  ledger.append({ block, transactions: [], writes })
}
