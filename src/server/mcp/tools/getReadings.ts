import { Type } from '@sinclair/typebox'
import { type Reading, type Snapshot, WattfeedError } from 'wattfeed'
import { showId } from '../../feedTexts.ts'
import { readReading } from '../../notFound.ts'
import { statusAt } from '../../readers/statusAt.ts'
import { describeError, fitAnswer } from '../answer.ts'
import { cite, citedReading, describeCommand, momentOf, pageUrl, proofUrl } from '../citation.ts'
import { describeAttester, type McpAttester, readAttester } from '../readFeed.ts'
import { readingEntry } from '../readingEntry.ts'
import { QUOTED, quoteId, STRANGERS } from '../texts.ts'
import { argumentsOf, createTool, feedId, TOO_LONG } from '../tool.ts'

interface Found {
  id: string
  reading: Reading | null
  /** Null without a reading. */
  attester: McpAttester | null
  error: unknown
}

export const getReadings = createTool({
  name: 'get_readings',
  description:
    'Get the newest values of 1 to 10 feeds: value, unit, period, time of attestation, attester and state (see get_status). Each has a citation to print, with which readers can verify the value.',
  input: argumentsOf({
    feeds: Type.Array(feedId, { minItems: 1, maxItems: 10, error: 'a list of 1 to 10 ids' }),
  }),
  run: ({ feeds }, { sources, place, signal }) =>
    sources.client.withSnapshot(
      async (at) => {
        const found = await Promise.all(feeds.map((id) => readResult(at, id)))
        const [first] = found
        if (first !== undefined && found.every(({ reading }) => reading === null)) throw first.error
        const moment = momentOf(at, sources)
        const time = sources.now()
        const entries = found.map(({ id, reading, attester, error }) =>
          reading === null
            ? { feed: showId(id), error: describeError(error) }
            : {
                ...readingEntry(reading, time),
                ...attester,
                proof: proofUrl(place, id, null),
                page: pageUrl(place, id),
              },
        )
        const lines = found.map(({ id, reading, attester, error }) =>
          reading === null || attester === null
            ? [describeFailure(id, error)]
            : [
                `${quoteId(id)}: ${statusAt(reading, time).state}, ${describeAttester(attester)}.${describePage(pageUrl(place, id))}`,
                cite(citedReading(reading), moment, place, sources),
              ],
        )
        return fitAnswer(feeds.length, (shown) => ({
          text: [
            ...lines.slice(0, shown).flat(),
            ...describeRest(feeds.length, shown),
            describeCommand(place),
            QUOTED,
          ].join('\n'),
          data: {
            total_feeds: feeds.length,
            shown,
            ...moment,
            about_verifying: describeCommand(place),
            about_texts: STRANGERS,
            readings: entries.slice(0, shown),
          },
        }))
      },
      { signal },
    ),
})

/** Says which feeds are left. The answer does not repeat their ids, which may be long. */
function describeRest(total: number, shown: number): readonly string[] {
  if (shown === total) return []
  if (shown === 0) return ['The first feed alone is too long for an answer. Call again without it.']
  return [
    `This answer has the first ${shown} of ${total} feeds${TOO_LONG}. Call again with the last ${total - shown}.`,
  ]
}

/** The message of the error is in the data. Here it would repeat the id. */
function describeFailure(id: string, error: unknown): string {
  const { status, code } = describeError(error)
  return `${quoteId(id)}: error ${status} ${code}.`
}

const describePage = (url: string | null): string => (url === null ? '' : ` Page: ${url}`)

async function readResult(at: Snapshot, id: string): Promise<Found> {
  try {
    const [reading, attester] = await Promise.all([readReading(at, id), readAttester(at, id)])
    return { id, reading, attester, error: null }
  } catch (error) {
    if (error instanceof WattfeedError) return { id, reading: null, attester: null, error }
    throw error
  }
}
