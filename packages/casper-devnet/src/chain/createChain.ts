import { InvalidArgumentError } from '@wattfeed/base'
import type { Chainspec } from '../chainspec.ts'
import { type ChainspecFiles, formatAccounts, formatChainspec } from '../chainspecFiles.ts'
import type { ExecutionResult } from '../engine/execute.ts'
import { isInTime } from '../transaction/checkTransaction.ts'
import type { Refusal } from '../transaction/refusal.ts'
import type { Transaction } from '../transaction/transaction.ts'
import type { TransactionRules } from '../transaction/transactionRules.ts'
import { acceptTransaction } from './acceptTransaction.ts'
import type { ChainBlock } from './chainBlock.ts'
import { ChainClock } from './chainClock.ts'
import type { ChainListener } from './chainEvent.ts'
import { ChainEvents } from './chainEvents.ts'
import type { ChainOptions } from './chainOptions.ts'
import {
  apiVersion,
  type ChainParts,
  fundedAccounts,
  isFirstBlock,
  lastProtocol,
  nextBlockTime,
  nextProtocol,
} from './chainParts.ts'
import { type ChainProtocol, protocolFrom, storedProtocols, versionOf } from './chainProtocols.ts'
import { type ChainView, outsideBlocks } from './chainView.ts'
import { type ExecutedTransaction, executeTransaction } from './executeTransaction.ts'
import { type Ledger, openLedger } from './ledger.ts'
import { appendFirstBlock, executionBlock, infoOf, produceBlock } from './produceBlock.ts'
import { Snapshots } from './snapshots.ts'
import { createTransactionPool } from './transactionPool.ts'
import { type ContractView, viewContract } from './viewContract.ts'

export interface Chain extends ChainView {
  readonly genesisHash: string
  produceBlock(): ChainBlock
  /** Passes the events from now on to a listener, `ApiVersion` first. Returns a function that removes it. */
  subscribe(listener: ChainListener): () => void
  /** Lets the next era begin with another chainspec, unless the newest one is it. Returns the newest one's first era. */
  upgrade(chainspec: Chainspec): number
  /** Returns an independent copy in memory, without pending transactions. @param now its clock; by default this chain's, as it was moved */
  fork(now?: () => number): Chain
  /** Executes an entry point on the newest state, and keeps nothing of it. */
  view(view: ContractView): ExecutionResult
  /** Moves the clock. @throws {InvalidArgumentError} for a time that is not after the newest block. */
  setTime(timeMs: number): void
  /** Keeps blocks, state, pending transactions and the clock's offset. Returns the snapshot's number. */
  snapshot(): number
  /** Returns to a snapshot, which stays, and forgets later ones. @throws {InvalidArgumentError} for an unknown one. */
  revert(snapshotId: number): void
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
    return chainOf(ledger, storedProtocols(ledger, options), options, clockOf(ledger, options))
  } catch (error) {
    ledger.close()
    throw error
  }
}

/** A stored chain resumes at the time of its newest block, if its clock had been moved. */
function clockOf({ blocks }: Ledger, { now }: ChainOptions): ChainClock {
  return new ChainClock(now, blocks.isEmpty ? 0 : Math.max(0, blocks.tip().timestampMs - now()))
}

function chainOf(
  ledger: Ledger,
  protocols: readonly ChainProtocol[],
  options: ChainOptions,
  clock: ChainClock,
): Chain {
  const pool = createTransactionPool()
  const events = new ChainEvents()
  const parts: ChainParts = { ledger, options, clock, events, snapshots: new Snapshots(), protocols, pool }
  const { chainName, blockTimeMs } = options
  const { now } = clock
  if (ledger.blocks.isEmpty) appendFirstBlock(parts, now())
  return {
    chainName,
    protocolVersion: () => versionOf(nextProtocol(parts).chainspec),
    nextUpgrade: () => nextUpgrade(parts),
    chainspecFiles: () => chainspecFiles(parts),
    genesisHash: ledger.blocks.genesis().hash,
    startedAtMs: now(),
    blockTimeMs: typeof blockTimeMs === 'number' ? blockTimeMs : null,
    now,
    check: (transaction) => check(parts, transaction),
    simulate: (transaction) => simulate(parts, transaction),
    put: (transaction) => put(parts, transaction),
    subscribe(listener) {
      listener(apiVersion(parts))
      return events.add(listener)
    },
    produceBlock: () => produceBlock(parts),
    upgrade: (chainspec) => upgrade(parts, chainspec),
    tip: () => ledger.blocks.tip(),
    getBlock: (identifier) => ledger.blocks.get(identifier),
    latestSwitchBlock: () => ledger.blocks.latestSwitchBlock(),
    fork(own) {
      const forkClock = new ChainClock(own ?? options.now, own === undefined ? clock.offsetMs : 0)
      return chainOf(ledger.fork(), parts.protocols, { ...options, now: own ?? options.now }, forkClock)
    },
    view: (asked) => view(parts, asked),
    setTime: (timeMs) => setTime(parts, timeMs),
    snapshot: () => snapshot(parts),
    revert: (snapshotId) => revert(parts, snapshotId),
    weightsOf: (eraId) => nextProtocol(parts).sealer.weightsOf(eraId),
    close: ledger.close,
    read: ledger.read,
    trieElement: ledger.trieElement,
    getTransaction(version, hash) {
      const pending = parts.pool.get(version, hash)
      return pending === null ? ledger.blocks.getTransaction(version, hash) : outsideBlocks(pending)
    },
  }
}

function view(parts: ChainParts, asked: ContractView): ExecutionResult {
  const { rules, chainspec } = nextProtocol(parts)
  const { read, listKeys } = parts.ledger.openState()
  return viewContract(parts.options.engine, asked, {
    chainspec,
    block: infoOf(parts.ledger.blocks.tip(), nextBlockTime(parts)),
    gasLimit: rules.blockGasLimit,
    read,
    listKeys,
  })
}

function setTime({ clock, ledger }: ChainParts, timeMs: number): void {
  const { timestampMs } = ledger.blocks.tip()
  if (!Number.isSafeInteger(timeMs) || timeMs <= timestampMs || timeMs > MAX_TIME_MS)
    throw new InvalidArgumentError('time', `after that of the newest block, ${timestampOf(timestampMs)}`)
  clock.set(timeMs)
}

/** The last time that a `Date` can have. */
const MAX_TIME_MS = 8_640_000_000_000_000

const timestampOf = (timeMs: number): string => new Date(timeMs).toISOString()

function snapshot({ ledger, protocols, pool, clock: { offsetMs }, snapshots }: ChainParts): number {
  return snapshots.add({ ledger: ledger.snapshot(), protocols, pool: pool.fork(), offsetMs })
}

function revert(parts: ChainParts, snapshotId: number): void {
  const { ledger, clock, events, snapshots } = parts
  const found = snapshots.returnTo(snapshotId)
  ledger.revert(found.ledger)
  parts.protocols = found.protocols
  parts.pool = found.pool.fork()
  clock.offsetMs = found.offsetMs
  const { hash, height } = ledger.blocks.tip()
  events.emit(() => [{ Reverted: { block_hash: hash, block_height: height } }, apiVersion(parts)])
}

function chainspecFiles(parts: ChainParts): ChainspecFiles {
  const { chainName } = parts.options
  const { chainspec, start, sealer } = nextProtocol(parts)
  if (start.height > 0) {
    const { eraId } = start
    return { chainspec: formatChainspec({ chainspec, chainName, activation: { eraId } }), accounts: null }
  }
  const genesisMs = parts.ledger.blocks.genesis().timestampMs
  const stakes = new Map(sealer.weightsOf(0).map(({ validator, weight }) => [validator, weight]))
  const validators = sealer.genesisAccounts.map((each) => ({
    ...each,
    stakeMotes: stakes.get(each.publicKey),
  }))
  return {
    chainspec: formatChainspec({ chainspec, chainName, activation: { genesisMs } }),
    accounts: formatAccounts([...fundedAccounts(parts.options), ...validators]),
  }
}

function nextUpgrade(parts: ChainParts): ReturnType<Chain['nextUpgrade']> {
  const newest = lastProtocol(parts)
  if (newest === nextProtocol(parts)) return null
  return { eraId: newest.start.eraId, protocolVersion: versionOf(newest.chainspec) }
}

function upgrade(parts: ChainParts, chainspec: Chainspec): number {
  const { protocols, ledger, options } = parts
  if (lastProtocol(parts).chainspec !== chainspec) {
    const start = nextProtocol(parts).sealer.eraAfter(ledger.blocks.tip().height)
    parts.protocols = [...protocols, protocolFrom(start, chainspec, options)]
  }
  return lastProtocol(parts).start.eraId
}

function simulate(parts: ChainParts, transaction: Transaction): ExecutedTransaction | Refusal {
  const { ledger, options } = parts
  const refusal = check(parts, transaction)
  if (refusal !== null) return refusal
  const overlay = ledger.openState()
  const block = executionBlock(parts, nextBlockTime(parts), overlay)
  return executeTransaction(options.engine, transaction, block, overlay)
}

function put(parts: ChainParts, transaction: Transaction): Refusal | null {
  const { ledger, options, pool, events } = parts
  const refusal = check(parts, transaction)
  if (refusal !== null) return refusal
  const { version, hash, json } = transaction
  if (ledger.blocks.hasTransaction(version, hash)) return null
  const isNew = pool.get(version, hash) === null
  pool.add(transaction)
  if (isNew) events.emit(() => [{ TransactionAccepted: json }])
  // The first block of a protocol has no transactions, so another one follows.
  if (options.blockTimeMs === null && isFirstBlock(produceBlock(parts), parts)) produceBlock(parts)
  return null
}

function check(parts: ChainParts, transaction: Transaction): Refusal | null {
  const { ledger, options } = parts
  const { rules } = nextProtocol(parts)
  const nowMs = judgedAt(parts, transaction, rules)
  return acceptTransaction(transaction, { chainName: options.chainName, rules, nowMs }, ledger.openState())
}

/**
 * Returns the time at which to check a transaction: that of the next block, because an accepted transaction could expire before
 * it. If the clock was moved, also the time without its offset counts: the tools of people use their own clock.
 */
function judgedAt(parts: ChainParts, transaction: Transaction, rules: TransactionRules): number {
  const nextMs = nextBlockTime(parts)
  const times = [nextMs, nextMs - parts.clock.offsetMs]
  return times.find((timeMs) => isInTime(transaction, rules, timeMs)) ?? nextMs
}
