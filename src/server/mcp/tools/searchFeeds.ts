import type { Reading } from '../../../client/index.ts'
import { fitAnswer } from '../answer.ts'
import { citeReading, momentOf } from '../citation.ts'
import { rankByWords } from '../rankByWords.ts'
import { readingEntry } from '../readingEntry.ts'
import { QUOTED, STRANGERS } from '../texts.ts'
import { argumentsOf, createTool, optionalText, part, restOf } from '../tool.ts'

const textsToSearch = ({ feed_id, title, unit, route, frequency, description }: Reading) => [
  feed_id,
  title,
  unit,
  route,
  frequency,
  description,
]

export const searchFeeds = createTool({
  name: 'search_feeds',
  description:
    'Find feeds (US energy statistics attested on the Casper blockchain) by words, with their newest values. Best matches first. Without words, all feeds.',
  input: argumentsOf({
    query: optionalText('Words such as "natural gas storage weekly".'),
    ...part,
  }),
  run: ({ query = '', limit = 20, offset = 0 }, { sources, place, signal }) =>
    sources.client.withSnapshot(
      async (at) => {
        const found = rankByWords(await at.listReadings(), query, textsToSearch)
        const moment = momentOf(at, sources)
        const page = found.slice(offset, offset + limit)
        const time = sources.now()
        const entries = page.map((reading) => readingEntry(reading, time))
        const [best] = page
        const citation = best === undefined ? [] : [citeReading(best, moment, place, sources), QUOTED]
        return fitAnswer(entries.length, (shown) => ({
          text: [summaryOf(found.length, offset, shown), ...citation].join('\n'),
          data: {
            ...restOf(found.length, offset, shown),
            ...moment,
            about_texts: STRANGERS,
            feeds: entries.slice(0, shown),
          },
        }))
      },
      { signal },
    ),
})

function summaryOf(total: number, offset: number, shown: number): string {
  if (total === 0) return 'No feed matches. Use fewer or other words, or none to list all feeds.'
  if (offset >= total) return `Matching feeds: ${total}. Offset ${offset} is past the last one.`
  const last = offset + shown
  const rest = last < total ? ` Call again with offset=${last} for more.` : ''
  return `Matching feeds: ${total}. Listed: ${offset + 1} to ${last}.${rest}`
}
