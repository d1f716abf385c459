import { Type } from '@sinclair/typebox'
import { formatTime } from '../../../cite/citation.ts'
import type { Reading } from '../../../client/index.ts'
import { type FeedStatus, feedStates } from '../../../status/feedStatus.ts'
import { preparedStatus } from '../../status.ts'
import { fitAnswer } from '../answer.ts'
import { citeReading, momentOf } from '../citation.ts'
import { readReading } from '../readFeed.ts'
import { periodOf, QUOTED, STRANGERS, showFrequency, showId, textsOf } from '../texts.ts'
import { argumentsOf, createTool, part, restOf, text } from '../tool.ts'

export const getStatus = createTool({
  name: 'get_status',
  description:
    "Check whether feeds are up to date with EIA's release calendar. Without feeds: the number of feeds in each state, and those that are not current.",
  input: argumentsOf({
    feeds: Type.Optional(Type.Array(text('Feed id.'), { minItems: 1, maxItems: 20 })),
    ...part,
  }),
  run: ({ feeds, limit = 20, offset = 0 }, { sources, place, signal }) =>
    sources.client.withSnapshot(
      async (at) => {
        const readings =
          feeds === undefined
            ? await at.listReadings()
            : await Promise.all(feeds.map((id) => readReading(at, id)))
        const time = sources.now()
        const all = readings.map((reading) => ({ reading, status: preparedStatus(reading)(time) }))
        const listed = feeds === undefined ? all.filter(({ status }) => status.state !== 'current') : all
        const counts = Object.fromEntries(
          feedStates.map((state) => [state, all.filter(({ status }) => status.state === state).length]),
        )
        const moment = momentOf(at, sources)
        const page = listed.slice(offset, offset + limit)
        const entries = page.map(({ reading, status }) => entryOf(reading, status))
        const [cited] = page.length > 0 ? page : all
        const citation =
          cited === undefined ? [] : [citeReading(cited.reading, moment, place, sources), QUOTED]
        return fitAnswer(entries.length, (shown) => ({
          text: [summaryOf(counts, listed.length, offset, shown), ...citation].join('\n'),
          data: {
            ...restOf(listed.length, offset, shown),
            counts,
            ...moment,
            checked_at: formatTime(time),
            about_texts: STRANGERS,
            feeds: entries.slice(0, shown),
          },
        }))
      },
      { signal },
    ),
})

function entryOf(reading: Reading, { state, due_on, next_due_on, expected_period }: FeedStatus) {
  const { feed_id, frequency, period, updated_at } = reading
  return {
    feed: showId(feed_id),
    state,
    ...periodOf(frequency, period),
    frequency: showFrequency(frequency),
    attested_at: formatTime(updated_at),
    expected_period: expected_period === null ? null : periodOf(frequency, expected_period).period_in_words,
    due_on,
    next_due_on,
    texts_by_strangers: textsOf(reading),
  }
}

function summaryOf(counts: Record<string, number>, total: number, offset: number, shown: number): string {
  const states = feedStates.map((state) => `${counts[state]} ${state}`).join(', ')
  const last = offset + shown
  const rest = last < total ? ` Call again with offset=${last} for more.` : ''
  return `Feeds by state: ${states}. Listed: ${shown} of ${total}.${rest} The state is by the release calendar; it cannot tell a late EIA from a late agent.`
}
