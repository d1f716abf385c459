import { Type } from '@sinclair/typebox'
import { formatSeries, type Leaf } from '@wattfeed/dataset'
import { encodePeriod, PeriodError } from '@wattfeed/eia'
import type { Snapshot } from 'wattfeed'
import { isByNewestRoot } from 'wattfeed/internal'
import { seriesProofUrl } from '../../../web/cite/addresses.ts'
import { citeInWords, formatTime } from '../../../web/cite/citation.ts'
import { verifyCommand } from '../../../web/cite/verifyCommand.ts'
import { clip, MAX_TITLE, periodInWords } from '../../feedTexts.ts'
import { seriesBodyOf } from '../../readers/seriesBody.ts'
import { DatasetsUnsetError } from '../../readers/seriesErrors.ts'
import type { FoundSeries } from '../../readers/seriesReader.ts'
import { fitAnswer, type McpAnswer } from '../answer.ts'
import { describeCommand, momentOf } from '../citation.ts'
import { describeAttester, readAttester } from '../readFeed.ts'
import type { McpCall } from '../sources.ts'
import { QUOTED, quote, quoteId } from '../texts.ts'
import { argumentsOf, createTool, optionalText, text } from '../tool.ts'

const facetValue = Type.Union([Type.String({ maxLength: 100 }), Type.Null()])

const input = argumentsOf({
  route: text('Such as "petroleum/pri/spt".'),
  frequency: text('Such as "weekly".'),
  column: text('Such as "value".'),
  facets: Type.Record(Type.String(), facetValue, {
    maxProperties: 20,
    description: 'Code of every facet by its id, or null. list_codes has the codes.',
    error: 'an object with at most 20 texts of at most 100 characters, or nulls',
  }),
  period: optionalText('Such as "2026-11-20". By default the newest.'),
})

export const getSeries = createTool({
  name: 'get_series',
  description: 'Read one series of a dataset of list_attested_datasets, without a feed of its own.',
  input,
  run: async ({ route, frequency, column, facets, period = null }, call) => {
    const { series, client } = call.sources
    if (series === null) throw new DatasetsUnsetError()
    const query = { route, frequency, column, facets, period }
    return client.withSnapshot(
      async (at) => answerOf(at, await series.read(at, { series: query, at: null }), call),
      {
        signal: call.signal,
      },
    )
  },
})

async function answerOf(at: Snapshot, found: FoundSeries, { sources, place }: McpCall): Promise<McpAnswer> {
  const { leaf, reading } = found
  if (leaf === null) throw new TypeError('an absence is an error of the reader')
  const attester = await readAttester(at, reading.feed_id)
  const moment = momentOf(at, sources)
  const { proof: _, ...body } = seriesBodyOf(found)
  const value = leaf.value === null ? null : clip(leaf.value, MAX_TITLE)
  const proof = place.proofOrigin === null ? null : seriesProofUrl(place.proofOrigin, leaf)
  const older = isByNewestRoot(found)
    ? []
    : ['The files of the newest root are not here yet: this is of an earlier root.']
  const citation = citeInWords({
    title: quote(formatSeries(leaf)),
    value: value === null ? 'withheld' : quote(value),
    unit: leaf.unit === null ? '' : quote(leaf.unit),
    period: inWords(leaf),
    attestedAt: reading.updated_at,
    place: `root ${body.root}`,
    chain: moment.chain,
    verify: verifyCommand(`'${proof ?? seriesProofUrl('<server>', leaf)}'`, sources.network),
  })
  const facts = {
    ...body,
    value,
    unit: leaf.unit === null ? null : clip(leaf.unit, MAX_TITLE),
    period_in_words: inWords(leaf),
    attested_at: formatTime(reading.updated_at),
    ...attester,
    ...moment,
  }
  // Long facets make long addresses.
  return fitAnswer(1, (shown) => ({
    text: [
      ...older,
      ...(shown === 1 ? [citation, describeCommand(place)] : []),
      `${quoteId(reading.feed_id)}: ${describeAttester(attester)}.`,
      QUOTED,
    ].join('\n'),
    data: shown === 1 ? { ...facts, proof, about_verifying: describeCommand(place) } : facts,
  }))
}

/** Returns a period in words; as EIA writes it if it is none of the frequency. */
function inWords({ route, frequency, period }: Leaf): string {
  try {
    return periodInWords({ route, frequency }, encodePeriod(frequency, period))
  } catch (error) {
    if (!(error instanceof PeriodError)) throw error
    return quote(period)
  }
}
