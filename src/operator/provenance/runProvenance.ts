import { isDeepStrictEqual } from 'node:util'
import { InvalidArgumentError } from '@wattfeed/base'
import { formatDatasetRecipe, parseDatasetRecipe } from '@wattfeed/dataset'
import { type EiaClient, encodePeriod, readablePeriod } from '@wattfeed/eia'
import pLimit from 'p-limit'
import { recheckWithLater, rowsByPeriod } from 'wattfeed/internal'
import {
  type Provenance,
  type Recheck,
  type RecheckInput,
  type Recipe,
  recheckArchived,
  type Source,
  type Verdict,
} from 'wattfeed/provenance'
import { FeedNotRegisteredError } from '../../feeds/file/feedConfig.ts'
import { formatTable } from '../../runtime/formatTable.ts'
import { printable } from '../../runtime/printable.ts'
import { formatAmount } from '../amounts.ts'
import type { AttestationSource } from './attestationSource.ts'
import { type ArchivedRows, ArchiveError } from './readArchive.ts'

export type RowSource =
  | { readonly eia: Pick<EiaClient, 'listRowsSince'> }
  | { readonly archive: ArchivedRows; readonly path: string }

export interface CheckedAttestation extends Recheck {
  readonly index: number
  readonly period: number
  readonly amount: string
  /** The exact amount, scaled by the feed's decimals. */
  readonly value: string
  readonly attested_hash: string
}

export interface ProvenanceReport {
  readonly command: 'provenance'
  readonly feed_id: string
  readonly recipe: Recipe | null
  readonly recipe_source: Provenance['recipe_source']
  /** The recipe of a feed whose values are roots of a dataset; null for any other. */
  readonly dataset_recipe: string | null
  /** EIA's address of the newest row that was checked, without a key. */
  readonly api_url: string | null
  readonly counts: Readonly<Partial<Record<Verdict, number>>>
  /** Oldest first. */
  readonly attestations: readonly CheckedAttestation[]
}

export interface ProvenanceOptions {
  readonly feedId: string
  readonly source: AttestationSource
  readonly rows: RowSource
  /** Index of the attestation; `all` for every one, null for the newest. */
  readonly index: number | 'all' | null
  readonly progress: (line: string) => void
}

const READS_AT_ONCE = 16
// A node or server may claim any number. This many are 114 years of hourly values.
const MAX_ATTESTATIONS = 1_000_000
const PROGRESS_EVERY = 500

/**
 * Rechecks attestations of a feed against EIA's rows, or against archived ones.
 *
 * @throws {FeedNotRegisteredError} if there is no such feed, or no such value.
 */
export async function runProvenance(options: ProvenanceOptions): Promise<ProvenanceReport> {
  const { feedId, source, index, progress } = options
  const { feed, count } = source
  if (feed === null || (typeof index === 'number' && index >= count))
    throw new FeedNotRegisteredError({ feedId })
  if (index === 'all' && count > MAX_ATTESTATIONS)
    throw new InvalidArgumentError(
      '--all',
      `for at most ${MAX_ATTESTATIONS} values, but the feed has ${count}: use --index`,
    )
  const indices = index === 'all' ? Array.from({ length: count }, (_, each) => each) : [index ?? count - 1]
  let done = 0
  const all = await pLimit(READS_AT_ONCE).map(indices, async (each) => {
    if (++done % PROGRESS_EVERY === 0) progress(`${done} of ${indices.length} attestations read`)
    return source.read(each)
  })
  const attestations = await checkAll(all, feed, options)
  const newest = all.at(-1)
  return {
    command: 'provenance',
    feed_id: feedId,
    recipe: newest?.recipe ?? null,
    recipe_source: newest?.recipe_source ?? null,
    dataset_recipe: datasetRecipeOf(feed),
    api_url: newest?.api_url ?? null,
    counts: countVerdicts(attestations),
    attestations,
  }
}

type FeedOnChain = RecheckInput['feed']

function datasetRecipeOf({ description = '' }: FeedOnChain): string | null {
  const recipe = parseDatasetRecipe(description)
  return recipe && formatDatasetRecipe(recipe)
}

async function checkAll(
  all: readonly Provenance[],
  feed: FeedOnChain,
  { rows, source }: ProvenanceOptions,
): Promise<CheckedAttestation[]> {
  const recipe = all[0]?.recipe ?? null
  const periods = all.map(({ attested }) => attested.period)
  const found = 'archive' in rows || recipe === null ? null : await rowsByPeriod(rows.eia, recipe, periods)
  return Promise.all(
    all.map(async (provenance) => {
      const { attested } = provenance
      const input = { feed, recipe, attested, rows: found?.get(attested.period) ?? [] }
      const checked =
        'archive' in rows
          ? checkArchived(provenance, feed, rows)
          : await recheckWithLater(input, attested.index, source)
      return describe(provenance, feed, checked)
    }),
  )
}

function checkArchived(
  { attested, recipe }: Provenance,
  feed: FeedOnChain,
  { archive, path }: Extract<RowSource, { archive: unknown }>,
): Recheck {
  const source = archive.get(attested.source_hash) ?? sameRow(archive, recipe, feed, attested.period)
  if (source !== null) return recheckArchived(source, feed, attested)
  throw new ArchiveError({
    path,
    rule: `has no row of period ${readablePeriod(attested.period)} of ${feed.route}; omit --row to query EIA`,
  })
}

/** Finds another row of the same series and period, to show the difference. */
function sameRow(
  archive: ArchivedRows,
  recipe: Recipe | null,
  { route, frequency }: FeedOnChain,
  period: number,
): Source | null {
  const isSame = (source: Source): boolean =>
    source.route === route &&
    source.frequency === frequency &&
    // An archive sorts the facets, and a feeds file may have them in any order.
    (recipe === null || isDeepStrictEqual(source.facets, recipe.facets)) &&
    encodePeriod(frequency, source.period) === period
  return archive.values().find(isSame) ?? null
}

const describe = (
  { attested: { index, period, amount, source_hash } }: Provenance,
  { decimals }: FeedOnChain,
  checked: Recheck,
): CheckedAttestation => ({
  index,
  period,
  amount: amount.toString(),
  value: formatAmount(amount, decimals),
  attested_hash: source_hash,
  ...checked,
})

function countVerdicts(attestations: readonly CheckedAttestation[]): ProvenanceReport['counts'] {
  const counts: Partial<Record<Verdict, number>> = {}
  for (const { verdict } of attestations) counts[verdict] = (counts[verdict] ?? 0) + 1
  return counts
}

/** Returns whether EIA confirms everything that was checked: it matches, or EIA has revised it since. */
export const isConfirmed = ({ attestations }: ProvenanceReport): boolean =>
  attestations.every(({ verdict }) => verdict === 'match' || verdict === 'revised')

/** Returns whether EIA contradicts a checked attestation, or no longer has a number for it. */
export const isRefuted = ({ attestations }: ProvenanceReport): boolean =>
  attestations.some(
    ({ verdict }) => verdict !== 'match' && verdict !== 'revised' && verdict !== 'undecidable',
  )

const head = ['number', 'period', 'value', 'verdict', 'why']

export function formatProvenance(report: ProvenanceReport): string {
  const { feed_id, dataset_recipe, recipe_source, api_url, counts, attestations } = report
  const rows = attestations.map(({ index, period, value, verdict, detail }) => [
    String(index),
    String(period),
    value,
    verdict,
    detail,
  ])
  const source = { description: 'its description', built_in: 'the flagship feeds' }
  const noRecipe = dataset_recipe === null ? 'no recipe' : `roots of a dataset, ${dataset_recipe}`
  return [
    `${printable(feed_id)}: ${recipe_source === null ? noRecipe : `recipe from ${source[recipe_source]}`}`,
    ...(api_url === null ? [] : [`EIA: ${api_url}`]),
    formatTable([head, ...rows]),
    Object.entries(counts)
      .map(([verdict, count]) => `${count} ${verdict}`)
      .join(', '),
  ].join('\n')
}
