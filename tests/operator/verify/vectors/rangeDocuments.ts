import { datasetFeedId, type Leaf, type SeriesRange, type Snapshot } from '@wattfeed/dataset'
import type { RangeTree } from '@wattfeed/dataset/testing/rangeCases'
import { createFolder } from '@wattfeed/testing/folder'
import type { RangeProof } from 'wattfeed'
import { datasetFeed, rootOf, writeSnapshot } from 'wattfeed/testing/datasetSnapshot'
import { createVerifiedWorld } from 'wattfeed/testing/verifiedWorld'
import { createRangeProof } from '../../../../packages/wattfeed/src/series/createRangeProof.ts'
import type { VectorTrust } from '../../../../scripts/proofMutants/verdictOf.ts'
import type { ProvenDocument } from './provenDocuments.ts'
import { attestAs, rootIn } from './seriesDocuments.ts'

/** The documents about ranges. */
export interface RangeDocuments {
  documents: ProvenDocument[]
  /** More documents by the root of the first, of which no mutants are made. Some have texts that are not ASCII. */
  others: ProvenDocument[]
  /** A document that breaks the link `range`: it has all values, but the leaf after them has one facet more. */
  moreFacets: RangeProof
  /** An empty range beside which no leaf has the facets of the series. */
  notCovered: RangeProof
  /** The trees of the first document, and of the one with a single leaf. */
  trees: { first: RangeTree; lone: RangeTree }
}

const START_MS = Date.UTC(2026, 10, 20)

const DATASET = { route: 'petroleum/pri/range', frequency: 'weekly', column: 'value' }
const LONE = { route: 'petroleum/pri/only', frequency: 'annual', column: 'value', facets: {} }

const leaf = (product: string | null, series: string, period: string, changes: Partial<Leaf> = {}): Leaf => ({
  ...DATASET,
  facets: { product, series },
  period,
  value: '59.91',
  unit: '$/BBL',
  ...changes,
})

/** A series with all kinds of values, one with ten weeks, two short ones, and one before a leaf with more facets. */
const older: Leaf[] = [
  leaf(null, 'ALL', '2026-10-30', { value: null, unit: null }),
  leaf(null, 'ALL', '2026-11-06', { value: 'NA', unit: null }),
  leaf(null, 'ALL', '2026-11-13', { value: '\ud800"\\\n\u0001', unit: 'MBBL\u00b2' }),
  leaf(null, 'ALL', '2026-11-20', { value: '', unit: 'MBBL\u00b2' }),
  leaf('EPCBRENT', 'RBRTE', '2026-11-06', { value: '63.37' }),
  leaf('EPCBRENT', 'RBRTE', '2026-11-13', { value: '64' }),
  ...['09-11', '09-18', '09-25', '10-02', '10-09', '10-16', '10-30', '11-06', '11-13'].map((day, at) =>
    leaf('EPCWTI', 'RWTC', `2026-${day}`, { value: `${60 + at}.5` }),
  ),
  leaf('EPCZ', 'Z', '2026-11-06'),
  leaf('EPCZ', 'Z', '2026-11-13', { facets: { product: 'EPCZ', series: 'Z', type: 'x' } }),
]
const leaves: Leaf[] = [...older, leaf('EPCWTI', 'RWTC', '2026-11-20', { value: '69.5' })]

type Selection = Partial<Pick<SeriesRange, 'period_from' | 'period_to' | 'order' | 'limit'>>

const range = (product: string | null, series: string, selection: Selection = {}): SeriesRange => ({
  ...DATASET,
  facets: { product, series },
  ...{ period_from: null, period_to: null, order: 'asc', limit: null },
  ...selection,
})

const wti = (selection: Selection = {}): SeriesRange => range('EPCWTI', 'RWTC', selection)
const between = (period_from: string, period_to: string): Selection => ({ period_from, period_to })
const newest = (limit: number): Selection => ({ order: 'desc', limit })
const oldest = (limit: number): Selection => ({ order: 'asc', limit })

/** Makes the documents. They are the same every time. */
export async function createRangeDocuments(): Promise<RangeDocuments> {
  await using world = await createVerifiedWorld({ nodes: 1, eras: 1, startMs: START_MS, protocol: '2.0.3' })
  using folder = createFolder('in memory')
  const trust: VectorTrust = {
    trusted_block_hash: world.genesisHash,
    chain_name: world.network.chainName,
    feed_registry_package_hash: world.network.feedRegistryPackageHash,
    attestation_registry_package_hash: world.network.attestationRegistryPackageHash,
  }
  const publish = async (of: readonly Leaf[]): Promise<Snapshot> => {
    const { manifest, snapshot } = await writeSnapshot(folder.path, of)
    const feedId = datasetFeedId(manifest.route, manifest.frequency)
    await attestAs(world, feedId, datasetFeed(manifest), rootOf(manifest))
    return snapshot
  }
  const before = await publish(older)
  const now = await publish(leaves)
  const one = await publish([{ ...LONE, period: '2025', value: '1', unit: null }])
  const root = ({ manifest }: Snapshot, index?: number) =>
    rootIn(world, datasetFeedId(manifest.route, manifest.frequency), index === undefined ? {} : { index })

  async function document(
    name: string,
    asked: SeriesRange,
    { snapshot = now, index }: { snapshot?: Snapshot; index?: number } = {},
  ): Promise<ProvenDocument> {
    const proof = await createRangeProof({ root: await root(snapshot, index), range: asked, snapshot })
    return {
      name,
      trust: { ...trust, range: asked, ...(index === undefined ? {} : { index }) },
      document: proof,
    }
  }
  const lone = { ...LONE, period_from: null, period_to: null, order: 'asc', limit: null } as const
  const all = await Promise.all(leaves.map((_, at) => now.prove(at)))
  const documents = [
    await document('range', wti(between('2026-10-02', '2026-11-06'))),
    await document('the newest three', wti(newest(3))),
    await document('an empty range inside of a series', wti(between('2026-10-17', '2026-10-29'))),
    await document('a series that is not there', range('EPCWTI', 'RBRTE')),
    await document('a past root', wti({ period_from: '2026-11-06' }), { snapshot: before, index: 0 }),
    await document('a tree of one leaf', lone, { snapshot: one }),
  ]
  const others = [
    await document('a whole series', wti()),
    await document('from its middle', wti({ period_from: '2026-11-06' })),
    await document('up to its middle', wti({ period_to: '2026-10-02' })),
    await document('bounds between periods', wti(between('2026-10-03', '2026-11-07'))),
    await document('from = to', wti(between('2026-10-02', '2026-10-02'))),
    await document('from = to, and no such period', wti(between('2026-10-03', '2026-10-03'))),
    await document('an empty range before a series', wti(between('2026-01-02', '2026-09-10'))),
    await document('an empty range after a series', wti(between('2026-11-21', '2026-12-31'))),
    await document('the newest one', wti(newest(1))),
    await document('the newest of bounds', wti({ ...between('2026-10-02', '2026-11-06'), ...newest(2) })),
    await document('exactly the newest', wti(newest(10))),
    await document('more than the newest', wti(newest(11))),
    await document('the oldest three', wti(oldest(3))),
    await document('the oldest of bounds', wti({ ...between('2026-10-02', '2026-11-06'), ...oldest(2) })),
    await document('more than the oldest', wti(oldest(5_000))),
    await document('the newest of an empty range', wti({ period_from: '2026-12-04', ...newest(1) })),
    await document('the first leaf of the tree', range(null, 'ALL', { period_to: '2026-10-30' })),
    await document('the first series of the tree, with all kinds of values', range(null, 'ALL')),
    await document('an empty range before the first leaf', range(null, 'ALL', { period_to: '2026-10-29' })),
    await document('a series before the first', range(null, 'ALK')),
    await document('an empty range after the last leaf', { ...lone, period_from: '2026' }, { snapshot: one }),
    await document('before a leaf with more facets', range('EPCZ', 'Z', { period_to: '2026-11-12' })),
    await document('the oldest, before a leaf with more facets', range('EPCZ', 'Z', oldest(1))),
    await document(
      'an empty range before a leaf with more facets',
      range('EPCZ', 'Z', between('2026-12-04', '2026-12-11')),
    ),
  ]
  const at = leaves.length - 2
  const moreFacets: RangeProof = {
    ...{ format: 1, range: range('EPCZ', 'Z'), index: at, leaves: [['2026-11-06', '59.91', '$/BBL']] },
    ...{ before: all[at - 1]?.leaf ?? null, after: all[at + 1]?.leaf ?? null },
    hashes: await hashesBeside(now, at - 1, at + 2),
    root: await root(now),
  }
  const { document: notCovered } = await document(
    'a series after a leaf with more facets',
    range('EPCZ', 'ZZ'),
  )
  return {
    ...JSON.parse(JSON.stringify({ documents, others, moreFacets, notCovered })),
    trees: { first: await treeOf(now), lone: await treeOf(one) },
  }
}

/** Reads all of a tree, which outlives its files. */
async function treeOf(snapshot: Snapshot): Promise<RangeTree> {
  const places = Array.from({ length: snapshot.manifest.size }, (_, at) => at)
  const texts = await Promise.all(places.map(async (at) => (await snapshot.prove(at)).leaf))
  const hashes = new Map<string, readonly string[]>()
  for (const first of places)
    for (const past of places.slice(first).map((at) => at + 1))
      hashes.set(`${first} ${past}`, await hashesBeside(snapshot, first, past))
  return { texts, hashesBeside: async (first, past) => hashes.get(`${first} ${past}`) ?? [] }
}

const hashesBeside = async (snapshot: Snapshot, first: number, past: number): Promise<string[]> =>
  (await snapshot.proveRun({ first, past })).hashes.map((hash) => hash.toHex())
