import type { RangeLeaf, SeriesRange } from '@wattfeed/dataset'
import { liesAbout, type RangeTree } from '@wattfeed/dataset/testing/rangeCases'
import type { RangeProof } from 'wattfeed'
import { changesBetween } from './changesBetween.ts'
import { from, type Lie, lie, order, remove, set } from './lies.ts'
import type { ProvenDocument } from './provenDocuments.ts'
import type { RangeDocuments } from './rangeDocuments.ts'

const RANGE = 'range'
const NEWEST = 'the newest three'
const EMPTY = 'an empty range inside of a series'
const ABSENT = 'a series that is not there'
const PAST = 'a past root'
const LONE = 'a tree of one leaf'

/** The request is given up, so that a lie is found by what it changes. */
const any = { range: undefined, index: undefined }
const ASKED = 'what was asked for'

/** The documents of `others`, and the lies about ranges that tests tell, with the links that they break. */
export async function listRangeLies({
  documents,
  others,
  moreFacets,
  trees,
}: RangeDocuments): Promise<Lie[]> {
  const find = (name: string): RangeProof => {
    const found = documents.find((each) => each.name === name)
    if (found === undefined) throw new Error(`no document ${name}`)
    return found.document as RangeProof
  }
  const base = find(RANGE)
  const told = await Promise.all([
    ...[RANGE, NEWEST, EMPTY, ABSENT].map((name) => wrongLeaves(name, find(name), trees.first)),
    wrongLeaves(LONE, find(LONE), trees.lone),
  ])
  return [
    ...others.map((other) => provenOther(base, other)),
    lie(
      'a whole series before a leaf with more facets',
      RANGE,
      changesBetween(base, moreFacets),
      'range',
      any,
    ),
    ...requests(base.range),
    ...forms(),
    ...wrongDatasets(),
    ...told.flat(),
    ...wrongBounds(),
    ...wrongTexts(),
    lie(
      'a past root without its index',
      PAST,
      remove('root', 'index'),
      'AttestationRegistry latest[EIA.DATASET.PETROLEUM.PRI.RANGE.WEEKLY]',
      any,
    ),
    lie('another chain', RANGE, [], 'registries', { chain_name: 'casper' }),
  ]
}

const provenOther = (base: RangeProof, { name, document, trust }: ProvenDocument): Lie =>
  lie(name, RANGE, changesBetween(base, document), 'proven', { range: trust.range })

function requests(range: SeriesRange): Lie[] {
  const asked = (changes: Partial<SeriesRange>): Lie['trust'] => ({ range: { ...range, ...changes } })
  const { period_from, period_to, order: _, limit: __, ...series } = range
  const feed_id = 'EIA.DATASET.PETROLEUM.PRI.RANGE.WEEKLY'
  return [
    lie('nothing is changed', RANGE, [], 'proven'),
    lie('nothing was requested', RANGE, [], 'proven', any),
    lie(
      'facets in another order',
      RANGE,
      [],
      'proven',
      asked({ facets: { series: 'RWTC', product: 'EPCWTI' } }),
    ),
    lie('another order was requested, without a limit', RANGE, [], 'proven', asked({ order: 'desc' })),
    lie('the newest value of the feed was requested', RANGE, [], 'proven', { index: null }),
    lie('the requested index', PAST, [], 'proven', { index: 0 }),
    lie('another index was requested', PAST, [], ASKED, { index: 1 }),
    lie('the newest root was requested, and this is a past one', PAST, [], ASKED, { index: null }),
    lie('an index was requested, and this is the newest', RANGE, [], ASKED, { index: 1 }),
    lie('another first period was requested', RANGE, [], ASKED, asked({ period_from: '2026-10-01' })),
    lie('no first period was requested', RANGE, [], ASKED, asked({ period_from: null })),
    lie('another last period was requested', RANGE, [], ASKED, asked({ period_to: '2026-11-07' })),
    lie('a limit was requested', RANGE, [], ASKED, asked({ limit: 4 })),
    lie('another column was requested', RANGE, [], ASKED, asked({ column: 'values' })),
    lie('another route was requested', RANGE, [], ASKED, asked({ route: 'petroleum/pri' })),
    lie('another frequency was requested', RANGE, [], ASKED, asked({ frequency: 'daily' })),
    lie(
      'another facet was requested',
      RANGE,
      [],
      ASKED,
      asked({ facets: { product: null, series: 'RWTC' } }),
    ),
    lie('a facet less was requested', RANGE, [], ASKED, asked({ facets: { series: 'RWTC' } })),
    lie('a feed was requested', RANGE, [], ASKED, { range: undefined, feed_id }),
    lie('a range and its feed were requested', RANGE, [], ASKED, { feed_id }),
    lie('a list was requested', RANGE, [], ASKED, { range: undefined, list: 'feeds' }),
    lie('a series was requested', RANGE, [], ASKED, {
      range: undefined,
      series: { ...series, period: null },
    }),
    lie('a range and a series were requested', RANGE, [], ASKED, {
      series: { ...series, period: period_from },
    }),
    lie('only an index was requested', PAST, [], ASKED, { range: undefined, index: 0 }),
    lie('the newest three, and the oldest were requested', NEWEST, [], ASKED, {
      range: { ...range, period_from: null, period_to: null, order: 'asc', limit: 3 },
    }),
    lie('the newest three, and four were requested', NEWEST, [], ASKED, {
      range: { ...range, period_from: null, period_to: null, order: 'desc', limit: 4 },
    }),
  ]
}

const unreadable = (name: string, ...changes: Parameters<typeof lie>[2][]): Lie =>
  lie(name, RANGE, changes.flat(), 'unreadable')

const forms = (): Lie[] => [
  ...[2, '1', null, 0].map((format) =>
    unreadable(`format ${JSON.stringify(format)}`, set(['format'], format)),
  ),
  unreadable('no format', remove('format')),
  unreadable('no range', remove('range')),
  unreadable('a statement, which makes it a document about a series', set(['statement'], 'value')),
  unreadable('an absence', set(['absence'], {})),
  unreadable('ids of feeds, which make it a list', set(['feed_ids'], [])),
  unreadable('values, which make it a history', set(['values'], [])),
  lie('unknown members', RANGE, [set(['error'], 'x'), set(['range', 'period'], 1)], 'proven'),
  lie('a reading, which is ignored', RANGE, set(['reading'], {}), 'proven'),
  ...['route', 'frequency', 'column', 'facets', 'period_from', 'period_to', 'order', 'limit'].flatMap(
    (name) => [
      unreadable(`no ${name}`, remove('range', name)),
      unreadable(`an object as ${name}`, set(['range', name], name === 'facets' ? [] : {})),
    ],
  ),
  ...['ASC', '', null, 1].map((each) =>
    unreadable(`order ${JSON.stringify(each)}`, set(['range', 'order'], each)),
  ),
  ...[0, -1, 1.5, '5', 2 ** 53].map((limit) =>
    unreadable(`limit ${JSON.stringify(limit)}`, set(['range', 'limit'], limit)),
  ),
  unreadable('a number as a bound', set(['range', 'period_from'], 20261002)),
  unreadable('a number as facet', set(['range', 'facets', 'series'], 1)),
  ...[-1, 0.5, '5', null, 2 ** 53].map((index) =>
    unreadable(`index ${JSON.stringify(index)}`, set(['index'], index)),
  ),
  ...['index', 'before', 'leaves', 'after', 'hashes', 'root'].map((name) =>
    unreadable(`no ${name}`, remove(name)),
  ),
  ...['before', 'after'].map((name) => unreadable(`an object as ${name}`, set([name], {}))),
  ...['leaves', 'hashes'].map((name) => unreadable(`null as ${name}`, set([name], null))),
  ...[
    [],
    ['2026-10-02'],
    ['2026-10-02', '63.5', '$/BBL', null],
    [null, '63.5'],
    ['2026-10-02', 63.5],
    {},
  ].map((leaf) => unreadable(`the leaf ${JSON.stringify(leaf)}`, set(['leaves', 0], leaf))),
  unreadable('a number among the hashes', set(['hashes', 0], 1)),
  unreadable('a root of format 1', remove('root', 'format')),
  unreadable('a root without its count', remove('root', 'count')),
  unreadable('a root that is a range', from(['root'], NEWEST, [])),
]

function wrongDatasets(): Lie[] {
  const wrong = (name: string, ...changes: Parameters<typeof lie>[2][]) =>
    lie(name, RANGE, changes.flat(), 'dataset', any)
  return [
    wrong('another column', set(['range', 'column'], 'values')),
    wrong('another route', set(['range', 'route'], 'petroleum/pri')),
    wrong('a route in capitals', set(['range', 'route'], 'PETROLEUM/PRI/RANGE')),
    wrong('another frequency', set(['range', 'frequency'], 'daily')),
    wrong('a facet less', remove('range', 'facets', 'product')),
    wrong('a facet more', set(['range', 'facets', 'process'], null)),
    wrong('the root of another dataset', from(['root'], LONE)),
  ]
}

/** Every lie of the dataset's own tests. Where the leaves still lead to the root, the range is refuted, and else the leaves. */
async function wrongLeaves(name: string, document: RangeProof, tree: RangeTree): Promise<Lie[]> {
  const lies = await liesAbout(document, document.range, tree)
  return lies.map(({ name: what, evidence, isRun }) => {
    const expected = evidence.index < 0 ? 'unreadable' : isRun ? 'range' : 'leaves'
    return lie(what, name, changesBetween(document, { ...document, ...evidence }), expected, any)
  })
}

function wrongBounds(): Lie[] {
  const wrong = (name: string, document: string, changes: Partial<SeriesRange>) =>
    lie(
      name,
      document,
      Object.entries(changes).map(([member, value]) => set(['range', member], value)),
      'range',
      any,
    )
  return [
    wrong('a later first period', RANGE, { period_from: '2026-10-03' }),
    wrong('an earlier first period', RANGE, { period_from: '2026-09-25' }),
    wrong('no first period', RANGE, { period_from: null }),
    wrong('a later last period', RANGE, { period_to: '2026-11-13' }),
    wrong('an earlier last period', RANGE, { period_to: '2026-11-05' }),
    wrong('no last period', RANGE, { period_to: null }),
    wrong('a limit below the number of leaves', RANGE, { limit: 3 }),
    wrong('bounds in the wrong order', EMPTY, { period_from: '2026-10-29', period_to: '2026-10-17' }),
    wrong('bounds that enclose a leaf', EMPTY, { period_to: '2026-10-30' }),
    wrong('a whole series', EMPTY, { period_from: null, period_to: null }),
    wrong('the newest three as the oldest', NEWEST, { order: 'asc' }),
    wrong('the newest three as all', NEWEST, { limit: null }),
    wrong('the newest three as the newest four', NEWEST, { limit: 4 }),
    wrong('the newest three as the newest two', NEWEST, { limit: 2 }),
    wrong('an empty text as first period', EMPTY, { period_from: '' }),
    wrong('a zero character in the last period', EMPTY, { period_to: '2026-10-29\0' }),
    wrong('a lone surrogate in the first period', EMPTY, { period_from: '2026-10-17\ud800' }),
  ]
}

/** Texts that no leaf has. */
function wrongTexts(): Lie[] {
  const leaves = (name: string, ...changes: Parameters<typeof lie>[2][]) =>
    lie(name, RANGE, changes.flat(), 'leaves', any)
  const first: RangeLeaf = ['2026-10-02', '63.5', '$/BBL']
  const facet = (name: string, text: string, document: string, link: string) =>
    lie(name, document, set(['range', 'facets', 'series'], text), link, any)
  return [
    lie('a unit that repeats', RANGE, set(['leaves', 1, 2], '$/BBL'), 'proven'),
    leaves('the first without a unit', set(['leaves', 0], first.slice(0, 2))),
    leaves('an empty text as unit', set(['leaves', 0, 2], '')),
    leaves('an empty text as period', set(['leaves', 0, 0], '')),
    leaves('a period with a zero character', set(['leaves', 0, 0], '2026-10-02\0')),
    leaves('a lone surrogate as period', set(['leaves', 0, 0], '\ud800')),
    leaves('a value that is too large', set(['leaves', 0, 1], '1'.repeat(4_096))),
    leaves('leaves in reverse', order(['leaves'], 3, 2, 1, 0)),
    leaves('a space in the leaf before', set(['before'], ' {}')),
    leaves('a lone surrogate in the leaf after', set(['after'], '\ud800')),
    leaves('the hashes of another range', from(['hashes'], NEWEST)),
    leaves('the root of another attestation', from(['root'], PAST)),
    facet('another facet, with leaves', 'RWTD', RANGE, 'leaves'),
    facet('an empty text as facet, with leaves', '', RANGE, 'leaves'),
    facet('an empty text as facet, without leaves', '', ABSENT, 'range'),
    facet('a zero character in a facet, without leaves', 'RBRTE\0', ABSENT, 'range'),
    facet('a lone surrogate in a facet, without leaves', '\ud800', ABSENT, 'range'),
    facet('a series that is there', 'RWTC', ABSENT, 'range'),
  ]
}
