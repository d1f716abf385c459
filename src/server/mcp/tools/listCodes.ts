import type { FacetCode } from '@wattfeed/dataset'
import { isByNewestRoot } from 'wattfeed/internal'
import { clip, MAX_TITLE } from '../../feedTexts.ts'
import { filterCodes } from '../../readers/codesBody.ts'
import { DatasetsUnsetError } from '../../readers/seriesErrors.ts'
import { fitAnswer } from '../answer.ts'
import { countOf, QUOTED_NAMES, quote } from '../texts.ts'
import {
  argumentsOf,
  createTool,
  DEFAULT_LIMIT,
  describePart,
  optionalText,
  part,
  restOf,
  text,
} from '../tool.ts'

export const listCodes = createTool({
  name: 'list_codes',
  description: 'List the codes of a facet of an attested dataset, for get_series.',
  input: argumentsOf({
    route: text('Such as "petroleum/pri/spt".'),
    frequency: text('Such as "weekly".'),
    facet: text('Such as "product".'),
    query: optionalText('Part of a code or its name, such as "california".'),
    ...part,
  }),
  run: async (
    { route, frequency, facet, query = '', limit = DEFAULT_LIMIT, offset = 0 },
    { sources: { series, client }, signal },
  ) => {
    if (series === null) throw new DatasetsUnsetError()
    const found = await client.withSnapshot((at) => series.listCodes(at, { route, frequency, facet }), {
      signal,
    })
    const codes = filterCodes(found.codes, query)
    const page = codes.slice(offset, offset + limit)
    const lines = page.map(describe)
    return fitAnswer(page.length, (shown) => {
      const list = { noun: 'code', total: codes.length, offset, shown, wanted: page.length } as const
      return {
        text: [
          `${countOf(codes.length, 'code')}. ${describePart(list)}`.trim(),
          ...lines.slice(0, shown),
          ...(shown === 0 ? [] : [QUOTED_NAMES]),
        ].join('\n'),
        data: {
          ...restOf(list),
          codes: page.slice(0, shown).map(({ id, name, values }) => ({
            id,
            name: name === null ? null : clip(name, MAX_TITLE),
            values,
          })),
          root: found.reading.source_hash,
          is_newest_root: isByNewestRoot(found),
        },
      }
    })
  },
})

function describe({ id, name, values }: FacetCode): string {
  const known = [id, name].filter((text) => text !== null).map(quote)
  return `${known.length === 0 ? 'null' : known.join(' ')}: ${countOf(values, 'value')}`
}
