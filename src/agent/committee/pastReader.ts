import { endText, type RowsSince } from '@wattfeed/eia'
import type { Attestation, Reads } from 'wattfeed'
import { type SeriesConfig, seriesOf } from '../../feeds/file/feedConfig.ts'
import { asError } from '../../runtime/asError.ts'
import type { View } from '../look/view.ts'
import { attestRows } from '../plan/attestRows.ts'
import { isSameValue } from '../plan/decide.ts'
import type { PastValues } from './checkBackfill.ts'
import { refusePlan } from './checkValues.ts'
import { type Refusal, refuse } from './refusal.ts'
import { FETCH_MS, type RowReader } from './shareFetches.ts'

/** The most periods of EIA between the first and the last past value of a transaction: they fit one request. */
const MAX_ROWS = 999
/** A proposer keeps some distance from that limit. EIA may add periods, and bounds local hours only to three days. */
export const BACKFILL_SPAN = 500
/** Values of a history that one check reads. A longer history takes several checks. */
const MAX_READ = 400

export interface PastRange {
  readonly first: number
  readonly last: number
}

interface PastSource {
  readonly eia: Pick<RowReader, 'listRowsSince'>
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly stop: AbortSignal
}

/** Reads what a member needs to check past values. All work is bounded, because other members cause it. */
export class PastReader {
  readonly #source: PastSource
  readonly #readHistory = createHistoryReader()
  readonly #fetched = new Map<string, { at: number; range: PastRange; listing: Promise<RowsSince> }>()

  constructor(source: PastSource) {
    this.#source = source
  }

  /**
   * Reads EIA's values from one period to another, and the chain's last value of each period.
   *
   * Asks EIA at most once in 30 s for a feed. Reads one history at a time, and a long one in several calls.
   *
   * @returns a refusal while the member cannot check the values
   */
  async read(feed: SeriesConfig, range: PastRange, view: View): Promise<PastValues | { refusal: Refusal }> {
    try {
      return await this.#read(feed, range, view)
    } catch (error) {
      return { refusal: refusePlan(feed.feed_id, asError(error)) }
    }
  }

  async #read(feed: SeriesConfig, range: PastRange, view: View): Promise<PastValues | { refusal: Refusal }> {
    const { feed_id } = feed
    const history = await this.#readHistory(feed_id, view.at)
    if (history === null)
      return { refusal: refuse('stale_node', `this member has not read the history of ${feed_id} yet`) }
    const listing = this.#list(feed, range)
    if (listing === null)
      return { refusal: refuse('not_released', `this member has just requested other periods of ${feed_id}`) }
    const { rows, isComplete } = await listing
    if (!isComplete)
      return { refusal: refuse('invalid_terms', `the periods of ${feed_id} span more than ${MAX_ROWS}`) }
    const past = { ...feed, allow_future: false }
    const { attestations } = attestRows(rows, { feed: past, now: this.#source.now() })
    return {
      own: new Map(attestations.map((each) => [each.period, each])),
      prints: new Map(history.map((each) => [each.period, each])),
    }
  }

  #list(feed: SeriesConfig, range: PastRange): Promise<RowsSince> | null {
    const { eia, now, stop: signal } = this.#source
    const known = this.#fetched.get(feed.feed_id)
    // The clock may have been set back.
    if (known !== undefined && Math.abs(now() - known.at) < FETCH_MS)
      return known.range.first === range.first && known.range.last === range.last ? known.listing : null
    const series = { ...seriesOf(feed), end: endText(feed.frequency, range.last) }
    const listing = eia.listRowsSince(series, { since: range.first - 1, most: MAX_ROWS, signal })
    this.#fetched.set(feed.feed_id, { at: now(), range, listing })
    return listing
  }
}

/** Creates a function that reads a feed's whole history at a root; null until it has read enough of it. */
function createHistoryReader(): (feedId: string, at: Reads) => Promise<readonly Attestation[] | null> {
  const known = new Map<string, readonly Attestation[]>()
  let isReading = false

  async function readMore(feedId: string, at: Reads): Promise<readonly Attestation[] | null> {
    const count = await at.getValueCount(feedId)
    const cached = known.get(feedId) ?? []
    // A history only grows, but a restarted development chain has another one.
    const isSameChain = await hasSameValue(at, feedId, cached, Math.min(count, cached.length) - 1)
    const before = isSameChain ? cached : []
    const to = Math.min(count, before.length + MAX_READ)
    const added = to > before.length ? await at.getValueHistory(feedId, { from: before.length, to }) : []
    const values = [...before, ...added]
    known.set(feedId, values)
    return values.length < count ? null : values.slice(0, count)
  }

  return async (feedId, at) => {
    if (isReading) return null
    isReading = true
    try {
      return await readMore(feedId, at)
    } finally {
      isReading = false
    }
  }
}

async function hasSameValue(
  at: Reads,
  feedId: string,
  values: readonly Attestation[],
  index: number,
): Promise<boolean> {
  const value = values[index]
  if (value === undefined) return true
  const found = await at.getValueAt(feedId, index)
  return found !== null && found.timestamp === value.timestamp && isSameValue(found, value)
}
