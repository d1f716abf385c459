import { datasetFeedId, type Leaf, type SeriesQuery, type Snapshot } from '@wattfeed/dataset'
import { createFolder } from '@wattfeed/testing/folder'
import type { FeedProof, SeriesProof } from 'wattfeed'
import { datasetFeed, rootOf, writeSnapshot } from 'wattfeed/testing/datasetSnapshot'
import { createVerifiedWorld, type VerifiedWorld } from 'wattfeed/testing/verifiedWorld'
import { attestArguments } from '../../../../packages/wattfeed/src/registry/calls.ts'
import type { Feed } from '../../../../packages/wattfeed/src/registry/feed.ts'
import { createSeriesProof } from '../../../../packages/wattfeed/src/series/createSeriesProof.ts'
import type { VectorTrust } from '../../../../scripts/proofMutants/verdictOf.ts'
import type { ProvenDocument } from './provenDocuments.ts'

/** The documents about series, and proven readings that are no roots of their dataset. */
export interface SeriesDocuments {
  documents: ProvenDocument[]
  /** More documents, of which no mutants are made. Some have texts that are not ASCII. */
  others: ProvenDocument[]
  roots: WrongRoot[]
  /** Documents of trees that no honest attester makes, with the links that they break. */
  refuted: RefutedDocument[]
}

export interface RefutedDocument {
  name: string
  document: SeriesProof
  link: string
}

/** A proven reading of a feed that has the id of a dataset's feed, but is no root of it. */
export interface WrongRoot {
  name: string
  route: string
  root: FeedProof
}

const START_MS = Date.UTC(2026, 10, 20)

const DATASET = { route: 'petroleum/pri/spt', frequency: 'weekly' }
const LONE = { route: 'petroleum/one', frequency: 'annual' }
const TEXTS = { route: 'petroleum/texts', frequency: 'monthly' }

const leaf = (product: string | null, series: string, period: string, changes: Partial<Leaf> = {}): Leaf => ({
  ...DATASET,
  column: 'value',
  facets: { product, series },
  period,
  value: '59.91',
  unit: '$/BBL',
  ...changes,
})

/** Three series with some periods each. The first of them has no product. */
const older: Leaf[] = [
  leaf(null, 'ALL', '2026-11-06', { value: null, unit: null }),
  leaf('EPCBRENT', 'RBRTE', '2026-11-06', { value: '63.37' }),
  leaf('EPCBRENT', 'RBRTE', '2026-11-13', { value: 'NA' }),
  leaf('EPCWTI', 'RWTC', '2026-10-30'),
  leaf('EPCWTI', 'RWTC', '2026-11-13', { value: '60.5' }),
]
/** The leaves that most documents are about, in order. */
export const DATASET_LEAVES: readonly Leaf[] = [
  ...older,
  leaf('EPCBRENT', 'RBRTE', '2026-11-20', { value: '64' }),
  leaf('EPCWTI', 'RWTC', '2026-11-20', { value: '61' }),
]

/** The order of bytes is not that of UTF-16 units, and escapes have one form. */
const texts: Leaf[] = ['a', '\u00e9', '\uffee', '\u{1f600}'].map((name, index) => ({
  ...TEXTS,
  column: 'value',
  facets: { name },
  period: '2026-10',
  value: ['"\\\n\u0001', '\u007f\u2028', '\ud800', ' 1 '][index] ?? null,
  unit: 'MBBL\u00b2',
}))

/** Leaves of which the second has a facet more than the dataset: its key starts as those of the first's series. */
const MIXED = { route: 'petroleum/mixed', frequency: 'annual', column: 'value' }
const mixed: Leaf[] = [
  { ...MIXED, facets: { a: 'x' }, period: '2025', value: '1', unit: null },
  { ...MIXED, facets: { a: 'x', b: 'y' }, period: '2026', value: '2', unit: null },
]

/** The middle one has a facet more than the dataset. */
const BETWEEN = { route: 'petroleum/between', frequency: 'annual', column: 'value' }
const between: Leaf[] = [
  { ...BETWEEN, facets: { a: 'w' }, period: '2025', value: '1', unit: null },
  { ...BETWEEN, facets: { a: 'x', b: 'y' }, period: '2025', value: '2', unit: null },
  { ...BETWEEN, facets: { a: 'y' }, period: '2025', value: '3', unit: null },
]

const EMPTY = { frequency: 'annual', column: 'value', facets: {}, period: '2025' }

const query = (product: string | null, series: string, period: string | null): SeriesQuery => ({
  ...DATASET,
  column: 'value',
  facets: { product, series },
  period,
})

/** Makes the documents. They are the same every time. */
export async function createSeriesDocuments(): Promise<SeriesDocuments> {
  await using world = await createVerifiedWorld({ nodes: 1, eras: 1, startMs: START_MS, protocol: '2.0.3' })
  using folder = createFolder('in memory')
  const trust: VectorTrust = {
    trusted_block_hash: world.genesisHash,
    chain_name: world.network.chainName,
    feed_registry_package_hash: world.network.feedRegistryPackageHash,
    attestation_registry_package_hash: world.network.attestationRegistryPackageHash,
  }
  const publish = async (
    leaves: readonly Leaf[],
    period?: number,
    columns?: readonly string[],
  ): Promise<Snapshot> => {
    const { manifest, snapshot } = await writeSnapshot(folder.path, leaves)
    const feedId = datasetFeedId(manifest.route, manifest.frequency)
    const value = rootOf(manifest)
    const feed = datasetFeed({ ...manifest, columns: columns ?? manifest.columns })
    await attestAs(world, feedId, feed, { ...value, period: period ?? value.period })
    return snapshot
  }
  const before = await publish(older)
  const now = await publish(DATASET_LEAVES)
  const one = await publish([
    { ...LONE, column: 'value', facets: {}, period: '2025', value: '1', unit: null },
  ])
  const other = await publish(texts)
  const two = await publish(mixed)
  const readRoots = await createWrongRoots(world, before)
  const root = (snapshot: Snapshot, options: { index?: number; attester?: boolean } = {}) =>
    rootIn(world, datasetFeedId(snapshot.manifest.route, snapshot.manifest.frequency), options)

  const document = async (
    name: string,
    asked: SeriesQuery,
    {
      snapshot = now,
      isRequested = true,
      ...options
    }: { snapshot?: Snapshot; isRequested?: boolean; index?: number; attester?: boolean } = {},
  ): Promise<ProvenDocument> => ({
    name,
    trust: isRequested ? { ...trust, series: asked } : trust,
    document: await createSeriesProof({ root: await root(snapshot, options), query: asked, snapshot }),
  })
  const lone = { ...LONE, column: 'value', facets: {}, period: null }
  const ofTexts = (name: string, period: string | null) => ({
    ...TEXTS,
    column: 'value',
    facets: { name },
    period,
  })
  const documents = [
    await document('value', query('EPCWTI', 'RWTC', '2026-11-13')),
    await document('value that is withheld', query(null, 'ALL', '2026-11-06')),
    await document('newest value', query('EPCBRENT', 'RBRTE', null)),
    await document('newest value, the last of the tree', query('EPCWTI', 'RWTC', null)),
    await document('no period', query('EPCWTI', 'RWTC', '2026-11-06')),
    await document('no series', query('EPCWTI', 'RBRTE', null), { isRequested: false }),
    await document('newest value of a past root', query('EPCWTI', 'RWTC', null), {
      snapshot: before,
      index: 0,
    }),
    await document('the only value of a dataset', lone, { snapshot: one }),
  ]
  const ofMixed = (period: string | null) => ({ ...MIXED, facets: { a: 'x' }, period })
  const others = [
    await document('a value before a leaf with more facets', ofMixed('2025'), { snapshot: two }),
    await document('no period beside a leaf with more facets', ofMixed('2026'), { snapshot: two }),
    await document('value that is a text', query('EPCBRENT', 'RBRTE', '2026-11-13')),
    await document('no period, before the first of the tree', query(null, 'ALL', '2026-10-30')),
    await document('no period, after the last of the tree', query('EPCWTI', 'RWTC', '2026-11-27')),
    await document('no period, of a series that is not there', query('EPCWTI', 'RBRTE', '2026-11-13')),
    await document('no series, between two', query('EPCBRENT', 'RWTC', '2026-11-13')),
    await document('no series, before the first of the tree', query(null, 'ALK', null)),
    await document('no series, after the last of the tree', query('EPCWTI', 'RWTCA', null)),
    await document('no period of a past root', query('EPCWTI', 'RWTC', '2026-11-20'), {
      snapshot: before,
      index: 0,
    }),
    await document('a root with its attester', query('EPCWTI', 'RWTC', '2026-11-20'), { attester: true }),
    await document('no series, among other letters', ofTexts('b', null), { snapshot: other }),
    await document('a lone surrogate as value', ofTexts('\uffee', '2026-10'), { snapshot: other }),
    await document('a character beyond the basic plane', ofTexts('\u{1f600}', null), { snapshot: other }),
    await document('no series, between units of UTF-16', ofTexts('\ufffd', null), { snapshot: other }),
  ]
  const roots = await readRoots()
  // Published last, so that the documents above keep their blocks.
  const anyPeriod = await publish([leafOf('petroleum/period')], 1_999)
  const emptyValue = await publish([leafOf('petroleum/value', { value: '' })])
  const emptyUnit = await publish([leafOf('petroleum/unit', { unit: '' })])
  const three = await publish(between)
  const narrow = await publish([leafOf('petroleum/narrow')], undefined, ['value', 'volume'])
  const only = (route: string, period: string | null) => ({ ...EMPTY, route, period })
  others.push(
    await document('value that is an empty text', only('petroleum/value', '2025'), { snapshot: emptyValue }),
    await document('value of a root whose period no leaf has', only('petroleum/period', '2025'), {
      snapshot: anyPeriod,
    }),
    await document('newest value of a root whose period no leaf has', only('petroleum/period', null), {
      snapshot: anyPeriod,
    }),
  )
  const ofBetween = { ...BETWEEN, facets: { a: 'x' }, period: null }
  const withMore = async (...indices: number[]): Promise<SeriesProof> => ({
    ...{ format: 1, series: ofBetween, statement: 'no_series', root: await root(three) },
    leaves: await Promise.all(indices.map((index) => three.prove(index))),
  })
  const ofNarrow = async (
    period: string | null,
    statement: SeriesProof['statement'],
  ): Promise<SeriesProof> => ({
    ...{ format: 1, series: { ...only('petroleum/narrow', period), column: 'volume' }, statement },
    ...{ leaves: [await narrow.prove(0)], root: await root(narrow) },
  })
  const refuted: RefutedDocument[] = [
    {
      name: 'no series of a column that the recipe has, and no leaf',
      document: await ofNarrow(null, 'no_series'),
      link: 'statement',
    },
    {
      name: 'no period of a column that the recipe has, and no leaf',
      document: await ofNarrow('2025', 'no_period'),
      link: 'statement',
    },
    {
      name: 'a leaf whose unit is an empty text',
      document: {
        ...{ format: 1, series: only('petroleum/unit', '2025'), statement: 'value' },
        leaves: [await emptyUnit.prove(0)],
        root: await root(emptyUnit),
      },
      link: 'leaf 0',
    },
    { name: 'no series, before a leaf with more facets', document: await withMore(0, 1), link: 'statement' },
    { name: 'no series, after a leaf with more facets', document: await withMore(1, 2), link: 'statement' },
  ]
  return JSON.parse(JSON.stringify({ documents, others, roots, refuted }))
}

const leafOf = (route: string, changes: Partial<Leaf> = {}): Leaf => ({
  ...{ ...EMPTY, route, value: '1', unit: null },
  ...changes,
})

/** Registers a feed, and attests a value of it. */
export async function attestAs(
  { world }: VerifiedWorld,
  feedId: string,
  feed: Feed,
  value: ReturnType<typeof rootOf>,
) {
  const { owner, packages, call, register } = world
  const refused = [
    await register(owner, feedId, feed),
    await call(owner, packages.AttestationRegistry, 'attest', attestArguments({ feed_id: feedId, ...value })),
  ].find((each) => each !== null)
  if (refused !== undefined) throw new Error(`${feedId}: ${refused}`)
}

/** Proves the root of a dataset. */
export async function rootIn(
  world: VerifiedWorld,
  feedId: string,
  options: { index?: number; attester?: boolean },
): Promise<FeedProof> {
  const client = world.client([0], { verify: 'off' })
  const proof = await client.getFeedProof(feedId, { from: world.genesisHash, ...options })
  if (proof === null) throw new Error(`${feedId} has no such value`)
  return proof
}

/** What differs from the feed of a dataset, or from the attestation of its root. */
const wrongRoots: Record<string, Partial<Feed> | Partial<ReturnType<typeof rootOf>>> = {
  unit: { unit: 'value' },
  decimals: { decimals: 1 },
  source: { source: 'eia' },
  route: { route: 'petroleum/wrong' },
  frequency: { frequency: 'Weekly' },
  'no recipe': { description: 'Root of a dataset.' },
  'recipe in the middle': { description: 'eia-dataset:1;value;all;product,series\nRoot of a dataset.' },
  'recipe before an empty line': { description: 'eia-dataset:1;value;all;product,series\n' },
  'version of the recipe': { description: 'eia-dataset:2;value;all;product,series' },
  'another column': { description: 'eia-dataset:1;values;all;product,series' },
  'facets that are not sorted': { description: 'eia-dataset:1;value;all;series,product' },
  'a facet twice': { description: 'eia-dataset:1;value;all;product,series,series' },
  'a facet less': { description: 'eia-dataset:1;value;all;product' },
  'a facet more': { description: 'eia-dataset:1;value;all;process,product,series' },
  'no periods': { description: 'eia-dataset:1;value;0;product,series' },
  'periods with a zero in front': { description: 'eia-dataset:1;value;07;product,series' },
  'no leaf': { amount: 0n },
  'too many leaves': { amount: 2n ** 53n },
  'root in capitals': { source_hash: 'AB'.repeat(32) },
  'root that is too short': { source_hash: 'ab'.repeat(16) },
}

async function createWrongRoots(
  world: VerifiedWorld,
  { manifest }: Snapshot,
): Promise<() => Promise<WrongRoot[]>> {
  const named = Object.entries(wrongRoots).map(([name, changes], index) => {
    const route = `petroleum/wrong/${index}`
    return { name, route, changes, feedId: datasetFeedId(route, DATASET.frequency) }
  })
  for (const { route, changes, feedId } of named) {
    const feed = { ...datasetFeed({ ...manifest, route }), ...changes }
    const { period, amount, source_hash } = { ...rootOf(manifest), ...changes }
    await attestAs(world, feedId, feed, { period, amount, source_hash })
  }
  return () =>
    Promise.all(
      named.map(async ({ name, route, feedId }) => ({ name, route, root: await rootIn(world, feedId, {}) })),
    )
}
