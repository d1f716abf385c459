import pLimit from 'p-limit'
import type { EiaRow } from '../../eia/series.ts'
import type { NewAttestation } from '../../registry/calls.ts'
import { decide, isWritten, type WrittenResult } from '../decide.ts'
import { decidedOutcome, type FeedOutcome, failedOutcome } from '../feedOutcome.ts'
import type { FeedConfig } from '../feeds/feedConfig.ts'
import { MAX_BATCH } from '../outbox/attestCall.ts'
import { batchAttestations } from '../outbox/batchAttestations.ts'
import { FeedBackfillingError, FeedPendingError } from '../outbox/feedLocks.ts'
import { createBatcher } from './batcher.ts'
import { type DecisionInputOptions, readDecisionInput } from './decisionInput.ts'
import type { Prepared, Sender } from './sender.ts'

export interface CycleOptions extends Omit<DecisionInputOptions, 'underWay' | 'assertFree'> {
  sender: Sender
  /** Epoch milliseconds. */
  now: () => number
  wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** Called with each feed's outcome as soon as it is done. Must not throw. */
  onOutcome: (outcome: FeedOutcome) => void
}

/** A value to attest, and its source. */
interface Candidate extends NewAttestation {
  row: EiaRow
  result: WrittenResult
}

type Settle = (outcome: FeedOutcome) => void

/** Feeds read at once; the EIA client keeps to the rate limit. */
const FEEDS_AT_ONCE = 8
/** How long a value waits for others to share its transaction. */
const BATCH_WAIT_MS = 3_000

/**
 * Reads, decides and attests each feed once. Values are attested while others are still being fetched. A feed fails
 * alone, or together with those that share its transaction. Never throws.
 */
export async function runCycle(
  feeds: readonly FeedConfig[],
  options: CycleOptions,
): Promise<readonly FeedOutcome[]> {
  const outcomes: FeedOutcome[] = []
  const settle: Settle = (outcome) => {
    outcomes.push(outcome)
    options.onOutcome(outcome)
  }
  const prepared = await options.sender.prepare().catch(asError)
  if (!(prepared instanceof Error)) await runFeeds(feeds, { ...options, ...prepared }, settle)
  else for (const { feed_id } of feeds) settle(failedOutcome(feed_id, prepared, { row: null, result: null }))
  return outcomes
}

type PreparedOptions = Omit<CycleOptions, 'onOutcome'> & Prepared

async function runFeeds(
  feeds: readonly FeedConfig[],
  options: PreparedOptions,
  settle: Settle,
): Promise<void> {
  const sends: Promise<void>[] = []
  const batcher = createBatcher<Candidate>({
    group: (candidates) => batchAttestations(candidates, options),
    maxItems: options.offersMany ? MAX_BATCH : 1,
    waitMs: BATCH_WAIT_MS,
    wait: options.wait,
    take: (batch) => void sends.push(sendBatch(batch, options, settle)),
  })
  await pLimit(FEEDS_AT_ONCE).map(feeds, async (feed) => {
    const found = await findCandidate(feed, options)
    if ('row' in found) batcher.add(found)
    else settle(found)
  })
  batcher.flush()
  await Promise.all(sends)
}

/** Returns the value to attest, or the outcome of a feed that needs none. */
async function findCandidate(feed: FeedConfig, options: PreparedOptions): Promise<Candidate | FeedOutcome> {
  let row: EiaRow | null = null
  try {
    const input = await readDecisionInput(feed, options)
    row = input.row
    const result = decide({ ...input, feed, now: options.now() })
    if (!isWritten(result)) return decidedOutcome(feed.feed_id, { row, result })
    const { period, amount, sourceHash } = result
    return { feedId: feed.feed_id, period, amount, sourceHash, row, result }
  } catch (error) {
    return failedOutcome(feed.feed_id, asError(error), { row, result: null })
  }
}

/** Sends values in one transaction; without those of feeds that another process attests to by then. */
async function sendBatch(
  batch: readonly Candidate[],
  options: PreparedOptions,
  settle: Settle,
): Promise<void> {
  const { sender, stop } = options
  try {
    stop.throwIfAborted()
    const { transactionHash, superseded } = await sender.send(batch)
    for (const { feedId, row, result } of batch) {
      const decision = superseded.get(feedId)
      if (decision === undefined) settle(decidedOutcome(feedId, { row, result }, transactionHash))
      else settle(decidedOutcome(feedId, { row, result: { ...result, decision } }))
    }
  } catch (error) {
    const isTaken = error instanceof FeedPendingError || error instanceof FeedBackfillingError
    const failed = isTaken ? batch.filter(({ feedId }) => feedId === error.feedId) : batch
    for (const each of failed) settle(failedOutcome(each.feedId, asError(error), each))
    const others = batch.filter((each) => !failed.includes(each))
    if (others.length > 0) await sendBatch(others, options, settle)
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
