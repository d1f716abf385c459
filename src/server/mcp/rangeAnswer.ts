import { formatSeries, type Leaf } from '@wattfeed/dataset'
import type { Snapshot } from 'wattfeed'
import { isByNewestRoot, type RootAt } from 'wattfeed/internal'
import { citeInWords, formatTime } from '../../web/cite/citation.ts'
import { verifyCommand } from '../../web/cite/verifyCommand.ts'
import { clip, MAX_TITLE } from '../feedTexts.ts'
import { rangeBodyOf } from '../readers/rangeBody.ts'
import { proofPathOf, type RangeAsked } from '../readers/rangeRequest.ts'
import type { FoundRange, SeriesReader } from '../readers/seriesReader.ts'
import { fitAnswer, type McpAnswer } from './answer.ts'
import { describeCommand, momentOf } from './citation.ts'
import { leafPeriodInWords } from './leafPeriodInWords.ts'
import { describeAttester, readAttester } from './readFeed.ts'
import type { McpCall } from './sources.ts'
import { countOf, firstLines, QUOTED, quote, quoteId } from './texts.ts'
import { TOO_LONG } from './tool.ts'

/** A range of a series, the newest values first. */
export interface McpRange extends RangeAsked {
  order: 'desc'
  limit: number
}

/** Reads a range of a series, and cites its proof. */
export async function rangeAnswer(
  at: Snapshot,
  series: SeriesReader,
  asked: McpRange,
  root: RootAt | null,
  { sources, place }: McpCall,
): Promise<McpAnswer> {
  const { route, frequency, column, facets, period_from = null, period_to = null, order, limit } = asked
  const range = { route, frequency, column, facets, period_from, period_to, order, limit }
  const found = await series.readRange(at, { range, at: root })
  const { items: _, next: __, proof: ___, attested_at, ...body } = rangeBodyOf(asked, found)
  const attester = await readAttester(at, found.reading.feed_id)
  const moment = momentOf(at, sources)
  const leaves = found.leaves.toReversed()
  const older = isByNewestRoot(found) || root !== null
  return fitAnswer(leaves.length, (shown) => {
    const rest = leaves[shown]?.period ?? found.next
    // A page of no values is no way to the rest.
    const next = rest === null || shown === 0 ? null : { period_to: rest, as_of: isoTime(attested_at) }
    const url = shown === 0 && leaves.length > 0 ? null : proofUrl(asked, found, shown, place.proofOrigin)
    return {
      text: [
        ...(older ? [] : ['The files of the newest root are not here yet: this is of an earlier root.']),
        describeCount(shown, leaves.length, found),
        ...(next === null
          ? []
          : [
              `Call again with period_to=${next.period_to} and as_of=${next.as_of} for the rest, by this root.`,
            ]),
        ...firstLines(leaves.map(lineOf), shown),
        ...(url === null ? [] : citationOf(leaves[0] ?? null, asked, body.root, url)),
        `${quoteId(body.feed_id)}: ${describeAttester(attester)}.`,
        QUOTED,
      ].join('\n'),
      data: {
        ...body,
        attested_at: formatTime(attested_at),
        shown,
        ...(next === null ? {} : { next }),
        columns: COLUMNS,
        rows: leaves.slice(0, shown).map(rowOf),
        ...attester,
        ...moment,
        ...(url === null
          ? {}
          : { proof: place.proofOrigin === null ? null : url, about_verifying: describeCommand(place) }),
      },
    }
  })

  function citationOf(newest: Leaf | null, range: McpRange, root: string, url: string): readonly string[] {
    const verify = verifyCommand(`'${url}'`, sources.network)
    if (newest === null) return [`That there is none: ${verify}`, describeCommand(place)]
    const { value, unit } = newest
    return [
      'To cite the first row; the proof has all of these rows:',
      citeInWords({
        title: quote(formatSeries({ ...range, facets: newest.facets })),
        value: value === null ? 'withheld' : quote(value),
        unit: unit === null ? '' : quote(unit),
        period: leafPeriodInWords(newest),
        attestedAt: attested_at,
        place: `root ${root}`,
        chain: moment.chain,
        verify,
      }),
      describeCommand(place),
    ]
  }
}

const COLUMNS = ['period', 'period_in_words', 'value', 'unit'] as const

/** With milliseconds, so that the root of this time is the newest up to it. */
const isoTime = (ms: number): string => new Date(ms).toISOString()

/** The address of the proof of the first rows. All are proven together. */
function proofUrl(asked: McpRange, found: FoundRange, shown: number, origin: string | null): string {
  const limit = shown === 0 ? asked.limit : shown
  // The command of a citation has it in quotes.
  return `${origin ?? '<server>'}${proofPathOf({ ...asked, limit }, found, 'json').replaceAll("'", '%27')}`
}

function describeCount(shown: number, count: number, { coversFrom }: FoundRange): string {
  if (count === 0) {
    const covered = coversFrom === null ? '' : ` The dataset has values from ${quote(coversFrom)} on.`
    return `The series has no value between these periods.${covered}`
  }
  if (shown === 0) return `No row fits${TOO_LONG}. Read one period at a time.`
  return shown < count ? `The newest ${shown}${TOO_LONG}.` : `${countOf(count, 'value')}, newest first.`
}

const lineOf = (leaf: Leaf): string =>
  `${leafPeriodInWords(leaf)}: ${leaf.value === null ? 'withheld' : quote(leaf.value)}${leaf.unit === null ? '' : ` ${quote(leaf.unit)}`}`

const rowOf = (leaf: Leaf) => [
  leaf.period,
  leafPeriodInWords(leaf),
  leaf.value === null ? null : clip(leaf.value, MAX_TITLE),
  leaf.unit === null ? null : clip(leaf.unit, MAX_TITLE),
]
