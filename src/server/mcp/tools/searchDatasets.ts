import { fitAnswer } from '../answer.ts'
import { rankByWords } from '../rankByWords.ts'
import { argumentsOf, createTool, optionalText, part, restOf } from '../tool.ts'

export const searchDatasets = createTool({
  name: 'search_datasets',
  description:
    'Search the catalog of all datasets that EIA publishes, also those without a feed on the chain. Best matches first. It has no values.',
  input: argumentsOf({
    query: optionalText('Words such as "retail sales".'),
    family: optionalText('Start of the route, such as "petroleum/".'),
    ...part,
  }),
  run: async ({ query = '', family = '', limit = 20, offset = 0 }, { sources }) => {
    const ofFamily = sources.catalog.searchDatasets({ family, q: '' })
    const found = rankByWords(ofFamily, query, ({ route, name, description }) => [route, name, description])
    const page = found.slice(offset, offset + limit)
    const [first] = page
    return fitAnswer(page.length, (shown) => {
      const { next, ...counts } = restOf(found.length, offset, shown)
      const rest = next === undefined ? '' : ` Call again with offset=${next.offset} for more.`
      const citation =
        first === undefined ? '' : `\nEIA, ${first.name}, https://api.eia.gov/v2/${first.route}`
      return {
        text: `Matching datasets: ${found.length}. Listed: ${shown}.${rest}${citation}`,
        data: {
          ...counts,
          ...(next === undefined ? {} : { next }),
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
