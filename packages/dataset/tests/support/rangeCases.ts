import { type DatasetSeries, decodeLeaf, formatSeries, type Leaf } from '../../src/leaf.ts'
import type { RangeEvidence, RangeLeaf } from '../../src/range.ts'
import type { SeriesRange } from '../../src/seriesRange.ts'

/** The leaves of a range, by looking at all leaves of a dataset. */
export function expectedOf(sorted: readonly Leaf[], range: SeriesRange): Leaf[] {
  const name = (series: Leaf | SeriesRange) =>
    JSON.stringify([series.route, series.frequency, series.column, Object.entries(series.facets).sort()])
  const { period_from: from, period_to: to, order, limit } = range
  const found = sorted.filter(
    (leaf) =>
      name(leaf) === name(range) &&
      (from === null || leaf.period >= from) &&
      (to === null || leaf.period <= to),
  )
  if (limit === null) return found
  return order === 'asc' ? found.slice(0, limit) : found.slice(Math.max(0, found.length - limit))
}

/** A lie about a range: other evidence for it. */
export interface RangeLie {
  readonly name: string
  readonly evidence: RangeEvidence
  /** Whether its leaves and hashes lead to the root, so that only the bounds refute it. */
  readonly isRun: boolean
}

/** A sorted tree. */
export interface RangeTree {
  /** The bytes of its leaves. */
  readonly texts: readonly string[]
  /** Returns the hashes beside a run of leaves, in hex. */
  hashesBeside(first: number, past: number): Promise<readonly string[]>
}

/**
 * Lists lies about a range: every leaf left out, repeated, swapped with the next or changed; every neighbor moved or left out; every
 * hash left out, changed or repeated; another place; and every shorter and two longer runs with the right hashes.
 */
export async function liesAbout(
  evidence: RangeEvidence,
  series: DatasetSeries,
  tree: RangeTree,
): Promise<RangeLie[]> {
  const full = withUnits(evidence)
  const textAt = (index: number) => tree.texts[index] ?? null
  const broken = [
    ...leafLies(full),
    ...neighborLies(full, textAt),
    ...hashLies(full),
    ...[-1, 1].map((step) => ({
      name: `the index ${step}`,
      evidence: { ...full, index: full.index + step },
    })),
  ]
  // A change may write the same once more.
  const lies = broken.filter((lie) => JSON.stringify(lie.evidence) !== JSON.stringify(full))
  const hidden = await hiddenNeighbors(full, tree)
  return [
    ...[...lies, ...hidden].map((lie) => ({ ...lie, isRun: false })),
    ...(await otherRuns(full, series, tree)),
  ]
}

/** The same leaves without a neighbor, and with the hashes that lead to the root without it. */
async function hiddenNeighbors(evidence: RangeEvidence, tree: RangeTree): Promise<Change[]> {
  const { index, leaves, before, after } = evidence
  const [past, size] = [index + leaves.length, tree.texts.length]
  const hide = async (name: string, changes: Partial<RangeEvidence>, first: number, end: number) =>
    first < end
      ? [{ name, evidence: { ...evidence, ...changes, hashes: await tree.hashesBeside(first, end) } }]
      : []
  return [
    ...(before === null
      ? []
      : await hide('the leaf before hidden', { before: null }, index, Math.min(size, past + 1))),
    ...(after === null
      ? []
      : await hide('the leaf after hidden', { after: null }, Math.max(0, index - 1), past)),
  ]
}

/** The runs of the tree with the first or the last of the leaves, or with one more, and with the right hashes. */
async function otherRuns(
  { index, leaves }: RangeEvidence,
  series: DatasetSeries,
  tree: RangeTree,
): Promise<RangeLie[]> {
  const past = index + leaves.length
  const size = tree.texts.length
  const parts = leaves.flatMap((_, at): [number, number][] => [
    [index, index + at],
    [index + at + 1, past],
  ])
  const longer: [number, number][] = [
    [index - 1, past],
    [index, past + 1],
  ]
  const runs = [...parts, ...longer].filter(([first, end]) => first >= 0 && end <= size)
  return Promise.all(
    runs.map(async ([first, end]): Promise<RangeLie> => {
      const found = tree.texts
        .slice(first, end)
        .map((text) => decodeLeaf(new TextEncoder().encode(text), text))
      return {
        name: `only the leaves from ${first - index} to before ${end - index}`,
        isRun: found.every((leaf) => formatSeries(leaf) === formatSeries(series)),
        evidence: {
          index: first,
          before: tree.texts[first - 1] ?? null,
          leaves: found.map(({ period, value, unit }) => [period, value, unit]),
          after: tree.texts[end] ?? null,
          hashes: await tree.hashesBeside(Math.max(0, first - 1), Math.min(size, end + 1)),
        },
      }
    }),
  )
}

/** Writes every unit, so that a leaf can be moved. */
function withUnits(evidence: RangeEvidence): RangeEvidence {
  let last: string | null = null
  const leaves = evidence.leaves.map(([period, value, unit = last]): RangeLeaf => {
    last = unit
    return [period, value, unit]
  })
  return { ...evidence, leaves }
}

type Change = Omit<RangeLie, 'isRun'>

function leafLies(evidence: RangeEvidence): Change[] {
  const { leaves, index } = evidence
  return leaves.flatMap((leaf, at) => {
    const [period, value, unit = null] = leaf
    const rest = leaves.toSpliced(at, 1)
    const change = (name: string, changed: readonly RangeLeaf[], place = index) => ({
      name: `${name} ${at}`,
      evidence: { ...evidence, leaves: changed, index: place },
    })
    return [
      change('left out', rest),
      change('left out, and the index moved', rest, index + 1),
      change('repeated', leaves.toSpliced(at, 0, leaf)),
      change(
        'swapped',
        at + 1 < leaves.length ? [...rest.slice(0, at + 1), leaf, ...rest.slice(at + 1)] : [],
      ),
      change('another value', leaves.with(at, [period, `${value ?? ''}0`, unit])),
      change('withheld or not', leaves.with(at, [period, value === null ? '0' : null, unit])),
      change('another unit', leaves.with(at, [period, value, `${unit ?? ''}x`])),
      change('another period', leaves.with(at, [`${period}0`, value, unit])),
    ]
  })
}

function neighborLies(evidence: RangeEvidence, textAt: (index: number) => string | null): Change[] {
  const { index, leaves, before, after } = evidence
  const change = (name: string, changes: Partial<RangeEvidence>) => ({
    name,
    evidence: { ...evidence, ...changes },
  })
  return [
    change('the leaf before left out', { before: null }),
    change('the leaf after left out', { after: null }),
    change('the leaf before is one further', { before: textAt(index - 2) }),
    change('the leaf before is the first of the range', { before: textAt(index) }),
    change('the leaf after is one further', { after: textAt(index + leaves.length + 1) }),
    change('the leaf after is the last of the range', { after: textAt(index + leaves.length - 1) }),
    change('the leaves beside are swapped', { before: after, after: before }),
  ]
}

function hashLies(evidence: RangeEvidence): Change[] {
  const { hashes } = evidence
  const change = (name: string, changed: readonly string[]) => ({
    name,
    evidence: { ...evidence, hashes: changed },
  })
  return [
    ...hashes.flatMap((hash, at) => [
      change(`hash ${at} left out`, hashes.toSpliced(at, 1)),
      change(`hash ${at} repeated`, hashes.toSpliced(at, 0, hash)),
      change(`hash ${at} changed`, hashes.with(at, `${hash.slice(0, -1)}${hash.endsWith('0') ? '1' : '0'}`)),
      change(`hash ${at} in capitals`, hashes.with(at, hash.toUpperCase())),
    ]),
    change('another hash', [...hashes, '00'.repeat(32)]),
  ]
}
