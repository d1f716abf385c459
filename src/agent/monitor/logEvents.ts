import { isSystemError, WattfeedError } from '@wattfeed/base'
import { formatPeriod, readablePeriod } from '@wattfeed/eia'
import type { FeedConfig } from '../../feeds/file/feedConfig.ts'
import { errorFields } from '../../runtime/errorFields.ts'
import type { Log } from '../../runtime/log.ts'
import { nodeHint } from '../../runtime/nodeHint.ts'
import { logProtocolVersion } from '../../runtime/protocolVersion.ts'
import type { SnapshotStep } from '../datasets/snapshotInput.ts'
import type { AgentEvent, OutboxStep, SettledStep } from '../events.ts'
import { type FeedOutcome, outcomeFields, transactionOf } from '../feedOutcome.ts'
import type { OtherAttestation } from '../look/otherWriter.ts'
import type { DroppedAttestation } from '../send/checkChain.ts'
import { FeedBackfillingError } from '../state/feedPending.ts'

/** Logs an event if an operator should know about it. */
export function logEvent(log: Log, event: AgentEvent): void {
  if (event.event === 'step') logStep(log, event.step)
  else if (event.event === 'not_removed')
    log.warn(
      { transaction_hash: event.transactionHash, error: event.error.message },
      'cannot record the outcome of a transaction yet',
    )
  else if (event.event === 'clock_off')
    log.warn(
      { ahead_s: Math.round(event.aheadMs / 1_000) },
      "clock skew: this machine's clock differs from the chain's",
    )
  else if (event.event === 'protocol_version') logProtocolVersion(log, event.version)
  else if (event.event === 'lost') logLost(log, event.feed, event.added)
  else if (event.event === 'outcome') logOutcome(log, event.outcome)
  else if (event.event === 'cycle') logCycle(log, event.outcomes, event.durationMs)
  else if (event.event === 'other_writer') for (const each of event.found) logOtherWriter(log, each)
  else if (event.event === 'dataset_step') logDatasetStep(log, event.feedId, event.step)
  else if (event.event === 'snapshot') {
    const { feedId: feed_id, manifest, isNew: is_new, durationMs } = event
    const { root, size, newestPeriod: period } = manifest
    const fields = { feed_id, root, values: size, period, is_new, duration_ms: Math.round(durationMs) }
    log.info(fields, 'snapshot of a dataset taken')
  } else if (event.event === 'snapshot_adopted') {
    const { feedId: feed_id, manifest, base, changes, isNew: is_new, durationMs } = event
    const { root, size, newestPeriod: period } = manifest
    const fields = { feed_id, root, values: size, period, base, changes, is_new }
    log.info({ ...fields, duration_ms: Math.round(durationMs) }, 'differences of a dataset adopted')
  } else if (event.event === 'dataset_behind')
    log.info({ feed_id: event.feedId }, 'reading a dataset again before its time')
  else if (event.event === 'snapshot_missing')
    log.warn(
      { feed_id: event.feedId, root: event.root },
      'the snapshot of the newest root is not at hand: a loss of values since then may pass unnoticed',
    )
  else if (event.event === 'throttled') {
    const { event: _, ...fields } = event
    log.warn(fields, 'rate limited by EIA; all requests wait')
  }
}

function logDatasetStep(log: Log, feed_id: string, { step, ...fields }: SnapshotStep): void {
  if (step === 'again') log.warn({ feed_id, ...fields }, 'reading a dataset again from its first row')
  if (step === 'resume') log.info({ feed_id, ...fields }, 'resuming to read a dataset')
  if (step === 'not_kept')
    log.warn(
      { feed_id, ...fields },
      'snapshots are not kept in the archive, so nobody can read as of their time',
    )
  if (step === 'not_recorded')
    log.warn({ feed_id, ...fields }, 'what EIA says of a dataset is not recorded, or not all of it')
  if (step === 'mend') log.warn({ feed_id, ...fields }, 'a snapshot is broken; writing it again')
}

function logStep(log: Log, step: OutboxStep): void {
  if (step.step === 'settled') logSettlement(log, step)
  else if (step.step === 'checked') logDropped(log, step.dropped)
  else if (step.step === 'resumed') log.info(nameFields(step), 'resuming a pending transaction')
  else if (step.step === 'sent_again') log.info(nameFields(step), 'transaction sent again')
  else if (step.step === 'unreachable')
    log.warn(
      { ...nameFields(step), until: new Date(step.expiresAt) },
      'transaction status unknown: no node reports it',
    )
}

const nameFields = ({
  transactionHash,
  feedIds,
}: {
  readonly transactionHash: string
  readonly feedIds: readonly string[]
}) => ({ transaction_hash: transactionHash, feed_ids: feedIds })

function logDropped(log: Log, dropped: readonly DroppedAttestation[]): void {
  for (const { feedId: feed_id, decision, latest } of dropped)
    log.info(
      { feed_id, decision, period: readablePeriod(latest.period) },
      'attestation dropped: the chain already has it or a newer one',
    )
}

function logSettlement(log: Log, { settled, executed, error: failure }: SettledStep): void {
  const { outcome, chargedMotes, errorMessage: error } = settled
  const fields = { ...nameFields(settled), outcome, charged_motes: chargedMotes?.toString() ?? null }
  if (executed === null || failure !== null) {
    log.warn({ ...fields, error }, 'transaction failed, expired or was rejected')
    return
  }
  const { blockHash: block_hash, blockHeight: block_height, consumedMotes } = executed
  log.info({ ...fields, consumed_motes: consumedMotes.toString(), block_hash, block_height }, 'attested')
}

/** Periods in EIA's form. The integer of a local hour lacks its offset, so it is shown in UTC. */
export const periodTexts = (
  { frequency }: Pick<FeedConfig, 'frequency'>,
  periods: readonly number[],
): string[] =>
  periods.map((each) => formatPeriod(frequency, each) ?? formatPeriod('hourly', each) ?? String(each))

function logLost(log: Log, feed: Pick<FeedConfig, 'feed_id' | 'frequency'>, added: readonly number[]): void {
  if (added.length > 0)
    log.warn(
      { feed_id: feed.feed_id, periods: periodTexts(feed, added) },
      'periods are lost: attest them with "feeds backfill"',
    )
}

/** Logs a feed's outcome; an unexpected error with its stack. */
function logOutcome(log: Log, outcome: FeedOutcome): void {
  const { error } = outcome
  const { feed_id, decision, transaction_hash, ...fields } = outcomeFields(outcome)
  const period = fields.period === null ? null : readablePeriod(fields.period)
  const left_out = fields.left_out.map((each) => ({ ...each, period: readablePeriod(each.period) }))
  if (left_out.length > 0)
    log.warn({ feed_id, left_out }, 'periods left out: EIA has no attestable value for them')
  if (error === null)
    log.info({ feed_id, decision, period, transaction_hash, ...besides(outcome) }, 'feed decided')
  else if (error instanceof FeedBackfillingError)
    log.info(
      { feed_id, code: error.code, process_id: error.holder.id },
      'feed skipped: a backfill is running',
    )
  else if (error instanceof WattfeedError || isSystemError(error)) {
    const { code, message } = errorFields(error)
    log.warn({ feed_id, code, error: message, transaction_hash, ...besides(outcome) }, 'feed failed')
  } else log.error({ feed_id, err: error, transaction_hash }, 'internal error')
}

/** Returns the log fields about earlier periods; none in most cycles. */
function besides(outcome: FeedOutcome): object {
  const { transaction_hashes, caught_up, missing, revised, gaps, waits_until, signers } =
    outcomeFields(outcome)
  return {
    ...(transaction_hashes.length < 2 ? {} : { transaction_hashes }),
    ...(caught_up.length === 0 ? {} : { caught_up: caught_up.map(readablePeriod) }),
    ...(missing === 0 ? {} : { missing }),
    ...(revised.length === 0 ? {} : { revised: revised.map(readablePeriod) }),
    ...(gaps === null || gaps.length === 0 ? {} : { gaps: gaps.map(readablePeriod) }),
    ...(waits_until === null ? {} : { waits_until }),
    ...(signers.length === 0 ? {} : { signers }),
  }
}

function logCycle(log: Log, outcomes: readonly FeedOutcome[], durationMs: number): void {
  const attested = outcomes.filter((outcome) => outcome.error === null && transactionOf(outcome) !== null)
  const failed = outcomes.filter(({ error }) => error !== null)
  const counts = { feeds: outcomes.length, attested: attested.length, failed: failed.length }
  log.info({ ...counts, duration_ms: Math.round(durationMs) }, 'cycle finished')
  const hint = failed.map(({ error }) => nodeHint(error)).find((each) => each !== null)
  if (hint !== undefined) log.warn({ hint }, 'no node can be reached')
}

function logOtherWriter(log: Log, { feedId: feed_id, value }: OtherAttestation): void {
  const { period, amount, timestamp } = value
  log.error(
    { feed_id, period: readablePeriod(period), amount: amount.toString(), attested_at: new Date(timestamp) },
    'the state folder has no record of sending this value of its account',
  )
}
