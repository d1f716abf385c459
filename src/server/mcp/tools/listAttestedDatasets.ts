import type { AttestedDatasetBody } from '../../../api/schemas.ts'
import { formatTime } from '../../../web/cite/citation.ts'
import { attestedDatasets, attestedDatasetsBodyOf } from '../../readers/attestedDatasets.ts'
import { fitAnswer, type McpAnswer } from '../answer.ts'
import { momentOf } from '../citation.ts'
import { countOf } from '../texts.ts'
import { argumentsOf, createTool, DEFAULT_LIMIT, describePart, part, restOf } from '../tool.ts'

export const listAttestedDatasets = createTool({
  name: 'list_attested_datasets',
  description: 'List the datasets that get_series reads: their root is on the chain.',
  input: argumentsOf(part),
  run: ({ limit = DEFAULT_LIMIT, offset = 0 }, { sources, signal }) =>
    sources.client.withSnapshot(
      async (at): Promise<McpAnswer> => {
        const moment = momentOf(at, sources)
        // Anyone can register a feed with another route.
        const known = attestedDatasetsBodyOf(attestedDatasets(await at.listReadings())).datasets.filter(
          ({ name }) => name !== null,
        )
        const page = known.slice(offset, offset + limit)
        const lines = page.map(describe)
        const summary = `${countOf(known.length, 'dataset')} ${known.length === 1 ? 'is' : 'are'} attested.`
        return fitAnswer(page.length, (shown) => {
          const list = { noun: 'dataset', total: known.length, offset, shown, wanted: page.length } as const
          return {
            text: [`${summary} ${describePart(list)}`.trim(), ...lines.slice(0, shown)].join('\n'),
            data: {
              ...restOf(list),
              datasets: page
                .slice(0, shown)
                .map((each) => ({ ...each, attested_at: formatTime(each.attested_at) })),
              ...moment,
            },
          }
        })
      },
      { signal },
    ),
})

const describe = ({ route, frequency, name, size, columns, facets }: AttestedDatasetBody): string =>
  `${route} ${frequency}: ${name}, ${size} values; columns: ${columns.join(', ')}; facets: ${facets.join(', ') || 'none'}`
