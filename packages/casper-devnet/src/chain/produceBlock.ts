import type { BlockInfo } from '../engine/blockInfo.ts'
import { systemRegistryKey } from '../engine/system/systemRegistry.ts'
import type { Effect } from '../engine/transform.ts'
import { existingAccount } from './account.ts'
import type { ChainBlock } from './chainBlock.ts'
import { blockEvents, hashJson } from './chainEvents.ts'
import {
  apiVersion,
  type ChainParts,
  fundedAccounts,
  isFirstBlock,
  nextBlockTime,
  nextProtocol,
} from './chainParts.ts'
import { checksumRegistryWrite } from './checksumRegistry.ts'
import { type ExecutedPending, executePending } from './executePending.ts'
import type { ExecutionBlock, FeeTarget } from './executeTransaction.ts'
import { genesisWrites, networkWrites, totalSupplyUref } from './genesis.ts'
import { type Overlay, readValue } from './overlay.ts'
import type { Sealer } from './sealer.ts'
import type { PendingTransaction } from './transactionPool.ts'

/** Makes the next block, with the transactions that the pool has for it. */
export function produceBlock(parts: ChainParts): ChainBlock {
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
  for (const [key, value] of [checksumRegistryWrite(executed), ...sealer.writesAt(height)])
    overlay.write(key, value)
  const stateRootHash = ledger.commit(overlay.writes)
  const block = sealer.seal({ parent, stateRootHash, timestampMs: timeMs, transactions })
  ledger.append({ block, transactions, writes: [...overlay.writes] })
  pool.remove(pending.map(({ transaction }) => transaction))
  announce(parts, sealer, block, executed)
  return block
}

/** Returns what code can learn of the block after a parent. */
export const infoOf = ({ height, hash, stateRootHash }: ChainBlock, timeMs: number): BlockInfo => ({
  timeMs,
  height: height + 1,
  parentHash: Uint8Array.fromHex(hash),
  parentStateRoot: Uint8Array.fromHex(stateRootHash),
})

/** A transaction stays as long as it is in time by the clock, or by the clock without its offset. */
function dropExpired({ pool, clock: { offsetMs }, events }: ChainParts, timeMs: number): void {
  const expired = pool.expire(timeMs - Math.max(0, offsetMs))
  events.emit(() => expired.map((each) => ({ TransactionExpired: { transaction_hash: hashJson(each) } })))
}

/** @param sealer that of the block: the next block may have another one */
function announce(
  { options, events }: ChainParts,
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
export function executionBlock(parts: ChainParts, timeMs: number, state: Overlay): ExecutionBlock {
  const { rules, chainspec } = nextProtocol(parts)
  const parent = parts.ledger.blocks.tip()
  const fees = feeTarget(parts, state, parent.height + 1)
  return { ...rules, ...infoOf(parent, timeMs), chainspec, fees }
}

function feeTarget(parts: ChainParts, state: Overlay, height: number): FeeTarget {
  const { rules, sealer } = nextProtocol(parts)
  if (rules.burnsFees) return { totalSupply: totalSupplyUref(parts.options.seed) }
  return { proposerPurse: existingAccount(state, sealer.proposerAccountAt(height)).mainPurse }
}

/** Drops a transaction that makes the engine throw: otherwise every later block would fail too. */
function execute(
  { options, pool }: ChainParts,
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
export function appendFirstBlock(parts: ChainParts, timestampMs: number): ChainBlock {
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
    checksumRegistryWrite([]),
    ...sealer.writesAt(start.height),
  ]
  const stateRootHash = ledger.commit(writes)
  const block = sealer.seal({ parent, stateRootHash, timestampMs, transactions: [] })
  ledger.append({ block, transactions: [], writes })
  parts.events.emit(() => [apiVersion(parts)])
  announce(parts, sealer, block, [])
  return block
}
