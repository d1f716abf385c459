import { Type } from '@sinclair/typebox'
import { forPeriod } from '@wattfeed/eia'
import { type Feed, InvalidArgumentError, type Snapshot } from 'wattfeed'
import type { HistoryQuery } from 'wattfeed/history'
import { assertHistoryQuery, isByPeriod } from 'wattfeed/internal'
import type { HistoryItemBody } from '../../../api/schemas.ts'
import type { FeedState } from '../../../feeds/status/feedStatus.ts'
import { parseText } from '../../../runtime/settings/parseText.ts'
import { formatTime } from '../../../web/cite/citation.ts'
import { formatExact } from '../../../web/cite/formatExact.ts'
import { periodInWords, periodText, showFrequency, showId, textsOf } from '../../feedTexts.ts'
import { historyParameters } from '../../readers/historyRequest.ts'
import { readRows } from '../../readers/readRows.ts'
import { fitAnswer, type McpAnswer } from '../answer.ts'
import { citationLines, citedRow, type McpMoment, momentOf } from '../citation.ts'
import { describeAttester, type McpAttester, readAttester, readFeed, readFeedState } from '../readFeed.ts'
import { readPeriod } from '../readPeriod.ts'
import type { McpCall, McpSources } from '../sources.ts'
import { countOf, MAX_LINES, printOf, quote, quoteId, STRANGERS } from '../texts.ts'
import { argumentsOf, createTool, feedId, optionalText, TOO_LONG } from '../tool.ts'

const DEFAULT_ROWS = 50

const input = argumentsOf({
  feed: feedId,
  period_from: optionalText(
    'First period: 2026-11-20, 2026-11, 2026-Q3 or 2026, as the feed has it, or any date.',
  ),
  period_to: optionalText('Last period.'),
  as_of: optionalText('Only what was on the chain at this date or time (2026-11-20, 2026-11-20T15:00:00Z).'),
  vintages: Type.Optional(
    Type.Union([Type.Literal('latest'), Type.Literal('first'), Type.Literal('all')], {
      description: 'Per period the latest value (default), the first print, or every revision.',
    }),
  ),
  order: Type.Optional(Type.Union([Type.Literal('desc'), Type.Literal('asc')], { default: 'desc' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: DEFAULT_ROWS })),
  after: Type.Optional(Type.Integer({ minimum: 0, description: 'From "next" of the answer before.' })),
})

type Arguments = (typeof input)['static']

const COLUMNS = [
  'period',
  'period_in_words',
  'period_start',
  'period_end',
  'value',
  'print',
  'attested_at',
] as const

export const getHistory = createTool({
  name: 'get_history',
  description:
    'Get past values of a feed, newest first, with revisions (vintages) and values as of a date. All times are when the chain got a value, not when EIA published it.',
  input,
  run: async (args, call) => {
    const { sources, signal } = call
    const found = await sources.client.withSnapshot((at) => readMatches(args, at, call), { signal })
    return formatMatches(args, found, call)
  },
})

/** The rows that match a query. */
interface Matches {
  feed: Feed
  query: HistoryQuery
  rows: readonly HistoryItemBody[]
  /** Whether more rows match than these. */
  hasMore: boolean
  /** Null if any row matches. */
  extent: Extent | null
  moment: McpMoment
  state: FeedState
  attester: McpAttester
}

async function readMatches(args: Arguments, at: Snapshot, { sources }: McpCall): Promise<Matches> {
  const feed = await readFeed(at, args.feed)
  const query = queryOf(args, feed)
  const { rows, hasMore } = await readRows(sources.readHistory, at, args.feed, query)
  const [state, attester, extent] = await Promise.all([
    readFeedState(at, args.feed, sources.now()),
    readAttester(at, args.feed),
    rows.length === 0 ? readExtent(at, args.feed, feed, sources) : null,
  ])
  return { feed, query, rows, hasMore, extent, moment: momentOf(at, sources), state, attester }
}

function formatMatches(args: Arguments, found: Matches, { place, sources }: McpCall): McpAnswer {
  const { feed, query, rows, hasMore, extent, moment, state, attester } = found
  const [first] = rows
  const citation =
    first === undefined
      ? []
      : ['To cite the first row:', ...citationLines(citedRow(first, args.feed, feed), moment, place, sources)]
  const wanted = Math.min(rows.length, args.limit ?? DEFAULT_ROWS)
  return fitAnswer(wanted, (shown) => {
    const listed = rows.slice(0, shown)
    const last = listed.at(-1)
    const isRest = last !== undefined && (shown < rows.length || hasMore)
    const next = isRest ? { after: isByPeriod(query) ? last.period : last.index } : null
    return {
      text: [
        extent === null
          ? `${countRows(rows.length, hasMore)} ${describeRest(shown, wanted, next)}`.trim()
          : describeExtent(extent),
        `${quoteId(args.feed)}: ${state}, unit ${quote(feed.unit)}, ${describeAttester(attester)}.`,
        ...listed.slice(0, MAX_LINES).map((row) => describeRow(row, feed)),
        ...warningsOf(listed, query),
        ...citation,
      ].join('\n'),
      data: {
        feed: showId(args.feed),
        asked: askedOf(query, feed),
        total_rows: rows.length,
        ...(hasMore ? { total_is_at_least: true } : {}),
        shown,
        ...(next === null ? {} : { next }),
        ...(extent === null ? {} : { feed_holds: extent }),
        ...moment,
        frequency: showFrequency(feed.frequency),
        state,
        ...attester,
        about_texts: STRANGERS,
        texts_by_strangers: textsOf(feed),
        columns: COLUMNS,
        rows: listed.map((row) => formatRow(row, feed)),
      },
    }
  })
}

/** What a feed holds, for a query without a match. */
interface Extent {
  values: number
  first_period: string | null
  last_period: string | null
  first_attested_at: string | null
}

async function readExtent(
  at: Snapshot,
  id: string,
  feed: Feed,
  { readHistory }: McpSources,
): Promise<Extent> {
  const readFirst = async (query: HistoryQuery) =>
    (await readRows(readHistory, at, id, { ...query, limit: 1 })).rows[0]
  const [values, oldest, first, last] = await Promise.all([
    at.getValueCount(id),
    readFirst({ vintages: 'all', order: 'asc' }),
    readFirst({ vintages: 'latest', order: 'asc' }),
    readFirst({ vintages: 'latest', order: 'desc' }),
  ])
  const words = (row: HistoryItemBody | undefined) =>
    row === undefined ? null : periodInWords(feed, row.period)
  return {
    values,
    first_period: words(first),
    last_period: words(last),
    first_attested_at: oldest === undefined ? null : formatTime(oldest.attested_at),
  }
}

function describeExtent({ values, first_period, last_period, first_attested_at }: Extent): string {
  if (first_period === null || last_period === null) return 'No value matches: the feed holds no values.'
  const last = last_period === first_period ? '' : ` to ${last_period.replace(/^on /, '')}`
  const periods = `${forPeriod(first_period)}${last}`
  return `No value matches. The feed holds ${countOf(values, 'value')}, ${periods}; the first was attested ${first_attested_at}.`
}

/** Returns the part of the query that the caller chose, as it was understood. */
const askedOf = ({ period_from, period_to, as_of, after, vintages }: HistoryQuery, { frequency }: Feed) => ({
  ...(period_from === undefined ? {} : { period_from: boundText(period_from, frequency) }),
  ...(period_to === undefined ? {} : { period_to: boundText(period_to, frequency) }),
  ...(as_of === undefined ? {} : { as_of: formatTime(as_of) }),
  ...(after === undefined ? {} : { after }),
  vintages,
})

const boundText = (bound: number | string, frequency: string): string =>
  typeof bound === 'string' ? bound : periodText(frequency, bound)

const countRows = (total: number, hasMore: boolean): string =>
  hasMore
    ? `More than ${countOf(total, 'row')} match.`
    : `${countOf(total, 'row')} ${total === 1 ? 'matches' : 'match'}.`

function describeRest(shown: number, wanted: number, next: { after: number } | null): string {
  if (next === null) return ''
  const reason = shown < wanted ? TOO_LONG : ''
  return `This answer has the first ${shown}${reason}. Call again with after=${next.after} for the rest.`
}

/** Says what a reader of the rows could get wrong. */
function warningsOf(rows: readonly HistoryItemBody[], { as_of, vintages }: HistoryQuery): readonly string[] {
  const restated = rows.filter(({ revision }) => revision > 0).length
  return [
    ...(as_of === undefined
      ? []
      : [`As of ${formatTime(as_of)} by the time of the chain's blocks. EIA may have published earlier.`]),
    ...(restated === 0 || vintages === 'all'
      ? []
      : [
          `Warning: ${countOf(restated, 'listed value')} ${restated === 1 ? 'is a revision' : 'are revisions'} of an earlier print. vintages=all lists every print.`,
        ]),
  ]
}

function describeRow({ period, amount, revision, attested_at }: HistoryItemBody, feed: Feed): string {
  const print = revision === 0 ? 'first print' : printOf(revision)
  return `${periodInWords(feed, period)}: ${formatExact(BigInt(amount), feed.decimals)} (${print}, attested ${formatTime(attested_at)})`
}

function formatRow(row: HistoryItemBody, feed: Feed) {
  const { period, period_start, period_end, amount, revision, attested_at } = row
  return [
    periodText(feed.frequency, period),
    periodInWords(feed, period),
    period_start,
    period_end,
    formatExact(BigInt(amount), feed.decimals),
    printOf(revision),
    formatTime(attested_at),
  ]
}

/** @throws {InvalidArgumentError} when an argument or a combination is invalid. */
function queryOf(args: Arguments, { frequency }: Feed): HistoryQuery {
  const { period_from, period_to, as_of, after, vintages = 'latest', order = 'desc' } = args
  const query: HistoryQuery = {
    ...(period_from === undefined ? {} : { period_from: boundOf('period_from', frequency, period_from) }),
    ...(period_to === undefined ? {} : { period_to: boundOf('period_to', frequency, period_to) }),
    ...(as_of === undefined ? {} : { as_of: read('as_of', as_of) }),
    ...(after === undefined ? {} : { after }),
    vintages,
    order,
  }
  assertHistoryQuery(query)
  return query
}

/** Returns a period of the feed as an integer, or any other date as it is. */
const boundOf = (argument: 'period_from' | 'period_to', frequency: string, value: string) =>
  /^\d{4}-\d\d-\d\d$/.test(value) ? read(argument, value) : readPeriod(argument, frequency, value)

function read<T extends 'period_from' | 'period_to' | 'as_of'>(argument: T, value: string) {
  try {
    return parseText(historyParameters.json[argument], value)
  } catch (error) {
    throw new InvalidArgumentError(argument, error instanceof Error ? error.message : String(error))
  }
}
