import { Type } from '@sinclair/typebox'
import type { HistoryItemBody } from '../../../api/schemas.ts'
import { formatExact, formatTime } from '../../../cite/citation.ts'
import { type Feed, InvalidArgumentError } from '../../../client/index.ts'
import { assertHistoryQuery, type HistoryQuery, isByPeriod } from '../../../history/historyQuery.ts'
import { parseText } from '../../../runtime/parseText.ts'
import { historyParameters } from '../../historyRequest.ts'
import { readRows } from '../../readRows.ts'
import { fitAnswer } from '../answer.ts'
import { cite, momentOf } from '../citation.ts'
import { readFeed, readState } from '../readFeed.ts'
import { periodOf, QUOTED, readPeriod, STRANGERS, showFrequency, showId, textsOf } from '../texts.ts'
import { argumentsOf, createTool, optionalText, text } from '../tool.ts'

const input = argumentsOf({
  feed: text('Feed id.'),
  period_from: optionalText(
    'First period: 2026-11-20, 2026-11, 2026-Q3 or 2026, as the feed has it, or any date.',
  ),
  period_to: optionalText('Last period.'),
  as_of: optionalText('Only what was on chain at this date or time (2026-11-20, 2026-11-20T15:00:00Z).'),
  vintages: Type.Optional(
    Type.Union([Type.Literal('latest'), Type.Literal('first'), Type.Literal('all')], {
      description: 'Per period the latest value (default), the first print, or every revision.',
    }),
  ),
  order: Type.Optional(Type.Union([Type.Literal('desc'), Type.Literal('asc')], { default: 'desc' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  after: Type.Optional(Type.Integer({ minimum: 0, description: 'From "next" of the answer before.' })),
})

type Arguments = (typeof input)['static']

const COLUMNS = ['period', 'period_in_words', 'value', 'revision', 'attested_at'] as const

export const getHistory = createTool({
  name: 'get_history',
  description:
    "Get past values of a feed, newest first, with revisions (vintages) and values as of a date. Times are the chain's, not EIA's publication times.",
  input,
  run: (args, { sources, place, signal }) =>
    sources.client.withSnapshot(
      async (at) => {
        const feed = await readFeed(at, args.feed)
        const query = queryOf(args, feed)
        const { rows, hasMore } = await readRows(sources.readHistory, at, args.feed, query)
        const state = await readState(at, args.feed, sources.now())
        const moment = momentOf(at, sources)
        const [newest] = rows
        const citation =
          newest === undefined ? [] : [cite(citedOf(newest, args.feed, feed), moment, place, sources), QUOTED]
        return fitAnswer(Math.min(rows.length, args.limit ?? 50), (shown) => {
          const last = rows[shown - 1]
          const isRest = last !== undefined && (shown < rows.length || hasMore)
          const next = isRest ? { after: isByPeriod(query) ? last.period : last.index } : null
          return {
            text: [summaryOf(rows.length, hasMore, shown, next), ...citation].join('\n'),
            data: {
              feed: showId(args.feed),
              total: rows.length,
              ...(hasMore ? { total_is_at_least: true } : {}),
              shown,
              ...(next === null ? {} : { next }),
              ...moment,
              frequency: showFrequency(feed.frequency),
              state,
              about_texts: STRANGERS,
              texts_by_strangers: textsOf(feed),
              columns: COLUMNS,
              rows: rows.slice(0, shown).map((row) => formatRow(row, feed)),
            },
          }
        })
      },
      { signal },
    ),
})

function summaryOf(total: number, hasMore: boolean, shown: number, next: { after: number } | null): string {
  if (total === 0) return 'No value matches. Widen period_from and period_to, or leave them out.'
  const count = hasMore ? `more than ${total}` : total
  const rest = next === null ? '' : ` Call again with after=${next.after} for the rest.`
  return `Matching rows from here on: ${count}. Listed in structuredContent: ${shown}.${rest} The first row:`
}

function formatRow({ period, amount, revision, attested_at }: HistoryItemBody, feed: Feed) {
  const { period: text, period_in_words } = periodOf(feed.frequency, period)
  return [
    text,
    period_in_words,
    formatExact(BigInt(amount), feed.decimals),
    revision,
    formatTime(attested_at),
  ]
}

const citedOf = ({ index, period, amount, attested_at }: HistoryItemBody, feed_id: string, feed: Feed) => ({
  ...feed,
  feed_id,
  index,
  period,
  amount: BigInt(amount),
  attestedAt: attested_at,
})

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
