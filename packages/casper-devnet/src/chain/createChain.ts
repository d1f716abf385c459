import { memberAt } from '@wattfeed/base'
import type { ConsensusOptions } from '../consensus/createConsensus.ts'
import type { Engine } from '../engine/execute.ts'
import type { Refusal } from '../transaction/refusal.ts'
import type { Transaction } from '../transaction/transaction.ts'
import { type Lane, type TransactionRules, transactionRules } from '../transaction/transactionRules.ts'
import { acceptTransaction } from './acceptTransaction.ts'
import { existingAccount } from './account.ts'
import { ForeignDataError } from './blockLog.ts'
import type { BlockTransaction } from './blockStore.ts'
import { type ChainBlock, type ChainView, outsideBlocks } from './chainView.ts'
import { executePending } from './executePending.ts'
import type { ExecutionBlock, FeeTarget } from './executeTransaction.ts'
import { genesisWrites, totalSupplyUref, totalSupplyWrite } from './genesis.ts'
import { type Ledger, type LedgerOptions, openLedger } from './ledger.ts'
import type { Overlay } from './overlay.ts'
import { createSealer, type Sealer } from './sealer.ts'
import { createTransactionPool, type PendingTransaction, type TransactionPool } from './transactionPool.ts'

export interface ChainOptions extends LedgerOptions, ConsensusOptions {
  engine: Engine
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
  const ledger = openLedger(options)
  try {
    assertProtocol(ledger, options)
    return chainOf(ledger, createSealer(options), options)
  } catch (error) {
    ledger.close()
    throw error
  }
}

/** @throws {ForeignDataError} when the blocks of the directory have another protocol, and their state other contents */
function assertProtocol({ blocks }: Ledger, { directory, chainspec }: ChainOptions): void {
  if (blocks.isEmpty || directory === null) return
  const found = memberAt(blocks.tip().json.block.Version2.header, 'protocol_version')
  const expected = chainspec.protocol.version.join('.')
  const rule = `its protocol is ${found}, not ${expected} (--protocol)`
  if (found !== expected) throw new ForeignDataError({ path: directory, rule })
}

interface Parts {
  ledger: Ledger
  sealer: Sealer
  options: ChainOptions
  rules: TransactionRules
  pool: TransactionPool
}

function chainOf(ledger: Ledger, sealer: Sealer, options: ChainOptions): Chain {
  const pool = createTransactionPool()
  const parts = { ledger, sealer, options, rules: transactionRules(options.chainspec), pool }
  const { chainName, chainspec, now, blockTimeMs } = options
  const { blocks } = ledger
  if (blocks.isEmpty) appendGenesis(parts)
  return {
    chainName,
    protocolVersion: chainspec.protocol.version.join('.'),
    genesisHash: blocks.genesis().hash,
    startedAtMs: now(),
    blockTimeMs: typeof blockTimeMs === 'number' ? blockTimeMs : null,
    now,
    check(transaction) {
      const found = laneOrRefusal(parts, transaction)
      return typeof found === 'string' ? found : null
    },
    put: (transaction) => put(parts, transaction),
    produceBlock: () => produceBlock(parts),
    tip: blocks.tip,
    getBlock: blocks.get,
    latestSwitchBlock: blocks.latestSwitchBlock,
    fork: (clock) => chainOf(ledger.fork(), sealer, { ...options, now: clock }),
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

function put(parts: Parts, transaction: Transaction): Refusal | null {
  const { ledger, options, pool } = parts
  const lane = laneOrRefusal(parts, transaction)
  if (typeof lane === 'string') return lane
  if (ledger.blocks.hasTransaction(transaction.version, transaction.hash)) return null
  pool.add({ transaction, lane })
  if (options.blockTimeMs === null) produceBlock(parts)
  return null
}

/** Checks at the time of the next block: with a lagging clock, an accepted transaction could expire before it. */
function laneOrRefusal({ ledger, options, rules }: Parts, transaction: Transaction): Lane | Refusal {
  const check = { chainName: options.chainName, rules, nowMs: nextBlockTime(ledger, options) }
  return acceptTransaction(transaction, check, ledger.openState())
}

const nextBlockTime = ({ blocks }: Ledger, { now }: ChainOptions): number =>
  Math.max(now(), blocks.tip().timestampMs + 1)

function produceBlock(parts: Parts): ChainBlock {
  const { ledger, sealer, options, rules, pool } = parts
  const parent = ledger.blocks.tip()
  const height = parent.height + 1
  const timeMs = nextBlockTime(ledger, options)
  const overlay = ledger.openState()
  const pending = pool.select(timeMs, rules.blockGasLimit)
  const fees = feeTarget(parts, overlay, height)
  const inBlock = { ...rules, chainspec: options.chainspec, timeMs, fees }
  const transactions = pending.map((each) => execute(parts, each, inBlock, overlay))
  for (const [key, value] of sealer.writesAt(height)) overlay.write(key, value)
  const stateRootHash = ledger.commit(overlay.writes)
  const block = sealer.seal({ parent, stateRootHash, timestampMs: timeMs, transactions })
  ledger.append({ block, transactions, writes: [...overlay.writes] })
  pool.remove(pending)
  return block
}

function feeTarget({ options, rules, sealer }: Parts, state: Overlay, height: number): FeeTarget {
  if (rules.burnsFees) return { totalSupply: totalSupplyUref(options.seed) }
  return { proposerPurse: existingAccount(state, sealer.proposerAccountAt(height)).mainPurse }
}

/** Drops a transaction that makes the engine throw: otherwise every later block would fail too. */
function execute(
  { options, pool }: Parts,
  pending: PendingTransaction,
  block: ExecutionBlock,
  overlay: Overlay,
): BlockTransaction {
  try {
    return executePending(options.engine, pending, block, overlay)
  } catch (cause) {
    // A bug of the engine, which returns every failure of a contract as a result.
    pool.remove([pending])
    const reason = cause instanceof Error ? cause.message : String(cause)
    const { hash } = pending.transaction
    throw new Error(`dropped transaction ${hash}, because the engine failed: ${reason}`, { cause })
  }
}

function appendGenesis({ ledger, sealer, options, rules }: Parts): void {
  const accounts = [...options.accounts, ...sealer.genesisAccounts]
  const writes = [
    ...genesisWrites(accounts, options.seed),
    // Earlier networks have one, too, but none of their transactions changes it.
    ...(rules.burnsFees ? [totalSupplyWrite(accounts, sealer.weightsOf(0), options.seed)] : []),
    ...sealer.writesAt(0),
  ]
  const stateRootHash = ledger.commit(writes)
  const timestampMs = options.now()
  const block = sealer.seal({ parent: null, stateRootHash, timestampMs, transactions: [] })
  ledger.append({ block, transactions: [], writes })
}
