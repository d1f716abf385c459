import type { Reading } from 'wattfeed'
import { fitAnswer } from '../answer.ts'
import { citationLines, citedReading, momentOf } from '../citation.ts'
import { rankByWords } from '../rankByWords.ts'
import { describeReading, readingEntry } from '../readingEntry.ts'
import { countOf, firstLines, STRANGERS } from '../texts.ts'
import { argumentsOf, createTool, DEFAULT_LIMIT, describePart, optionalText, part, restOf } from '../tool.ts'

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
    'Find feeds (US energy statistics attested on the Casper blockchain) by words, with their newest values. Best matches first. Without words, all feeds. If you know the ids, use get_readings. Anyone can register feeds: ids that begin with EIA. are only a convention; get_readings names the attester.',
  input: argumentsOf({
    query: optionalText('Words such as "natural gas storage weekly".'),
    ...part,
  }),
  run: ({ query = '', limit = DEFAULT_LIMIT, offset = 0 }, { sources, place, signal }) =>
    sources.client.withSnapshot(
      async (at) => {
        const found = rankByWords(await at.listReadings(), query, textsToSearch)
        const moment = momentOf(at, sources)
        const page = found.slice(offset, offset + limit)
        const time = sources.now()
        const entries = page.map((reading) => readingEntry(reading, time))
        const lines = page.map((reading) => describeReading(reading, time))
        const [best] = page
        const citation =
          best === undefined
            ? []
            : ['To cite the first:', ...citationLines(citedReading(best), moment, place, sources)]
        return fitAnswer(entries.length, (shown) => {
          const list = { noun: 'feed', total: found.length, offset, shown, wanted: page.length } as const
          const summary = `${summaryOf(found.length)} ${describePart(list)}`.trim()
          return {
            text: [summary, ...firstLines(lines, shown), ...citation].join('\n'),
            data: {
              ...restOf(list),
              ...moment,
              about_texts: STRANGERS,
              feeds: entries.slice(0, shown),
            },
          }
        })
      },
      { signal },
    ),
})

const summaryOf = (total: number): string =>
  total === 0
    ? 'No feed matches. Use fewer or other words, or none to list all feeds.'
    : `${countOf(total, 'feed')} ${total === 1 ? 'matches' : 'match'}.`
