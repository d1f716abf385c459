import { Type } from '@sinclair/typebox'
import { formatSeries } from '@wattfeed/dataset'
import { InvalidArgumentError, type Snapshot } from 'wattfeed'
import { isByNewestRoot, type RootAt } from 'wattfeed/internal'
import { parseText } from '../../../runtime/settings/parseText.ts'
import { seriesProofUrl } from '../../../web/cite/addresses.ts'
import { citeInWords, formatTime } from '../../../web/cite/citation.ts'
import { verifyCommand } from '../../../web/cite/verifyCommand.ts'
import { clip, MAX_TITLE } from '../../feedTexts.ts'
import { rootParameters } from '../../readers/rootParameters.ts'
import { seriesBodyOf } from '../../readers/seriesBody.ts'
import { DatasetsUnsetError } from '../../readers/seriesErrors.ts'
import type { FoundSeries } from '../../readers/seriesReader.ts'
import { fitAnswer, type McpAnswer } from '../answer.ts'
import { describeCommand, momentOf } from '../citation.ts'
import { leafPeriodInWords } from '../leafPeriodInWords.ts'
import { rangeAnswer } from '../rangeAnswer.ts'
import { describeAttester, readAttester } from '../readFeed.ts'
import type { McpCall } from '../sources.ts'
import { QUOTED, quote, quoteId } from '../texts.ts'
import { argumentsOf, createTool, optionalText, text } from '../tool.ts'

const facetValue = Type.Union([Type.String({ maxLength: 100 }), Type.Null()])

/** A text whose name says what it is, because the list of tools is short. */
const named = Type.String({ maxLength: 100, error: 'a text of at most 100 characters' })

const input = argumentsOf({
  route: text('Such as "petroleum/pri/spt".'),
  frequency: text('Such as "weekly".'),
  column: named,
  facets: Type.Record(Type.String(), facetValue, {
    maxProperties: 20,
    description: 'Code of every facet by its id, or null.',
    error: 'an object with at most 20 texts of at most 100 characters, or nulls',
  }),
  period: optionalText('Such as "2026-11-20". By default the newest.'),
  period_from: Type.Optional(named),
  period_to: Type.Optional(named),
  as_of: optionalText('The newest root up to then.'),
})

type Arguments = (typeof input)['static']

/** Maximum number of rows of a range. Most answers are full before. */
const MAX_ROWS = 100

export const getSeries = createTool({
  name: 'get_series',
  description: 'Read a series of a dataset of list_attested_datasets: a value or a range.',
  input,
  run: async (args, call) => {
    const { series, client } = call.sources
    if (series === null) throw new DatasetsUnsetError()
    const at = rootOf(args)
    const { route, frequency, column, facets, period, period_from, period_to } = args
    const isRange = period_from !== undefined || period_to !== undefined
    if (isRange && period !== undefined)
      throw new InvalidArgumentError('period', 'it is not of a range; pass period_from and period_to')
    const one = { series: { route, frequency, column, facets, period: period ?? null }, at }
    const range = {
      ...{ route, frequency, column, facets, period_from, period_to },
      ...({ order: 'desc', limit: MAX_ROWS } as const),
    }
    return client.withSnapshot(
      async (snapshot) =>
        isRange
          ? rangeAnswer(snapshot, series, range, at, call)
          : answerOf(snapshot, await series.read(snapshot, one), at, call),
      { signal: call.signal },
    )
  },
})

/** The root that is asked for; null for the newest. @throws {InvalidArgumentError} */
function rootOf({ as_of }: Arguments): RootAt | null {
  if (as_of === undefined) return null
  try {
    return { asOf: parseText(rootParameters.as_of, as_of) }
  } catch (error) {
    throw new InvalidArgumentError('as_of', error instanceof Error ? error.message : String(error))
  }
}

async function answerOf(
  at: Snapshot,
  found: FoundSeries,
  root: RootAt | null,
  { sources, place }: McpCall,
): Promise<McpAnswer> {
  const { leaf, reading } = found
  if (leaf === null) throw new TypeError('an absence is an error of the reader')
  const attester = await readAttester(at, reading.feed_id)
  const moment = momentOf(at, sources)
  const { proof: _, ...body } = seriesBodyOf(found)
  const value = leaf.value === null ? null : clip(leaf.value, MAX_TITLE)
  const { proofOrigin } = place
  // Later, another root may be the newest.
  const proofUrl = `${seriesProofUrl(proofOrigin ?? '<server>', leaf)}&index=${found.index}`
  const proof = proofOrigin === null ? null : proofUrl
  const older =
    isByNewestRoot(found) || root !== null
      ? []
      : ['The files of the newest root are not here yet: this is of an earlier root.']
  const citation = citeInWords({
    title: quote(formatSeries(leaf)),
    value: value === null ? 'withheld' : quote(value),
    unit: leaf.unit === null ? '' : quote(leaf.unit),
    period: leafPeriodInWords(leaf),
    attestedAt: reading.updated_at,
    place: `root ${body.root}`,
    chain: moment.chain,
    verify: verifyCommand(`'${proofUrl}'`, sources.network),
  })
  const facts = {
    ...body,
    value,
    unit: leaf.unit === null ? null : clip(leaf.unit, MAX_TITLE),
    period_in_words: leafPeriodInWords(leaf),
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
