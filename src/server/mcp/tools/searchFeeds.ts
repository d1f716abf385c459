import type { Reading } from '../../../client/index.ts'
import { fitAnswer } from '../answer.ts'
import { citeReading, momentOf } from '../citation.ts'
import { readingEntry } from '../readingEntry.ts'
import { QUOTED, STRANGERS } from '../texts.ts'
import { argumentsOf, createTool, optionalText, part, restOf } from '../tool.ts'

// A registrant can write any amount of text.
const MAX_SEARCHED = 2_000

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
        const found = rank(await at.listReadings(), query)
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

/** Returns the feeds with at least one of the words, those with the most words first. */
function rank(readings: readonly Reading[], query: string): readonly Reading[] {
  const words = wordsOf(query)
  if (words.length === 0) return readings
  return readings
    .map((reading) => ({ reading, score: scoreOf(reading, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ reading }) => reading)
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** Counts the words that a feed contains. A whole word counts more than a part of one. */
function scoreOf(reading: Reading, words: readonly string[]): number {
  const { feed_id, title, unit, route, frequency, description } = reading
  const searched = [feed_id, title, unit, route, frequency, description]
    .map((each) => each.slice(0, MAX_SEARCHED))
    .join(' ')
    .toLowerCase()
  const known = new Set(wordsOf(searched))
  return words.reduce((sum, word) => sum + (known.has(word) ? 3 : searched.includes(word) ? 2 : 0), 0)
}
