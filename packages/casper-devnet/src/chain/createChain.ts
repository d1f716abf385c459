import { memberAt } from '@wattfeed/base'
import { type Chainspec, chainspecs } from '../chainspec.ts'
import { type ChainspecFiles, formatAccounts, formatChainspec } from '../chainspecFiles.ts'
import type { ConsensusOptions } from '../consensus/createConsensus.ts'
import type { EraStart } from '../consensus/eras.ts'
import type { BlockInfo } from '../engine/blockInfo.ts'
import type { Print } from '../engine/callContext.ts'
import type { Engine } from '../engine/execute.ts'
import { systemRegistryKey } from '../engine/system/systemRegistry.ts'
import type { Effect } from '../engine/transform.ts'
import type { Refusal } from '../transaction/refusal.ts'
import type { Transaction } from '../transaction/transaction.ts'
import { type TransactionRules, transactionRules } from '../transaction/transactionRules.ts'
import { acceptTransaction } from './acceptTransaction.ts'
import { existingAccount } from './account.ts'
import { ForeignDataError } from './blockLog.ts'
import type { ChainListener } from './chainEvent.ts'
import { blockEvents, ChainEvents, hashJson } from './chainEvents.ts'
import { blockAt, type ChainBlock, type ChainView, outsideBlocks } from './chainView.ts'
import { type ExecutedPending, executePending } from './executePending.ts'
import {
  type ExecutedTransaction,
  type ExecutionBlock,
  executeTransaction,
  type FeeTarget,
} from './executeTransaction.ts'
import { genesisWrites, networkWrites, totalSupplyUref } from './genesis.ts'
import { type Ledger, type LedgerOptions, openLedger } from './ledger.ts'
import { type Overlay, readValue } from './overlay.ts'
import { createSealer, type Sealer } from './sealer.ts'
import { createTransactionPool, type PendingTransaction, type TransactionPool } from './transactionPool.ts'

export interface ChainOptions extends LedgerOptions, Omit<ConsensusOptions, 'start'> {
  /** At genesis. */
  chainspec: Chainspec
  engine: Engine
  now: () => number
  /** Time between blocks in milliseconds; null: an immediate block for each transaction; `manual`: no automatic blocks. */
  blockTimeMs: number | null | 'manual'
  /** Takes what contracts print. Without it, a module that prints fails, as on a node. */
  print?: Print
}

export interface Chain extends ChainView {
  readonly genesisHash: string
  produceBlock(): ChainBlock
  /** Passes the events from now on to a listener, `ApiVersion` first. Returns a function that removes it. */
  subscribe(listener: ChainListener): () => void
  /** Lets the next era begin with another chainspec, unless the newest one is it. Returns the newest one's first era. */
  upgrade(chainspec: Chainspec): number
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
    return chainOf(ledger, storedProtocols(ledger, options), options)
  } catch (error) {
    ledger.close()
    throw error
  }
}

/** A protocol of the chain, from its first block on. */
interface ChainProtocol {
  chainspec: Chainspec
  start: EraStart
  rules: TransactionRules
  sealer: Sealer
}

/** @param start its first block */
function protocolFrom(start: EraStart, chainspec: Chainspec, options: ChainOptions): ChainProtocol {
  const sealer = createSealer({ ...options, chainspec, start })
  return { chainspec, start, rules: transactionRules(chainspec), sealer }
}

const versionOf = ({ protocol }: Chainspec): string => protocol.version.join('.')

/**
 * Returns the protocols of a chain's blocks, oldest first.
 *
 * @throws {ForeignDataError} when the blocks of the directory began with another protocol, and their state with other contents
 */
function storedProtocols({ blocks }: Ledger, options: ChainOptions): ChainProtocol[] {
  const { directory, chainspec } = options
  const first = protocolFrom({ height: 0, eraId: 0 }, chainspec, options)
  if (blocks.isEmpty || directory === null) return [first]
  const [found, newest] = [blocks.genesis(), blocks.tip()].map(protocolOf)
  const expected = versionOf(chainspec)
  const rule = `its protocol is ${found}, not ${expected} (--protocol)`
  if (found !== expected) throw new ForeignDataError({ path: directory, rule })
  const upgraded = Object.values(chainspecs).find((each) => versionOf(each) === newest)
  if (newest === found || upgraded === undefined) return [first]
  let height = blocks.tip().height
  while (protocolOf(blockAt({ getBlock: blocks.get }, height - 1)) === newest) height -= 1
  const { eraId } = blockAt({ getBlock: blocks.get }, height)
  return [first, protocolFrom({ height, eraId }, upgraded, options)]
}

const protocolOf = ({ json }: ChainBlock): unknown => memberAt(json.block.Version2.header, 'protocol_version')

interface Parts {
  ledger: Ledger
  options: ChainOptions
  /** Oldest first. The newest may begin with a later block: then it is planned. */
  protocols: ChainProtocol[]
  pool: TransactionPool
  events: ChainEvents
}

function chainOf(ledger: Ledger, protocols: ChainProtocol[], options: ChainOptions): Chain {
  const pool = createTransactionPool()
  const events = new ChainEvents()
  const parts = { ledger, options, protocols, pool, events }
  const { chainName, now, blockTimeMs } = options
  const { blocks } = ledger
  if (blocks.isEmpty) appendFirstBlock(parts, now())
  return {
    chainName,
    protocolVersion: () => versionOf(nextProtocol(parts).chainspec),
    nextUpgrade: () => nextUpgrade(parts),
    chainspecFiles: () => chainspecFiles(parts),
    genesisHash: blocks.genesis().hash,
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
    tip: blocks.tip,
    getBlock: blocks.get,
    latestSwitchBlock: blocks.latestSwitchBlock,
    fork: (clock) => chainOf(ledger.fork(), [...protocols], { ...options, now: clock }),
    weightsOf: (eraId) => nextProtocol(parts).sealer.weightsOf(eraId),
    close: ledger.close,
    read: ledger.read,
    trieElement: ledger.trieElement,
    getTransaction(version, hash) {
      const pending = pool.get(version, hash)
      return pending === null ? blocks.getTransaction(version, hash) : outsideBlocks(pending)
    },
  }
}

const apiVersion = (parts: Parts) => ({ ApiVersion: versionOf(nextProtocol(parts).chainspec) })

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
  const { chainName, accounts } = parts.options
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
    accounts: formatAccounts([...accounts, ...validators]),
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
    protocols.push(protocolFrom(start, chainspec, options))
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
  const block = executionBlock(parts, nextBlockTime(ledger, options), overlay)
  return executeTransaction(options.engine, transaction, block, overlay)
}

function put(parts: Parts, transaction: Transaction): Refusal | null {
  const { ledger, options, pool, events } = parts
  const { version, hash, json } = transaction
  const refusal = check(parts, transaction)
  if (refusal !== null) return refusal
  if (ledger.blocks.hasTransaction(version, hash)) return null
  const isNew = pool.get(version, hash) === null
  pool.add(transaction)
  if (isNew) events.emit(() => [{ TransactionAccepted: json }])
  // The first block of a protocol has no transactions, so another one follows.
  if (options.blockTimeMs === null && isFirstBlock(produceBlock(parts), parts)) produceBlock(parts)
  return null
}

/** Checks at the time of the next block: with a lagging clock, an accepted transaction could expire before it. */
function check(parts: Parts, transaction: Transaction): Refusal | null {
  const { ledger, options } = parts
  const { rules } = nextProtocol(parts)
  const nowMs = nextBlockTime(ledger, options)
  return acceptTransaction(transaction, { chainName: options.chainName, rules, nowMs }, ledger.openState())
}

const nextBlockTime = ({ blocks }: Ledger, { now }: ChainOptions): number =>
  Math.max(now(), blocks.tip().timestampMs + 1)

function produceBlock(parts: Parts): ChainBlock {
  const { ledger, options, pool, events } = parts
  const { rules, sealer } = nextProtocol(parts)
  const parent = ledger.blocks.tip()
  const height = parent.height + 1
  const timeMs = nextBlockTime(ledger, options)
  if (isFirstBlock({ height }, parts)) return appendFirstBlock(parts, timeMs)
  const overlay = ledger.openState()
  const expired = pool.expire(timeMs)
  events.emit(() => expired.map((each) => ({ TransactionExpired: { transaction_hash: hashJson(each) } })))
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
  return { ...rules, ...infoOf(parent, timeMs), chainspec, fees, print: parts.options.print }
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

/** Makes the first block of a protocol, which has no transactions. It ends an era, which has only this block. */
function appendFirstBlock(parts: Parts, timestampMs: number): ChainBlock {
  const { ledger, options } = parts
  const { sealer, start, chainspec } = nextProtocol(parts)
  const { seed } = options
  const parent = ledger.blocks.isEmpty ? null : ledger.blocks.tip()
  const accounts = [...options.accounts, ...sealer.genesisAccounts]
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
