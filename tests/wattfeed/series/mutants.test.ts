import { expect, test } from 'bun:test'
import type { SeriesProof } from 'wattfeed'
import { verifyFeedProof } from '../../../packages/wattfeed/src/client/verifyFeedProof.ts'
import { mutate } from '../../../scripts/proofMutants/mutate.ts'
import { readDocuments } from '../../../scripts/proofMutants/verdictLines.ts'
import { trustOf } from '../../../scripts/proofMutants/verdictOf.ts'
import { DATASET_LEAVES } from '../../operator/verify/vectors/seriesDocuments.ts'

const documents = (await readDocuments('series')).filter(({ name }) => !/past|only/.test(name))

const keyOf = (key: {
  route: string
  frequency: string
  column: string
  facets: object
  period: string | null
}) => JSON.stringify([key.route, key.frequency, key.column, Object.entries(key.facets).sort(), key.period])

/** Whether a statement is true of the leaves, by looking at all of them. */
function isTrue({
  statement,
  series,
  value,
}: {
  statement: string
  series: SeriesProof['series']
  value: string | null
}) {
  const ofSeries = DATASET_LEAVES.filter(
    (leaf) => keyOf({ ...leaf, period: null }) === keyOf({ ...series, period: null }),
  )
  const found =
    series.period === null ? ofSeries.at(-1) : ofSeries.find(({ period }) => period === series.period)
  if (statement === 'no_series') return ofSeries.length === 0
  if (statement === 'no_period') return series.period !== null && found === undefined
  return (statement === 'newest') === (series.period === null) && found !== undefined && found.value === value
}

// The root stays as it is: mutants of it are among those of scripts/verifyMutants.ts.
test('behavior: 600 mutants of series, statement and leaves prove nothing that is false', async () => {
  let proven = 0
  for (let mutant = 0; mutant < 600; mutant++) {
    const parts = documents.map(({ trust, document }) => {
      const { root, ...part } = Object(document)
      return { trust, root, document: part }
    })
    const { trust, root, document } = withCandidates(() => mutate(parts, mutant)) ?? {}
    if (trust === undefined) continue
    const { series: _, ...any } = trust
    const check = await verifyFeedProof({ ...Object(document), root }, trustOf(any)).catch(() => null)
    if (check?.series === undefined) continue
    proven += 1
    expect([mutant, isTrue(check.series)]).toEqual([mutant, true])
  }
  // Such as a member that is unknown, or an absence of another period.
  expect(proven).toBeWithin(5, 200)
})

/** Null for a change that no text of these parts is long enough for. */
function withCandidates<T>(make: () => T): T | null {
  try {
    return make()
  } catch {
    return null
  }
}
