import type { EiaRow } from '@wattfeed/eia'
import type { NewAttestation } from 'wattfeed/internal'
import type { SeriesConfig } from '../../feeds/file/feedConfig.ts'
import { asError } from '../../runtime/asError.ts'
import { assertAttestable, assertUnit, assertVerified, type ChainFeed } from './assertAttestable.ts'
import type { BatchOptions } from './attestCall.ts'
import {
  attestationOf,
  attestRows,
  type LeftOut,
  type RowAttestation,
  type RowAttestations,
} from './attestRows.ts'
import {
  type ChainValue,
  type Decided,
  type DecisionInput,
  type DecisionResult,
  decide,
  isSameValue,
  isWritten,
} from './decide.ts'
import { type GroupInput, groupSteps, type PlannedAttestation, type Role } from './groupSteps.ts'

/** A feed's newest row and its decision, or those of the last row that is attested now. */
export interface Known {
  readonly row: EiaRow | null
  readonly result: Decided | null
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
  readonly state: ChainFeed | null
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
  /** Maximum number of transactions of a feed in a cycle; the rest wait for the next cycle. Null for no limit. */
  readonly maxSteps: number | null
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

export const NOTHING_KNOWN: Known = { row: null, result: null }

/** Returns why a feed has no plan if nothing of it was read. */
export const refusedFeed = (feedId: string, error: unknown): RefusedFeed => ({
  feedId,
  about: NOTHING_KNOWN,
  error: asError(error),
})

/** Plans the attestations of a feed. Pure: the same observation always gives the same plan. Never throws. */
export function planFeed(feed: SeriesConfig, seen: Observation, terms: PlanTerms): FeedPlan {
  const feedId = feed.feed_id
  let about = NOTHING_KNOWN
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

/** What the transactions of a feed depend on. */
export interface StepsInput
  extends Pick<DecisionInput, 'feed' | 'now'>,
    Pick<Observation, 'rows' | 'prints' | 'gaps' | 'maxPeriods'> {
  /** Newest attestation on chain; null if there is none. */
  latest: ChainValue | null
  newest: { row: EiaRow; result: DecisionResult }
  /** Maximum number of transactions; null for no limit. */
  maxSteps: number | null
  batch: BatchOptions
}

/** The transactions of a feed in a cycle, and what they leave. */
export interface Plan {
  /** The transactions, to send one after the other; empty if nothing is due. */
  readonly steps: readonly (readonly PlannedAttestation[])[]
  /** The row of the outcome: the newest one, or the last one that is attested now if there is too much for one cycle. */
  readonly about: { row: EiaRow; result: Decided }
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
  const { latest, newest, gaps } = input
  const { attestations, leftOut } = attestRows(input.rows, input)
  const { corrections, news, waiting } = dueValues(input, attestations)
  const mayRestate = hasNumber(latest, { newest, attestations })
  const all = groupSteps({ ...input, corrections, news, mayRestate })
  const steps = all.slice(0, input.maxSteps ?? all.length)
  const sent = new Set(steps.flat().map(({ period }) => period))
  const unsent = all.slice(steps.length).flat()
  const unsentPeriods = new Set(unsent.map(({ period }) => period)).difference(sent)
  const isDone = waiting === 0 && (!isWritten(newest.result) || unsent.length === 0)
  const isLater = laterThan(latest)
  const lastSent = attestations.findLast(({ period }) => sent.has(period))
  const end = steps.flat().findLast(isLater)
  return {
    steps,
    about: isDone || lastSent === undefined ? newest : asDecided(lastSent, isLater(lastSent)),
    missing: unsentPeriods.size + waiting,
    leftOut: leftOut.filter((each) => isLater(each) && end !== undefined && each.period < end.period),
    gaps,
  }
}

/** Returns the values to attest, and how many later periods wait for the next cycle because of `maxPeriods`. */
function dueValues(
  { feed, latest, newest: { result }, prints, gaps, maxPeriods }: StepsInput,
  attestations: readonly RowAttestation[],
): Pick<GroupInput, 'corrections' | 'news'> & { waiting: number } {
  const isLater = laterThan(latest)
  const later = attestations.filter(isLater)
  const now = later.slice(0, maxPeriods)
  const isWhole = now.length === later.length
  const last = isWritten(result) ? [{ ...attestationOf(feed.feed_id, result), role: 'newest' as const }] : []
  const closing = isWhole ? last : []
  const revised = attestations
    .filter((each) => !isLater(each) && isRevised(each, prints))
    .map((each) => (gaps.includes(each.period) ? caughtUp(each) : asRevised(each)))
  return {
    corrections: [...revised, ...closing.filter((each) => !isLater(each))],
    news: [...now.map(caughtUp), ...closing.filter(isLater)],
    waiting: isWhole ? 0 : later.length - now.length + last.length,
  }
}

const laterThan =
  (latest: ChainValue | null) =>
  ({ period }: { period: number }): boolean =>
    latest === null || period > latest.period

/** Returns whether EIA has a number for the chain's newest period. One that it has withdrawn must not get a new time. */
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

/** Returns whether the chain's last value of a period differs or is missing. */
const isRevised = (attestation: NewAttestation, prints: Observation['prints']): boolean =>
  !isSameValue(attestation, prints.get(attestation.period))
