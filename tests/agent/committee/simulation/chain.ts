import type { Pending } from '@wattfeed/casper/transaction'
import type { AccountKeys } from '../../../../src/agent/committee/accountKeys.ts'
import type { TransactionJson } from '../../../../src/agent/committee/proposal.ts'
import { LIFETIME_MS } from '../../../../src/agent/committee/slot.ts'
import { attestationsOf } from '../../../../src/agent/state/attestPurpose.ts'
import type { Clock } from './clock.ts'
import { isSigned } from './notary.ts'

/** A value on the model chain. */
export interface ChainEntry {
  readonly hash: string
  readonly feedId: string
  readonly period: number
  readonly amount: bigint
  readonly source_hash: string
  readonly height: number
  /** Time of its block. */
  readonly time: number
  readonly approvedBy: readonly string[]
}

/** A chain that keeps the rules of the real one for transactions of one account. */
export interface ModelChain {
  readonly blockTimes: readonly number[]
  readonly entries: readonly ChainEntry[]
  /** Sends a transaction to the network. */
  put(transaction: Pending): void
  /** Returns the newest value of a feed at a height. */
  latest(feedId: string, height: number): ChainEntry | null
  /** Returns the height of the block that executed a transaction. */
  executedAt(hash: string): number | null
  /** Returns the last value of each period of a feed at a height. */
  prints(feedId: string, height: number): ReadonlyMap<number, ChainEntry>
}

const BLOCK_MS = 8_000

/** Creates a chain that makes a block every 7 to 13 s. A block includes each pending transaction with 90 % probability. */
export function createModelChain(clock: Clock, keys: AccountKeys, random: () => number): ModelChain {
  const blockTimes = [clock.now()]
  const entries: ChainEntry[] = []
  const pool = new Map<string, Pending>()
  const executed = new Map<string, number>()

  function execute(transaction: Pending, height: number): void {
    executed.set(transaction.transaction_hash, height)
    const approvedBy = signersOf(transaction)
    for (const { feed_id: feedId, period, amount, source_hash } of attestationsOf(transaction.purpose))
      entries.push({
        hash: transaction.transaction_hash,
        feedId,
        period,
        amount: BigInt(amount),
        source_hash,
        height,
        time: clock.now(),
        approvedBy,
      })
  }

  function makeBlock(): void {
    blockTimes.push(clock.now())
    const height = blockTimes.length - 1
    for (const [hash, transaction] of pool) {
      const { expires_at } = transaction
      if (clock.now() < expires_at - LIFETIME_MS) continue
      if (executed.has(hash) || clock.now() > expires_at) pool.delete(hash)
      else if (random() < 0.9) {
        pool.delete(hash)
        execute(transaction, height)
      }
    }
    clock.after(BLOCK_MS * (0.9 + 0.7 * random()), makeBlock)
  }
  clock.after(BLOCK_MS, makeBlock)

  return {
    blockTimes,
    entries,
    put(transaction) {
      if (hasWeight(transaction, keys)) pool.set(transaction.transaction_hash, transaction)
    },
    latest: (feedId, height) =>
      entries.findLast((each) => each.feedId === feedId && each.height <= height) ?? null,
    executedAt: (hash) => executed.get(hash) ?? null,
    prints(feedId, height) {
      const known = entries.filter((each) => each.feedId === feedId && each.height <= height)
      return new Map(known.map((each) => [each.period, each]))
    },
  }
}

const approvalsOf = ({ transaction }: Pending) => {
  const { Version1 } = transaction as unknown as TransactionJson
  return Version1.approvals
}

const signersOf = (transaction: Pending): string[] => approvalsOf(transaction).map(({ signer }) => signer)

/** Like a node: one approval of another key spoils the transaction, and each key counts once. */
function hasWeight(transaction: Pending, { weights, threshold }: AccountKeys): boolean {
  const approvals = approvalsOf(transaction)
  const isBogus = approvals.some(
    (each) => !weights.has(each.signer) || !isSigned(each, transaction.transaction_hash),
  )
  const weight = [...new Set(signersOf(transaction))].reduce((sum, key) => sum + (weights.get(key) ?? 0), 0)
  return !isBogus && weight >= threshold
}
