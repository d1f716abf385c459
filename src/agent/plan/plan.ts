import { encodePeriod } from '../../eia/period.ts'
import type { EiaRow } from '../../eia/series.ts'
import { WattfeedError } from '../../errors.ts'
import type { NewAttestation } from '../../registry/calls.ts'
import { asError } from '../asError.ts'
import type { FeedConfig } from '../feeds/feedConfig.ts'
import { type BatchOptions, batchAttestations, fitsBatch } from './attestCall.ts'
import {
  type ChainValue,
  type DecisionInput,
  type DecisionResult,
  decide,
  isSameValue,
  isWritten,
  type SourcedAttestation,
  type ValueResult,
} from './decide.ts'
import { assertAttestable, assertUnit, assertVerified, type FeedState } from './assertAttestable.ts'

/** Why a step attests a value. `restated` attests the chain's newest value again, to keep it the newest. */
export type Role = 'newest' | 'caught-up' | 'revised' | 'restated'

export interface PlannedAttestation extends SourcedAttestation {
  readonly role: Role
}

export interface RowAttestation extends SourcedAttestation {
  readonly row: EiaRow
  readonly result: ValueResult
}

/** Rows as attestations, oldest first, and those that cannot be attested. */
export interface RowAttestations {
  readonly attestations: readonly RowAttestation[]
  readonly leftOut: readonly LeftOut[]
}

/**
 * Converts rows of a feed to attestations, oldest first. It skips rows that cannot be attested: withheld, negative, in the
 * future, not a number, too large, or in another unit.
 *
 * @param rows in any order
 * @param options.now epoch milliseconds
 * @throws {PeriodError} if a period is not of the feed's frequency.
 */
export function attestRows(
  rows: readonly EiaRow[],
  options: Omit<DecisionInput, 'row' | 'latest'>,
): RowAttestations {
  const { feed } = options
  const attestations: RowAttestation[] = []
  const leftOut: LeftOut[] = []
  const dated = rows.map((row) => ({ row, period: encodePeriod(feed.frequency, row.period) }))
  for (const { row, period } of dated.toSorted((a, b) => a.period - b.period)) {
    const result = decideAlone(row, options)
    if (typeof result === 'string') leftOut.push({ period, reason: result })
    else attestations.push({ ...attestationOf(feed.feed_id, result), row, result })
  }
  return { attestations, leftOut }
}

/** Returns a row's value, or the reason why it has none. */
function decideAlone(row: EiaRow, options: Omit<DecisionInput, 'row' | 'latest'>): ValueResult | string {
  try {
    assertUnit(row, options.feed)
    const result = decide({ ...options, row, latest: null })
    return isWritten(result) ? result : result.decision
  } catch (error) {
    if (error instanceof WattfeedError) return error.code
    throw error
  }
}

const attestationOf = (
  feed_id: string,
  { period, amount, source_hash, source }: ValueResult,
): SourcedAttestation => ({ feed_id, period, amount, source_hash, source })

/**
 * Groups values of one feed into transactions, in order, each as large as possible. With `closing`, which has the feed's
 * newest period, each transaction ends with it, so that the latest value is right after each transaction.
 *
 * @returns null if no value fits a transaction together with `closing`.
 */
export function groupPast<T extends NewAttestation>(
  past: readonly T[],
  closing: T | null,
  options: BatchOptions,
): T[][] | null {
  if (closing === null) return batchAttestations(past, options)
  const groups: T[][] = []
  for (const each of past) {
    const group = groups.at(-1)
    if (group !== undefined && fitsBatch([...group, each], options)) group.splice(-1, 0, each)
    else if (fitsBatch([each, closing], options)) groups.push([each, closing])
    else return null
  }
  return groups
}

/** A row without an attestable value, before a period that is attested. A value that EIA adds later is attested as a late one. */
export interface LeftOut {
  readonly period: number
  /** A decision, such as `withheld`, or the code of an error, such as `not_a_number`. */
  readonly reason: string
}

/** A feed's newest row and its decision, or those of the last row that is attested now. */
export interface Known {
  readonly row: EiaRow | null
  readonly result: DecisionResult | null
}

/** A block at which the chain is read. */
export interface ViewedBlock {
  readonly height: number
  /** Epoch milliseconds. */
  readonly time: number
  /** The state root after the block, 64 hex digits. */
  readonly stateRootHash: string
}

/** A feed on chain, as of one block, and its rows at EIA. Incomplete after a failure. */
export interface Observation {
  readonly block: ViewedBlock
  /** Epoch milliseconds, by this machine's clock. */
  readonly time: number
  /** Null if it was not read. */
  readonly state: FeedState | null
  /** EIA's newest row; null if it was not read. */
  readonly newest: EiaRow | null
  /** Other rows, each period once. They may be missing on chain, or revised. */
  readonly rows: readonly EiaRow[]
  /** The chain's last value of each period. The chain has no value of other periods. */
  readonly prints: ReadonlyMap<number, ChainValue>
  /** Periods that the chain lacks between its newest values, oldest first. */
  readonly gaps: readonly number[]
  /** Maximum number of periods between the chain's newest and EIA's that one cycle attests. */
  readonly maxPeriods: number
  /** Why the observation is incomplete; null if it is complete. */
  readonly failure: Error | null
}

export interface PlanTerms extends BatchOptions {
  readonly chainName: string
  /** The account of the signing key; null if there is none. */
  readonly accountHash: string | null
  /** Maximum number of transactions of a feed in a cycle; the rest wait for the next cycle. @default no limit */
  readonly maxSteps?: number | undefined
}

/** A plan of a feed, and the chain's newest value that it is based on. */
export interface PlannedFeed extends Plan {
  readonly feedId: string
  /** Height of the block at which the chain was read. */
  readonly height: number
  readonly latest: ChainValue | null
  readonly error: null
}

/** Why a feed has no plan. */
export interface RefusedFeed {
  readonly feedId: string
  readonly error: Error
  readonly about: Known
}

export type FeedPlan = PlannedFeed | RefusedFeed

/** Plans the attestations of a feed. Pure: the same observation always gives the same plan. Never throws. */
export function planFeed(feed: FeedConfig, seen: Observation, terms: PlanTerms): FeedPlan {
  const feedId = feed.feed_id
  let about: Known = { row: null, result: null }
  try {
    const { state, newest: row, block } = seen
    assertVerified(feed, terms.chainName)
    if (state !== null) assertAttestable(feed, state, terms.accountHash)
    if (state === null || row === null)
      throw seen.failure ?? new TypeError('neither the chain nor EIA was read')
    assertUnit(row, feed)
    about = { row, result: null }
    const { latest } = state
    const newest = { row, result: decide({ row, feed, latest, now: seen.time }) }
    about = newest
    if (seen.failure !== null) throw seen.failure
    const { maxSteps, offersMany, paymentMotes } = terms
    const batch = { offersMany, paymentMotes }
    const plan = planSteps({ ...seen, feed, latest, newest, maxSteps, batch, now: seen.time })
    return { ...plan, feedId, height: block.height, latest, error: null }
  } catch (error) {
    return { feedId, about, error: asError(error) }
  }
}

export interface StepsInput
  extends Pick<DecisionInput, 'feed' | 'now'>,
    Pick<Observation, 'rows' | 'prints' | 'gaps' | 'maxPeriods'> {
  /** Newest attestation on chain; null if there is none. */
  latest: ChainValue | null
  newest: { row: EiaRow; result: DecisionResult }
  /** Maximum number of transactions. @default no limit */
  maxSteps?: number | undefined
  batch: BatchOptions
}

export interface Plan {
  /** The transactions, to send one after the other; empty if nothing is due. */
  readonly steps: readonly (readonly PlannedAttestation[])[]
  /** The row of the outcome: the newest one, or the last one that is attested now if there is too much for one cycle. */
  readonly about: { row: EiaRow; result: DecisionResult }
  /** Number of periods left for the next cycle, including revised ones. */
  readonly missing: number
  /** Rows without an attestable value, before a period that is attested. */
  readonly leftOut: readonly LeftOut[]
  /** Periods that the chain lacks before this plan, oldest first. */
  readonly gaps: readonly number[]
}

/**
 * Plans the transactions of a feed. Pure.
 *
 * After each step, the feed's latest value on chain is its newest period so far. Missing periods are attested oldest first,
 * and a step that revises an earlier period ends with the newest one, if EIA still has a number for it.
 */
export function planSteps(input: StepsInput): Plan {
  const { feed, latest, newest, rows, gaps, maxPeriods } = input
  const { attestations, leftOut } = attestRows(rows, input)
  const isLater = ({ period }: { period: number }) => latest === null || period > latest.period
  const lacking = attestations.filter(isLater)
  const now = lacking.slice(0, maxPeriods)
  const isWhole = now.length === lacking.length
  const last = isWritten(newest.result) ? attestationOf(feed.feed_id, newest.result) : null
  const closing = isWhole && last !== null ? [{ ...last, role: 'newest' as const }] : []
  const news = [...now.map(caughtUp), ...closing.filter(isLater)]
  const revised = attestations
    .filter((each) => !isLater(each) && isRevised(each, input.prints))
    .map((each) => (gaps.includes(each.period) ? caughtUp(each) : asRevised(each)))
  const corrections = [...revised, ...closing.filter((each) => !isLater(each))]
  const mayRestate = hasNumber(latest, { newest, attestations })
  const all = groupSteps({ ...input, corrections, news, mayRestate })
  const steps = all.slice(0, input.maxSteps)
  const sent = new Set(steps.flat().map(({ period }) => period))
  const left = all.slice(steps.length).flat()
  const end = steps.flat().findLast(isLater)
  const lastSent = attestations.findLast(({ period }) => sent.has(period))
  const isDone = isWhole && (last === null || left.length === 0)
  return {
    steps,
    about: isDone || lastSent === undefined ? newest : asDecided(lastSent, isLater(lastSent)),
    missing:
      new Set(left.flatMap(({ period }) => (sent.has(period) ? [] : period))).size +
      (isWhole ? 0 : lacking.length - now.length + (last === null ? 0 : 1)),
    leftOut: leftOut.filter((each) => isLater(each) && end !== undefined && each.period < end.period),
    gaps,
  }
}

/** Whether EIA has a number for the chain's newest period. One that it has withdrawn must not get a new time. */
function hasNumber(
  latest: StepsInput['latest'],
  { newest: { result }, attestations }: Pick<StepsInput, 'newest'> & Pick<RowAttestations, 'attestations'>,
): boolean {
  if (latest === null) return true
  if (result.period === latest.period) return result.amount !== null
  return attestations.some(({ period }) => period === latest.period)
}

const asDecided = ({ row, result }: RowAttestation, isLater: boolean): Plan['about'] => ({
  row,
  result: { ...result, decision: isLater ? 'new-period' : 'revision' },
})

const planned =
  (role: Role) =>
  ({ row, result, ...attestation }: RowAttestation): PlannedAttestation => ({ ...attestation, role })
const caughtUp = planned('caught-up')
const asRevised = planned('revised')

/** Whether the chain's last value of a period differs or is missing. */
const isRevised = (attestation: NewAttestation, prints: Observation['prints']): boolean =>
  !isSameValue(attestation, prints.get(attestation.period))

interface GroupInput extends Pick<StepsInput, 'feed' | 'latest' | 'batch'> {
  /** Values up to the chain's newest period, oldest first. */
  corrections: readonly PlannedAttestation[]
  /** Values later than the chain's newest period, oldest first. */
  news: readonly PlannedAttestation[]
  /** Whether the chain's newest value may be attested again. */
  mayRestate: boolean
}

/**
 * Groups attestations into steps. Corrections end with the first new value, or with the newest value again. Without either they
 * wait.
 */
function groupSteps({
  feed,
  latest,
  batch,
  corrections,
  news,
  mayRestate,
}: GroupInput): PlannedAttestation[][] {
  const corrected = corrections.find(({ period }) => period === latest?.period)
  const older = corrections.filter((each) => each !== corrected)
  if (latest === null || older.length === 0) return batchAttestations([...corrections, ...news], batch)
  const { period, amount, source_hash } = latest
  const restated = { feed_id: feed.feed_id, period, amount, source_hash, role: 'restated' as const }
  const [first] = news
  const closing = corrected ?? (mayRestate ? restated : first)
  if (closing === undefined) return []
  const groups = groupPast(older, closing, batch)
  // The id is too long for two values in one transaction, so earlier periods cannot be corrected.
  if (groups === null) return batchAttestations([...(corrected ? [corrected] : []), ...news], batch)
  if (closing === first) return [...groups.map(endAgain), ...batchAttestations(news.slice(1), batch)]
  const before = groups.slice(0, -1)
  const last = groups.at(-1) ?? []
  const open = last.slice(0, -1)
  const isClosed = corrected === undefined || before.length > 0
  if (first !== undefined && isClosed && fitsBatch([...open, first], batch))
    return [...before, ...batchAttestations([...open, ...news], batch)]
  return [...before, ...batchAttestations([...last, ...news], batch)]
}

/** The first group adds its last value, and the others attest it again. */
const endAgain = (group: readonly PlannedAttestation[], index: number): PlannedAttestation[] =>
  group.map((each, place) => (index > 0 && place === group.length - 1 ? { ...each, role: 'restated' } : each))
