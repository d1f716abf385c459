import { type Static, Type } from '@sinclair/typebox'
import type { Settled } from '../../casper/transaction/followTransaction.ts'
import { createPendingRows, type PendingRows, removePending } from '../../casper/transaction/pendingRows.ts'
import { createSqliteStore, type KeyUse, type SqliteStore } from '../../casper/transaction/sqliteStore.ts'
import type { Pending } from '../../casper/transaction/transactionStore.ts'
import { defineError } from '../../defineError.ts'
import type { NewAttestation } from '../../registry/calls.ts'
import { type FeedEnd, recordFeedEnd } from './feedEnds.ts'
import { FeedBackfillingError, FeedPendingError } from './feedPending.ts'
import type { AgentState } from './openState.ts'
import { addSentValues, removeSentValues } from './sentLog.ts'

/** The purpose of a pending transaction of the agent. */
export const AttestPurpose = Type.Object({
  kind: Type.Literal('attest'),
  attestations: Type.Array(
    Type.Object({
      feed_id: Type.String(),
      period: Type.Integer(),
      /** The value times 10^decimals. */
      amount: Type.String({ pattern: '^[0-9]+$' }),
      source_hash: Type.String(),
    }),
    { minItems: 1 },
  ),
})
export type AttestPurpose = Static<typeof AttestPurpose>

/** A signed transaction that may be in flight, with its attestations. */
export type PendingAttestations = Pending<AttestPurpose>

export const createAttestPurpose = (attestations: readonly NewAttestation[]): AttestPurpose => ({
  kind: 'attest',
  attestations: attestations.map(({ feed_id, period, amount, source_hash }) => ({
    feed_id,
    period,
    amount: amount.toString(),
    source_hash,
  })),
})

/** Returns the ids of a transaction's feeds, without duplicates. */
export const pendingFeedIds = ({ purpose }: PendingAttestations): string[] => attestedFeedIds(purpose)

/** Returns the ids of a purpose's feeds, without duplicates. */
const attestedFeedIds = ({ attestations }: AttestPurpose): string[] => [
  ...new Set(attestations.map(({ feed_id }) => feed_id)),
]

/**
 * Creates the store of attestations: a feed has at most one transaction in flight. The outcome of a transaction is recorded in
 * the same step that removes it, and its values in the step that writes it.
 *
 * @param now the machine's clock, in epoch milliseconds
 */
export function createAttestationStore(
  state: AgentState,
  now: () => number = Date.now,
): SqliteStore<AttestPurpose> {
  return createSqliteStore<AttestPurpose>({
    state: state.file,
    destination: state.destination,
    purpose: AttestPurpose,
    keysOf: attestedFeedIds,
    taken: (feedId, use) => takenError(feedId, use, now()),
    recordWritten: (pending) => addSentValues(state, pending),
    recordSettled: (pending, settled) => recordOutcome(state, pending, settled),
  })
}

/** Records the outcome of attestations. Call it in a database transaction. */
export function recordOutcome(
  state: AgentState,
  pending: PendingAttestations,
  { outcome, executed }: Settled,
): void {
  if (outcome !== 'executed') removeSentValues(state, pending)
  else
    recordSettledBlock(state, pendingFeedIds(pending), {
      height: executed.blockHeight,
      before: pending.expires_at,
    })
}

function takenError(
  feedId: string,
  { pending, holder }: KeyUse<AttestPurpose>,
  now: number,
): FeedBackfillingError | FeedPendingError {
  if (holder?.purpose === 'backfill') return new FeedBackfillingError({ feedId, holder })
  if (holder !== null) return new FeedPendingError(feedId, { holder }, now)
  const { transaction_hash = null, expires_at = null } = pending ?? {}
  return new FeedPendingError(feedId, { transactionHash: transaction_hash, waitsUntil: expires_at }, now)
}

/** Returns the transactions that this key has approved and that may still be executed, as rows. */
export const createApprovalRows = ({ file, destination }: AgentState): PendingRows<AttestPurpose> =>
  createPendingRows<AttestPurpose>({
    state: file,
    destination,
    purpose: AttestPurpose,
    role: 'approval',
    keysOf: attestedFeedIds,
  })

/** Whether this key has approved a transaction of one of the feeds that has not ended. */
export const hasApproved = (state: AgentState, feedIds: readonly string[]): boolean =>
  state.file.read(() =>
    createApprovalRows(state)
      .list()
      .some(({ pending }) => pendingFeedIds(pending).some((feedId) => feedIds.includes(feedId))),
  )

/**
 * Ends the approvals of feeds whose transactions are expired at a block: the state there shows whether they were executed. This
 * is for a key that signs alone beside a member that does not run.
 */
export function endExpiredApprovals(
  state: AgentState,
  feedIds: readonly string[],
  { height, time }: { height: number; time: number },
): void {
  const expired = state.file.read(() =>
    createApprovalRows(state)
      .list()
      .map(({ pending }) => pending)
      .filter((each) => each.expires_at < time && pendingFeedIds(each).some((id) => feedIds.includes(id))),
  )
  if (expired.length === 0) return
  state.file.write(() => {
    for (const each of expired) endApproval(state, each, { height, before: time, expiresAt: each.expires_at })
  })
}

/** Records how an approval ended, and removes it. Call it in a database transaction. */
export function endApproval(state: AgentState, transaction: PendingAttestations, end: FeedEnd): void {
  for (const feedId of pendingFeedIds(transaction)) recordFeedEnd(state, feedId, end)
  removePending(state.file, transaction.transaction_hash)
}

/** The block that settled a feed's last transaction. */
export interface SettledBlock {
  readonly height: number
  /** The transaction's expiry in epoch milliseconds. The block is not later. */
  readonly before: number
}

/** A lagging node: its newest block is before a known one, so its values must not be used. */
export const LaggingValueError = defineError(
  'LaggingValueError',
  'lagging_value',
  (facts: {
    feedId: string
    /** The height of the block with the feed's last transaction. */
    settledHeight: number
    /** The height of the node's newest block. */
    height: number
  }) =>
    `the node lags: its newest block is ${facts.height}, and block ${facts.settledHeight} has the last transaction of ${facts.feedId}; the feed will be polled again`,
  { retryable: true },
)

/** A block at which the chain is read, and the known settled blocks. */
export interface DatedView {
  /** Its time is in epoch milliseconds. */
  readonly block: { readonly height: number; readonly time: number }
  readonly settled: ReadonlyMap<string, SettledBlock>
}

/**
 * Asserts that a block is not before the one that settled a feed's last transaction. A lower block that is later than
 * that transaction's expiry belongs to another chain, such as a restarted development chain.
 *
 * @throws {LaggingValueError}
 */
export function assertNotBefore(feedId: string, { block, settled }: DatedView): void {
  const last = settled.get(feedId)
  if (last === undefined || block.height >= last.height || block.time > last.before) return
  throw new LaggingValueError({ feedId, settledHeight: last.height, height: block.height })
}

/** Returns the blocks that settled each feed's last transaction, by feed id. @throws {StateFileError} */
export function readSettledBlocks({ file, destinationId }: AgentState): Map<string, SettledBlock> {
  const rows = file.read(() =>
    file.database
      .query<SettledBlock & { feed_id: string }, [number]>(
        'SELECT feed_id, height, before FROM settled_block WHERE destination_id = ?',
      )
      .all(destinationId()),
  )
  return new Map(rows.map(({ feed_id, height, before }) => [feed_id, { height, before }]))
}

/** Records the block of a transaction. Call it in the database transaction that settles that. */
export function recordSettledBlock(
  { file, destinationId }: AgentState,
  feedIds: readonly string[],
  { height, before }: SettledBlock,
): void {
  // Compares by expiry, because heights decrease when a chain is restarted.
  const upsert = file.database.query(
    `INSERT INTO settled_block (destination_id, feed_id, height, before) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET height = excluded.height, before = excluded.before WHERE excluded.before >= before`,
  )
  for (const feedId of feedIds) upsert.run(destinationId(), feedId, height, before)
}
