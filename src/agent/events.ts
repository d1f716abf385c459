import type { WattfeedError } from '@wattfeed/base'
import type {
  ExecutedTransaction,
  Pending,
  SendStep,
  Settled,
  TransactionEvent,
} from '@wattfeed/casper/transaction'
import type { Manifest } from '@wattfeed/dataset'
import type { ThrottledEvent } from '@wattfeed/eia'
import type { FeedConfig } from '../feeds/file/feedConfig.ts'
import type { FeedsFileState } from '../feeds/file/feedsFile.ts'
import type { Log } from '../runtime/log.ts'
import type { SnapshotStep } from './datasets/snapshotInput.ts'
import type { FeedOutcome } from './feedOutcome.ts'
import type { OtherAttestation } from './look/otherWriter.ts'
import type { ChainFeed } from './plan/assertAttestable.ts'
import type { DroppedAttestation } from './send/checkChain.ts'
import { attestationsOf, pendingFeedIds } from './state/attestPurpose.ts'

/**
 * What an agent reports to its health, metrics, log and output. Nothing that makes a value be attested exactly once depends on
 * an event: that is done by plain calls, before it is reported.
 */
export type AgentEvent =
  | { readonly event: 'feeds'; readonly feeds: readonly FeedConfig[]; readonly file: FeedsFileState | null }
  /** A feed was read from the chain. */
  | { readonly event: 'read'; readonly feedId: string; readonly state: ChainFeed }
  /** At each poll: all lost periods of the feed, and those that were not lost at the poll before. */
  | {
      readonly event: 'lost'
      readonly feed: Pick<FeedConfig, 'feed_id' | 'frequency'>
      readonly lost: readonly number[]
      readonly added: readonly number[]
    }
  | { readonly event: 'step'; readonly step: OutboxStep }
  /** A transaction is settled, and still stored: the store removes it later, or the next run settles it again. */
  | { readonly event: 'not_removed'; readonly transactionHash: string; readonly error: WattfeedError }
  /** How far this machine's clock is ahead of the chain's. Reported once. */
  | { readonly event: 'clock_off'; readonly aheadMs: number }
  /** A feed is done in a cycle. */
  | { readonly event: 'outcome'; readonly outcome: FeedOutcome }
  | { readonly event: 'cycle'; readonly outcomes: readonly FeedOutcome[]; readonly durationMs: number }
  /** Attestations that another program made with this account were looked for. */
  | { readonly event: 'other_writer'; readonly found: readonly OtherAttestation[] }
  | { readonly event: 'balance'; readonly balanceMotes: bigint }
  /** A protocol version of the network was read for the first time. */
  | { readonly event: 'protocol_version'; readonly version: string }
  /** A request to EIA has ended. The error is the `code`; null if there was none. */
  | {
      readonly event: 'request'
      readonly route: string
      readonly durationMs: number
      readonly error: string | null
    }
  /** A step of reading a dataset is done. */
  | { readonly event: 'dataset_step'; readonly feedId: string; readonly step: SnapshotStep }
  /** A whole dataset was read, and its snapshot is on disk. */
  | {
      readonly event: 'snapshot'
      readonly feedId: string
      readonly manifest: Manifest
      /** False if there was a snapshot with this root. */
      readonly isNew: boolean
      readonly durationMs: number
    }
  /** The snapshot that differs from another one in some leaves is on disk: as EIA has them now, or another member. */
  | {
      readonly event: 'snapshot_adopted'
      readonly feedId: string
      readonly manifest: Manifest
      /** The root of the other one. */
      readonly base: string
      /** How many leaves differ. */
      readonly changes: number
      /** False if there was a snapshot with this root. */
      readonly isNew: boolean
      readonly durationMs: number
    }
  /** The snapshot of the newest root on chain is not at hand, so the next one cannot be compared with it period by period. */
  | { readonly event: 'snapshot_missing'; readonly feedId: string; readonly root: string }
  /**
   * Another member has a later snapshot that differs in too much to ask EIA again for it, or the own one was removed, so the dataset is due
   * at once.
   */
  | { readonly event: 'dataset_behind'; readonly feedId: string }
  /** EIA limits the rate, which stops all requests. */
  | ({ readonly event: 'throttled' } & ThrottledEvent)

/** Called with each event. A transaction waits with its next step for what this returns. */
export type Report = (event: AgentEvent) => unknown

/** Returns a report to all of these, in order, and then to those that subscribe. One that fails is logged, and stops nothing. */
export function reportTo(
  first: readonly Report[],
  log: Pick<Log, 'error'>,
): { report(event: AgentEvent): Promise<void>; subscribe(report: Report): void } {
  const all = [...first]
  return {
    async report(event) {
      const tell = async (report: Report): Promise<void> => {
        try {
          await report(event)
        } catch (err) {
          log.error({ err, event: event.event }, 'internal error')
        }
      }
      await Promise.all(all.map(tell))
    },
    subscribe: (report) => void all.push(report),
  }
}

/** The transaction that a step belongs to. */
interface OfTransaction {
  /** 64 hex digits. */
  readonly transactionHash: string
  readonly feedIds: readonly string[]
}

export interface SettledTransaction extends OfTransaction {
  /** `failed`: executed, the whole payment lost. `expired` and `refused`: never executed, nothing charged. */
  readonly outcome: Settled['outcome']
  /** The feed of each of its attestations; a feed may have several. */
  readonly attestedFeedIds: readonly string[]
  /** The charge; null if it was never executed. */
  readonly chargedMotes: bigint | null
  /** The node's message; null if it succeeded. */
  readonly errorMessage: string | null
}

/** The outcome of a transaction, with its execution and its error, if any. */
export interface SettledStep {
  readonly settled: SettledTransaction
  readonly executed: ExecutedTransaction | null
  readonly error: WattfeedError | null
}

/** A step of a transaction, reported when it is done and before the next one starts. */
export type OutboxStep =
  /** All checks passed; nothing is signed yet. */
  | {
      readonly step: 'checked'
      readonly feedIds: readonly string[]
      readonly dropped: readonly DroppedAttestation[]
    }
  /** The steps of a `DurableSender`, and the nodes' answers while it sends and follows. */
  | ({
      readonly step: 'signed' | 'written' | 'resumed' | TransactionEvent | 'removed'
      /** Epoch milliseconds. The transaction is never executed after this time. */
      readonly expiresAt: number
    } & OfTransaction)
  /** Its outcome is known. */
  | ({ readonly step: 'settled' } & SettledStep)

const namesOf = (pending: Pending): OfTransaction => ({
  transactionHash: pending.transaction_hash,
  feedIds: pendingFeedIds(pending),
})

/** Converts a step of the durable sender. */
export function eventOf(sent: SendStep): AgentEvent {
  const { pending } = sent
  if (sent.step === 'clock_off') return { event: 'clock_off', aheadMs: sent.aheadMs }
  if (sent.step === 'not_removed')
    return { event: 'not_removed', transactionHash: pending.transaction_hash, error: sent.error }
  if (sent.step !== 'settled')
    return { event: 'step', step: { step: sent.step, ...namesOf(pending), expiresAt: pending.expires_at } }
  const { executed, error } = sent.settlement
  const settled = settledTransaction(pending, sent.settlement)
  return { event: 'step', step: { step: 'settled', settled, executed, error } }
}

export const settledTransaction = (pending: Pending, settlement: Settled): SettledTransaction => ({
  ...namesOf(pending),
  attestedFeedIds: attestationsOf(pending.purpose).map(({ feed_id }) => feed_id),
  outcome: settlement.outcome,
  chargedMotes: settlement.executed?.chargedMotes ?? null,
  errorMessage: errorMessageOf(settlement),
})

function errorMessageOf({ outcome, executed, error }: Settled): string | null {
  if (executed !== null) return executed.errorMessage
  return outcome === 'refused' ? error.nodeMessage : error.message
}
