import { fitAnswer } from '../answer.ts'
import { rankByWords } from '../rankByWords.ts'
import { countOf, MAX_LINES } from '../texts.ts'
import { argumentsOf, createTool, DEFAULT_LIMIT, describePart, optionalText, part, restOf } from '../tool.ts'

export const searchDatasets = createTool({
  name: 'search_datasets',
  description:
    'Search the catalog of all datasets that EIA publishes, also those without a feed on the chain. Best matches first. It holds no values.',
  input: argumentsOf({
    query: optionalText('Words such as "retail sales".'),
    family: optionalText('Start of the route, such as "petroleum/".'),
    ...part,
  }),
  run: async ({ query = '', family = '', limit = DEFAULT_LIMIT, offset = 0 }, { sources }) => {
    const ofFamily = sources.catalog.searchDatasets({ family, q: '' })
    const found = rankByWords(ofFamily, query, ({ route, name, description }) => [route, name, description])
    const page = found.slice(offset, offset + limit)
    const lines = page
      .slice(0, MAX_LINES)
      .map(({ route, name }) => `EIA, ${name}, https://api.eia.gov/v2/${route}`)
    const summary = `${countOf(found.length, 'dataset')} ${found.length === 1 ? 'matches' : 'match'}.`
    return fitAnswer(page.length, (shown) => {
      const list = { noun: 'dataset', total: found.length, offset, shown, wanted: page.length } as const
      return {
        text: [`${summary} ${describePart(list)}`.trim(), ...lines.slice(0, shown)].join('\n'),
        data: {
          ...restOf(list),
          datasets: page.slice(0, shown).map(({ route, name, description, frequencies, facets }) => ({
            route,
            name,
            description,
            frequencies,
            facets,
          })),
        },
      }
    })
  },
})
