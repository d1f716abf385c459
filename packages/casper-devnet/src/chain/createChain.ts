import { InvalidArgumentError } from '@wattfeed/base'
import type { Chainspec } from '../chainspec.ts'
import { type ChainspecFiles, formatAccounts, formatChainspec } from '../chainspecFiles.ts'
import type { ConsensusOptions } from '../consensus/createConsensus.ts'
import type { BlockInfo } from '../engine/blockInfo.ts'
import type { Engine, ExecutionResult } from '../engine/execute.ts'
import { systemRegistryKey } from '../engine/system/systemRegistry.ts'
import type { Effect } from '../engine/transform.ts'
import { isInTime } from '../transaction/checkTransaction.ts'
import type { Refusal } from '../transaction/refusal.ts'
import type { Transaction } from '../transaction/transaction.ts'
import type { TransactionRules } from '../transaction/transactionRules.ts'
import { acceptTransaction } from './acceptTransaction.ts'
import { existingAccount } from './account.ts'
import type { ChainBlock } from './chainBlock.ts'
import { ChainClock } from './chainClock.ts'
import type { ChainListener } from './chainEvent.ts'
import { blockEvents, ChainEvents, hashJson } from './chainEvents.ts'
import { type ChainProtocol, protocolFrom, storedProtocols, versionOf } from './chainProtocols.ts'
import { type ChainView, outsideBlocks } from './chainView.ts'
import { type ExecutedPending, executePending } from './executePending.ts'
import {
  type ExecutedTransaction,
  type ExecutionBlock,
  executeTransaction,
  type FeeTarget,
} from './executeTransaction.ts'
import { type GenesisAccount, genesisWrites, networkWrites, totalSupplyUref } from './genesis.ts'
import { type Ledger, type LedgerOptions, type LedgerSnapshot, openLedger } from './ledger.ts'
import { type Overlay, readValue } from './overlay.ts'
import type { Sealer } from './sealer.ts'
import { Snapshots } from './snapshots.ts'
import { createTransactionPool, type PendingTransaction, type TransactionPool } from './transactionPool.ts'
import { type ContractView, viewContract } from './viewContract.ts'

export interface ChainOptions extends LedgerOptions, Omit<ConsensusOptions, 'start'> {
  /** At genesis. */
  chainspec: Chainspec
  /** An account at genesis that does not tell the chain of a directory from another one. */
  faucet?: GenesisAccount
  engine: Engine
  now: () => number
  /** Time between blocks in milliseconds; null: an immediate block for each transaction; `manual`: no automatic blocks. */
  blockTimeMs: number | null | 'manual'
}

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

interface Parts {
  readonly ledger: Ledger
  readonly options: ChainOptions
  readonly clock: ChainClock
  readonly events: ChainEvents
  readonly snapshots: Snapshots<Snapshot>
  /** Oldest first. The newest may begin with a later block: then it is planned. */
  protocols: readonly ChainProtocol[]
  pool: TransactionPool
}

interface Snapshot {
  readonly ledger: LedgerSnapshot
  readonly protocols: readonly ChainProtocol[]
  readonly pool: TransactionPool
  readonly offsetMs: number
}

function chainOf(
  ledger: Ledger,
  protocols: readonly ChainProtocol[],
  options: ChainOptions,
  clock: ChainClock,
): Chain {
  const pool = createTransactionPool()
  const events = new ChainEvents()
  const parts: Parts = { ledger, options, clock, events, snapshots: new Snapshots(), protocols, pool }
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

const apiVersion = (parts: Parts) => ({ ApiVersion: versionOf(nextProtocol(parts).chainspec) })

function view(parts: Parts, asked: ContractView): ExecutionResult {
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

function setTime({ clock, ledger }: Parts, timeMs: number): void {
  const { timestampMs } = ledger.blocks.tip()
  if (!Number.isSafeInteger(timeMs) || timeMs <= timestampMs || timeMs > MAX_TIME_MS)
    throw new InvalidArgumentError('time', `after that of the newest block, ${timestampOf(timestampMs)}`)
  clock.set(timeMs)
}

/** The last time that a `Date` can have. */
const MAX_TIME_MS = 8_640_000_000_000_000

const timestampOf = (timeMs: number): string => new Date(timeMs).toISOString()

function snapshot({ ledger, protocols, pool, clock: { offsetMs }, snapshots }: Parts): number {
  return snapshots.add({ ledger: ledger.snapshot(), protocols, pool: pool.fork(), offsetMs })
}

function revert(parts: Parts, snapshotId: number): void {
  const { ledger, clock, events, snapshots } = parts
  const found = snapshots.returnTo(snapshotId)
  ledger.revert(found.ledger)
  parts.protocols = found.protocols
  parts.pool = found.pool.fork()
  clock.offsetMs = found.offsetMs
  const { hash, height } = ledger.blocks.tip()
  events.emit(() => [{ Reverted: { block_hash: hash, block_height: height } }, apiVersion(parts)])
}

/** Returns the newest protocol, which may be planned. */
function lastProtocol({ protocols }: Pick<Parts, 'protocols'>): ChainProtocol {
  const newest = protocols.at(-1)
  if (newest === undefined) throw new Error('the chain has no protocol')
  return newest
}

/** Returns the protocol of the next block. */
function nextProtocol({ ledger: { blocks }, protocols }: Parts): ChainProtocol {
  const height = blocks.isEmpty ? 0 : blocks.tip().height + 1
  return lastProtocol({ protocols: protocols.filter(({ start }) => start.height <= height) })
}

function chainspecFiles(parts: Parts): ChainspecFiles {
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

function nextUpgrade(parts: Parts): ReturnType<Chain['nextUpgrade']> {
  const newest = lastProtocol(parts)
  if (newest === nextProtocol(parts)) return null
  return { eraId: newest.start.eraId, protocolVersion: versionOf(newest.chainspec) }
}

function upgrade(parts: Parts, chainspec: Chainspec): number {
  const { protocols, ledger, options } = parts
  if (lastProtocol(parts).chainspec !== chainspec) {
    const start = nextProtocol(parts).sealer.eraAfter(ledger.blocks.tip().height)
    parts.protocols = [...protocols, protocolFrom(start, chainspec, options)]
  }
  return lastProtocol(parts).start.eraId
}

const isFirstBlock = ({ height }: Pick<ChainBlock, 'height'>, { protocols }: Parts): boolean =>
  protocols.some(({ start }) => start.height === height)

function simulate(parts: Parts, transaction: Transaction): ExecutedTransaction | Refusal {
  const { ledger, options } = parts
  const refusal = check(parts, transaction)
  if (refusal !== null) return refusal
  const overlay = ledger.openState()
  const block = executionBlock(parts, nextBlockTime(parts), overlay)
  return executeTransaction(options.engine, transaction, block, overlay)
}

function put(parts: Parts, transaction: Transaction): Refusal | null {
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

function check(parts: Parts, transaction: Transaction): Refusal | null {
  const { ledger, options } = parts
  const { rules } = nextProtocol(parts)
  const nowMs = judgedAt(parts, transaction, rules)
  return acceptTransaction(transaction, { chainName: options.chainName, rules, nowMs }, ledger.openState())
}

/**
 * Returns the time at which to check a transaction: that of the next block, because an accepted transaction could expire before
 * it. If the clock was moved, also the time without its offset counts: the tools of people use their own clock.
 */
function judgedAt(parts: Parts, transaction: Transaction, rules: TransactionRules): number {
  const nextMs = nextBlockTime(parts)
  const times = [nextMs, nextMs - parts.clock.offsetMs]
  return times.find((timeMs) => isInTime(transaction, rules, timeMs)) ?? nextMs
}

const nextBlockTime = ({ ledger: { blocks }, clock }: Parts): number =>
  Math.max(clock.now(), blocks.tip().timestampMs + 1)

function produceBlock(parts: Parts): ChainBlock {
  const { ledger, pool } = parts
  const { rules, sealer } = nextProtocol(parts)
  const parent = ledger.blocks.tip()
  const height = parent.height + 1
  const timeMs = nextBlockTime(parts)
  if (isFirstBlock({ height }, parts)) return appendFirstBlock(parts, timeMs)
  dropExpired(parts, timeMs)
  const overlay = ledger.openState()
  const pending = pool.select(rules)
  const inBlock = executionBlock(parts, timeMs, overlay)
  const executed = pending.map((each) => execute(parts, each, inBlock, overlay))
  const transactions = executed.map(({ stored }) => stored)
  for (const [key, value] of sealer.writesAt(height)) overlay.write(key, value)
  const stateRootHash = ledger.commit(overlay.writes)
  const block = sealer.seal({ parent, stateRootHash, timestampMs: timeMs, transactions })
  ledger.append({ block, transactions, writes: [...overlay.writes] })
  pool.remove(pending.map(({ transaction }) => transaction))
  announce(parts, sealer, block, executed)
  return block
}

/** Returns what code can learn of the block after a parent. */
const infoOf = ({ height, hash, stateRootHash }: ChainBlock, timeMs: number): BlockInfo => ({
  timeMs,
  height: height + 1,
  parentHash: Uint8Array.fromHex(hash),
  parentStateRoot: Uint8Array.fromHex(stateRootHash),
})

/** A transaction stays as long as {@link judgedAt} finds it in time. */
function dropExpired({ pool, clock: { offsetMs }, events }: Parts, timeMs: number): void {
  const expired = pool.expire(timeMs - Math.max(0, offsetMs))
  events.emit(() => expired.map((each) => ({ TransactionExpired: { transaction_hash: hashJson(each) } })))
}

/** @param sealer that of the block: the next block may have another one */
function announce(
  { options, events }: Parts,
  sealer: Sealer,
  block: ChainBlock,
  transactions: readonly ExecutedPending[],
): void {
  const { chainName } = options
  events.emit(() => {
    const writes = sealer.writesAt(block.height)
    const step = writes.map(([key, stored]): Effect => {
      return { key: Uint8Array.fromHex(key), transform: { kind: 'Write', stored } }
    })
    return blockEvents({ chainName, block, transactions, step })
  })
}

/** Returns what the execution needs of the next block. */
function executionBlock(parts: Parts, timeMs: number, state: Overlay): ExecutionBlock {
  const { rules, chainspec } = nextProtocol(parts)
  const parent = parts.ledger.blocks.tip()
  const fees = feeTarget(parts, state, parent.height + 1)
  return { ...rules, ...infoOf(parent, timeMs), chainspec, fees }
}

function feeTarget(parts: Parts, state: Overlay, height: number): FeeTarget {
  const { rules, sealer } = nextProtocol(parts)
  if (rules.burnsFees) return { totalSupply: totalSupplyUref(parts.options.seed) }
  return { proposerPurse: existingAccount(state, sealer.proposerAccountAt(height)).mainPurse }
}

/** Drops a transaction that makes the engine throw: otherwise every later block would fail too. */
function execute(
  { options, pool }: Parts,
  pending: PendingTransaction,
  block: ExecutionBlock,
  overlay: Overlay,
): ExecutedPending {
  try {
    return executePending(options.engine, pending, block, overlay)
  } catch (cause) {
    // A bug of the engine, which returns every failure of a contract as a result.
    pool.remove([pending.transaction])
    const reason = cause instanceof Error ? cause.message : String(cause)
    const { hash } = pending.transaction
    throw new Error(`dropped transaction ${hash}, because the engine failed: ${reason}`, { cause })
  }
}

/** Returns the accounts with motes at genesis, without the validators. */
const fundedAccounts = ({ accounts, faucet }: ChainOptions): readonly GenesisAccount[] =>
  faucet === undefined ? accounts : [...accounts, faucet]

/** Makes the first block of a protocol, which has no transactions. It ends an era, which has only this block. */
function appendFirstBlock(parts: Parts, timestampMs: number): ChainBlock {
  const { ledger, options } = parts
  const { sealer, start, chainspec } = nextProtocol(parts)
  const { seed } = options
  const parent = ledger.blocks.isEmpty ? null : ledger.blocks.tip()
  const accounts = [...fundedAccounts(options), ...sealer.genesisAccounts]
  const network = { accounts, stakes: sealer.weightsOf(0), seed, chainspec }
  const writes = [
    ...(parent === null ? genesisWrites(accounts, seed) : []),
    // A directory of an earlier release has no system contracts before an upgrade.
    ...(readValue(ledger.openState(), systemRegistryKey()) === null ? networkWrites(network) : []),
    ...sealer.writesAt(start.height),
  ]
  const stateRootHash = ledger.commit(writes)
  const block = sealer.seal({ parent, stateRootHash, timestampMs, transactions: [] })
  ledger.append({ block, transactions: [], writes })
  parts.events.emit(() => [apiVersion(parts)])
  announce(parts, sealer, block, [])
  return block
}
