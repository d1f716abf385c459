import { address, type QueryParts, replaceQuery, useDraft } from '../../address.ts'
import type { Range } from '../../chart/range.ts'
import type { HistoryItem } from '../../data/feedHistory.ts'
import { type Vintages, vintageKinds } from './vintages.ts'

/** The chosen view of a feed's history. The address holds it. */
export interface View {
  /** Null for the feed's default. */
  vintages: Vintages | null
  /** Show the chain's values at this time, in epoch milliseconds; null for now. */
  asOf: number | null
  /** The visible part of the chart; null for all. */
  range: Range | null
  /** Ids of compared feeds, including those that do not fit into the chart. */
  compared: readonly string[]
  /** The period whose prints are shown; null for none. */
  period: number | null
}

/** A chart shows these and the page's own feed. */
export const MAX_COMPARED = 4

export function viewOf(query: URLSearchParams): View {
  const [from, to] = [timeOf(query.get('from')), timeOf(query.get('to'))]
  return {
    vintages: vintageKinds.find((kind) => kind === query.get('vintages')) ?? null,
    asOf: timeOf(query.get('as_of')),
    range: from !== null && to !== null && from < to ? { from, to } : null,
    compared: [...new Set(query.getAll('compare'))],
    period: periodIn(query),
  }
}

export function queryOf({ vintages, asOf, range, compared, period }: View): QueryParts {
  return {
    vintages,
    as_of: asOf === null ? null : textOf(asOf),
    from: range === null ? null : textOf(roundTo(range.from, 1_000)),
    to: range === null ? null : textOf(roundTo(range.to, 1_000)),
    compare: compared,
    period: period === null ? null : String(period),
  }
}

function periodIn(query: URLSearchParams): number | null {
  const text = query.get('period') ?? ''
  return /^\d{1,20}$/.test(text) ? Number(text) : null
}

const roundTo = (ms: number, step: number): number => Math.round(ms / step) * step

/** Returns the query of a history's address that selects the rows of a view. */
export function rowsQueryOf(vintages: Vintages, asOf: number | null, rows: readonly HistoryItem[]): string {
  if (asOf === null) return `vintages=${vintages}`
  // `as_of` selects one row per period. The rows attested until then are the first ones, so `to` selects them.
  if (vintages === 'all') return `to=${(rows.at(-1)?.index ?? -1) + 1}`
  return `vintages=${vintages}&as_of=${encodeURIComponent(textOf(asOf))}`
}

/** The last year with four digits, because date fields have no more. */
const MAX_MS = Date.UTC(9999, 11, 31)

function timeOf(text: string | null): number | null {
  const ms = Date.parse(text ?? '')
  return Number.isNaN(ms) || Math.abs(ms) > MAX_MS ? null : ms
}

/** Omits the milliseconds if they are zero. */
const textOf = (ms: number): string => new Date(Math.min(ms, MAX_MS)).toISOString().replace('.000Z', 'Z')

/** Returns the UTC day of a time, in the format of date fields; empty for undefined. */
export const dayOf = (ms: number | undefined): string => (ms === undefined ? '' : textOf(ms).slice(0, 10))

export function useView(): [View, (parts: Partial<View>) => void] {
  const { query } = address.value
  const [view, change] = useDraft(
    query.toString(),
    (text) => viewOf(new URLSearchParams(text)),
    (view) => replaceQuery(queryOf(view)),
  )
  return [view, (parts) => change((last) => ({ ...last, ...parts }))]
}
