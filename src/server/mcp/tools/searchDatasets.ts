import { WattfeedError } from '@wattfeed/base'
import { searchDatasets as searchCatalog } from '@wattfeed/eia/catalog'
import { attestedDatasets } from '../../readers/attestedDatasets.ts'
import { fitAnswer } from '../answer.ts'
import { rankByWords } from '../rankByWords.ts'
import type { McpCall } from '../sources.ts'
import { countOf, firstLines } from '../texts.ts'
import { argumentsOf, createTool, DEFAULT_LIMIT, describePart, optionalText, part, restOf } from '../tool.ts'

export const searchDatasets = createTool({
  name: 'search_datasets',
  description:
    'Search the catalog of all datasets that EIA publishes, also those without a feed on the chain. Best matches first. It returns no values.',
  input: argumentsOf({
    query: optionalText('Words such as "retail sales".'),
    family: optionalText('Start of the route, such as "petroleum/".'),
    ...part,
  }),
  run: async ({ query = '', family = '', limit = DEFAULT_LIMIT, offset = 0 }, call) => {
    const attested = await attestedFrequencies(call)
    const ofFamily = searchCatalog({ family, q: '' })
    const found = rankByWords(ofFamily, query, ({ route, name, description }) => [route, name, description])
    const page = found.slice(offset, offset + limit)
    const lines = page.map(({ route, name }) => {
      const readable = attested?.get(route)
      const hint = readable === undefined ? '' : `; get_series reads its values: ${readable.join(', ')}`
      return `EIA, ${name}, https://api.eia.gov/v2/${route}${hint}`
    })
    const unread = attested === null ? ' Which of them are attested cannot be read from the chain now.' : ''
    const summary = `${countOf(found.length, 'dataset')} ${found.length === 1 ? 'matches' : 'match'}.${unread}`
    return fitAnswer(page.length, (shown) => {
      const list = { noun: 'dataset', total: found.length, offset, shown, wanted: page.length } as const
      return {
        text: [`${summary} ${describePart(list)}`.trim(), ...firstLines(lines, shown)].join('\n'),
        data: {
          ...restOf(list),
          datasets: page.slice(0, shown).map(({ route, name, description, frequencies, facets }) => ({
            route,
            name,
            description,
            frequencies,
            facets,
            ...(attested?.has(route) ? { attested_frequencies: attested.get(route) } : {}),
          })),
        },
      }
    })
  },
})

/**
 * Returns the attested frequencies of each dataset that `get_series` reads; none on a server without `get_series`. Null if no
 * node answers: the catalog needs none.
 */
async function attestedFrequencies({ sources, signal }: McpCall): Promise<Map<string, string[]> | null> {
  const found = new Map<string, string[]>()
  if (sources.series === null) return found
  try {
    const readings = await sources.client.withSnapshot((at) => at.listReadings(), { signal })
    for (const { reading } of attestedDatasets(readings))
      found.set(reading.route, [...(found.get(reading.route) ?? []), reading.frequency])
    return found
  } catch (error) {
    if (error instanceof WattfeedError) return null
    throw error
  }
}
