import { address, type QueryParts, replaceQuery, useDraft } from '../../address.ts'
import { type Range, type Vintages, vintageKinds } from '../../chart/lines.ts'
import type { HistoryItem } from '../../data/feedHistory.ts'

/** What the page shows of a feed's past; the address holds it. */
export interface View {
  /** Null for what suits the feed. */
  vintages: Vintages | null
  /** What the chain held then, in epoch milliseconds; null for now. */
  asOf: number | null
  /** What part of the chart is in view; null for all. */
  range: Range | null
  /** Ids of feeds for the same chart; it names those that it has no room for. */
  compared: readonly string[]
}

/** With the page's own feed, five. */
export const MAX_COMPARED = 4

/** The view that an address holds; what makes no sense is left out. */
export function viewOf(query: URLSearchParams): View {
  const [from, to] = [timeOf(query.get('from')), timeOf(query.get('to'))]
  return {
    vintages: vintageKinds.find((kind) => kind === query.get('vintages')) ?? null,
    asOf: timeOf(query.get('as_of')),
    range: from !== null && to !== null && from < to ? { from, to } : null,
    compared: [...new Set(query.getAll('compare'))],
  }
}

/** The parts of the address that hold a view. */
export function queryOf({ vintages, asOf, range, compared }: View): QueryParts {
  return {
    vintages,
    as_of: asOf === null ? null : textOf(asOf),
    from: range === null ? null : textOf(roundTo(range.from, 1_000)),
    to: range === null ? null : textOf(roundTo(range.to, 1_000)),
    compare: compared,
  }
}

const roundTo = (ms: number, step: number): number => Math.round(ms / step) * step

/** The query of a history's address that selects the rows that a view shows. */
export function rowsQueryOf(vintages: Vintages, asOf: number | null, rows: readonly HistoryItem[]): string {
  if (asOf === null) return `vintages=${vintages}`
  // `as_of` selects one row a period. Of all rows, the first ones are those attested by then.
  if (vintages === 'all') return `to=${(rows.at(-1)?.index ?? -1) + 1}`
  return `vintages=${vintages}&as_of=${encodeURIComponent(textOf(asOf))}`
}

const DAY_MS = 86_400_000

/** The end of a day in UTC, which is what `as_of` means by a date; null where that is no date or still to come. */
export function endOfDay(date: string, now: number): number | null {
  const end = Date.parse(date) + DAY_MS - 1
  return end < now ? end : null
}

/** A year that has four digits in every form of a date. */
const MAX_MS = Date.UTC(9999, 11, 31)

function timeOf(text: string | null): number | null {
  const ms = Date.parse(text ?? '')
  return Number.isNaN(ms) || Math.abs(ms) > MAX_MS ? null : ms
}

/** Block times have milliseconds; what has none is written without. */
const textOf = (ms: number): string => new Date(Math.min(ms, MAX_MS)).toISOString().replace('.000Z', 'Z')

/** The day of a moment in UTC, as date fields hold it; empty for none. */
export const dayOf = (ms: number | undefined): string => (ms === undefined ? '' : textOf(ms).slice(0, 10))

/** The view, which the address follows a moment later: browsers count how often it is written. */
export function useView(): [View, (parts: Partial<View>) => void] {
  const { query } = address.value
  const [view, change] = useDraft(
    query.toString(),
    (text) => viewOf(new URLSearchParams(text)),
    (view) => replaceQuery(queryOf(view)),
  )
  return [view, (parts) => change((last) => ({ ...last, ...parts }))]
}
