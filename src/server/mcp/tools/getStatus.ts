import { Type } from '@sinclair/typebox'
import { forPeriod } from '@wattfeed/eia'
import type { Reading } from 'wattfeed'
import { type FeedState, type FeedStatus, feedStates } from '../../../feeds/status/feedStatus.ts'
import { formatTime } from '../../../web/cite/citation.ts'
import { periodInWords, periodOf, showFrequency, showId, textsOf } from '../../feedTexts.ts'
import { readReading } from '../../notFound.ts'
import { statusAt } from '../../readers/statusAt.ts'
import { fitAnswer } from '../answer.ts'
import { citationLines, citedReading, momentOf } from '../citation.ts'
import { describeReleases, type ReleaseDates, releaseDatesOf } from '../releaseDates.ts'
import { countOf, MAX_LINES, quoteId, STRANGERS } from '../texts.ts'
import { argumentsOf, createTool, DEFAULT_LIMIT, describePart, feedId, part, restOf } from '../tool.ts'

interface Checked {
  reading: Reading
  status: FeedStatus
}

export const getStatus = createTool({
  name: 'get_status',
  description: [
    "Check whether feeds are up to date with EIA's release calendar, and when the next period is due.",
    'Without feeds: the number of feeds in each state, and those that are not current.',
    'current: has the newest release. due: a release just passed. late: it is overdue. stale: a second one is overdue. unknown: no calendar.',
  ].join('\n'),
  input: argumentsOf({
    feeds: Type.Optional(Type.Array(feedId, { minItems: 1, maxItems: 20, error: 'a list of 1 to 20 ids' })),
    ...part,
  }),
  run: ({ feeds, limit = DEFAULT_LIMIT, offset = 0 }, { sources, place, signal }) =>
    sources.client.withSnapshot(
      async (at) => {
        const readings =
          feeds === undefined
            ? await at.listReadings()
            : await Promise.all(feeds.map((id) => readReading(at, id)))
        const time = sources.now()
        const all = readings.map((reading) => ({ reading, status: statusAt(reading, time) }))
        const listed = feeds === undefined ? all.filter(({ status }) => status.state !== 'current') : all
        const moment = momentOf(at, sources)
        const page = listed.slice(offset, offset + limit)
        const entries = page.map((each) => entryOf(each, time))
        const lines = (feeds === undefined ? [] : page)
          .slice(0, MAX_LINES)
          .map((each) => describeStatus(each, releaseDatesOf(each.reading, each.status, time)))
        const [cited] = page.length > 0 ? page : all
        const citation =
          cited === undefined
            ? []
            : ['To cite the first:', ...citationLines(citedReading(cited.reading), moment, place, sources)]
        return fitAnswer(entries.length, (shown) => {
          const list = { noun: 'feed', total: listed.length, offset, shown, wanted: page.length } as const
          return {
            text: [
              `${countStates(all)} ${describePart(list)}`.trim(),
              ...nameByState(page.slice(0, shown)),
              ...lines.slice(0, shown),
              ...(feeds === undefined ? ['Pass feeds to learn when their next periods are due.'] : []),
              ADVICE,
              ...citation,
            ].join('\n'),
            data: {
              ...restOf(list),
              counts: Object.fromEntries(feedStates.map((state) => [state, inState(all, state).length])),
              ...moment,
              checked_at: formatTime(time),
              about_texts: STRANGERS,
              feeds: entries.slice(0, shown),
            },
          }
        })
      },
      { signal },
    ),
})

const ADVICE =
  'The state compares the chain with the release calendar. It cannot tell whether EIA is late or the program that attests its values.'

const inState = (all: readonly Checked[], state: FeedState): readonly Checked[] =>
  all.filter(({ status }) => status.state === state)

const countStates = (all: readonly Checked[]): string =>
  `${countOf(all.length, 'feed')}: ${feedStates.map((state) => `${inState(all, state).length} ${state}`).join(', ')}.`

const nameByState = (shown: readonly Checked[]): readonly string[] =>
  feedStates.flatMap((state) => {
    const ids = inState(shown, state).map(({ reading }) => quoteId(reading.feed_id))
    return ids.length === 0 ? [] : [`${state}: ${ids.join(', ')}`]
  })

function describeStatus({ reading, status }: Checked, dates: ReleaseDates): string {
  return `${quoteId(reading.feed_id)}: ${status.state}, newest value ${forPeriod(periodInWords(reading, reading.period))}. ${describeReleases(dates)}`
}

function entryOf({ reading, status }: Checked, now: number) {
  const { feed_id, frequency, period, updated_at } = reading
  return {
    feed: showId(feed_id),
    state: status.state,
    ...periodOf(reading, period),
    frequency: showFrequency(frequency),
    attested_at: formatTime(updated_at),
    ...releaseDatesOf(reading, status, now),
    texts_by_strangers: textsOf(reading),
  }
}
