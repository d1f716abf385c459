import { Type } from '@sinclair/typebox'
import { type Reading, type Snapshot, WattfeedError } from '../../../client/index.ts'
import { describeError, fitAnswer } from '../answer.ts'
import { citeReading, momentOf, proofUrl } from '../citation.ts'
import { readReading } from '../readFeed.ts'
import { readingEntry } from '../readingEntry.ts'
import { QUOTED, STRANGERS, showId } from '../texts.ts'
import { argumentsOf, createTool, text } from '../tool.ts'

interface Found {
  id: string
  reading: Reading | null
  error: unknown
}

export const getReadings = createTool({
  name: 'get_readings',
  description:
    'Get the newest value of 1 to 10 feeds: value, unit, period, time of attestation, state (current, due, late, stale or unknown), and a citation.',
  input: argumentsOf({
    feeds: Type.Array(text('Feed id from search_feeds.'), { minItems: 1, maxItems: 10 }),
  }),
  run: ({ feeds }, { sources, place, signal }) =>
    sources.client.withSnapshot(
      async (at) => {
        const found = await Promise.all(feeds.map((id) => readResult(at, id)))
        const [first] = found
        if (first !== undefined && found.every(({ reading }) => reading === null)) throw first.error
        const moment = momentOf(at, sources)
        const time = sources.now()
        const entries = found.map(({ id, reading, error }) =>
          reading === null
            ? { feed: showId(id), error: describeError(error) }
            : { ...readingEntry(reading, time), proof: proofUrl(place, id, null) },
        )
        const citations = found.map(({ id, reading }) =>
          reading === null
            ? `${JSON.stringify(showId(id))}: no value; see its error.`
            : citeReading(reading, moment, place, sources),
        )
        return fitAnswer(feeds.length, (shown) => ({
          text: [...citations.slice(0, shown), QUOTED].join('\n'),
          data: {
            total: feeds.length,
            shown,
            ...(shown < feeds.length ? { next: { feeds: feeds.slice(shown) } } : {}),
            ...moment,
            about_texts: STRANGERS,
            readings: entries.slice(0, shown),
          },
        }))
      },
      { signal },
    ),
})

async function readResult(at: Snapshot, id: string): Promise<Found> {
  try {
    return { id, reading: await readReading(at, id), error: null }
  } catch (error) {
    if (error instanceof WattfeedError) return { id, reading: null, error }
    throw error
  }
}
