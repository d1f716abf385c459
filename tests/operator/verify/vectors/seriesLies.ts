import { flipLast } from '@wattfeed/testing/flipLast'
import type { SeriesProof } from 'wattfeed'
import type { Change, Path } from './applyChanges.ts'
import { changesBetween } from './changesBetween.ts'
import { from, type Lie, lie, order, remove, set } from './lies.ts'
import type { ProvenDocument } from './provenDocuments.ts'
import type { SeriesDocuments } from './seriesDocuments.ts'

const VALUE = 'value'
const WITHHELD = 'value that is withheld'
const NEWEST = 'newest value'
const LAST = 'newest value, the last of the tree'
const NO_PERIOD = 'no period'
const NO_SERIES = 'no series'
const PAST = 'newest value of a past root'
const LONE = 'the only value of a dataset'

/** The request is given up, so that a lie is found by what it changes. */
const any = { series: undefined }
const ASKED = 'what was asked for'

/** The documents of `others`, and the lies about series that tests tell, with the links that they break. */
export function listSeriesLies({ documents, others, roots, refuted }: SeriesDocuments): Lie[] {
  const find = (name: string): ProvenDocument & { document: SeriesProof } => {
    const found = documents.find((each) => each.name === name)
    if (found === undefined) throw new Error(`no document ${name}`)
    return found as ProvenDocument & { document: SeriesProof }
  }
  const value = find(VALUE)
  const asked = (changes: object) => ({ series: { ...value.document.series, ...changes } })
  return [
    ...others.map(({ name, document, trust: { series } }) =>
      lie(name, VALUE, changesBetween(value.document, document), 'proven', { series }),
    ),
    ...refuted.map(({ name, document, link }) =>
      lie(name, VALUE, changesBetween(value.document, document), link, any),
    ),
    ...requests(asked),
    ...forms(),
    ...wrongDatasets(value.document, roots),
    ...wrongLeaves(value.document),
    ...wrongStatements(find(NEWEST).document),
    ...wrongKeys(),
    ...moreFacets(value.document, others),
    ...wrongRootProofs(value.document),
  ]
}

type Asked = (changes: object) => Lie['trust']

const requests = (asked: Asked): Lie[] => [
  lie('nothing is changed', VALUE, [], 'proven'),
  lie('nothing was requested', VALUE, [], 'proven', any),
  lie(
    'facets in another order',
    VALUE,
    [],
    'proven',
    asked({ facets: { series: 'RWTC', product: 'EPCWTI' } }),
  ),
  lie('another period was requested', VALUE, [], ASKED, asked({ period: '2026-11-20' })),
  lie('the newest was requested', VALUE, [], ASKED, asked({ period: null })),
  lie('another column was requested', VALUE, [], ASKED, asked({ column: 'values' })),
  lie('another route was requested', VALUE, [], ASKED, asked({ route: 'petroleum/pri' })),
  lie('another frequency was requested', VALUE, [], ASKED, asked({ frequency: 'daily' })),
  lie('another facet was requested', VALUE, [], ASKED, asked({ facets: { product: 'EPCWTI', series: 'X' } })),
  lie('a facet less was requested', VALUE, [], ASKED, asked({ facets: { product: 'EPCWTI' } })),
  lie('no product was requested', VALUE, [], ASKED, asked({ facets: { product: null, series: 'RWTC' } })),
  lie('a feed was requested', VALUE, [], ASKED, {
    series: undefined,
    feed_id: 'EIA.DATASET.PETROLEUM.PRI.SPT.WEEKLY',
  }),
  lie('a series and its feed were requested', VALUE, [], ASKED, {
    feed_id: 'EIA.DATASET.PETROLEUM.PRI.SPT.WEEKLY',
  }),
  lie('a newest value was requested', VALUE, [], ASKED, { series: undefined, index: null }),
  lie('a list was requested', VALUE, [], ASKED, { series: undefined, list: 'feeds' }),
  lie(
    'an empty text was requested where there is no product',
    WITHHELD,
    [],
    ASKED,
    asked({ facets: { product: '', series: 'ALL' }, period: '2026-11-06' }),
  ),
  lie(
    'an absence for a requested value',
    VALUE,
    [from(['statement'], NO_PERIOD), from(['leaves'], NO_PERIOD), from(['series'], NO_PERIOD)],
    ASKED,
  ),
  lie('another chain', VALUE, [], 'registries', { chain_name: 'casper' }),
  lie('the requested index', PAST, [], 'proven', { index: 0 }),
  lie('another index was requested', PAST, [], ASKED, { index: 1 }),
  lie('the newest root was requested, and this is a past one', PAST, [], ASKED, { index: null }),
  lie('the newest root was requested', VALUE, [], 'proven', { index: null }),
  lie('an index was requested, and this is the newest', VALUE, [], ASKED, { index: 1 }),
  lie('only an index was requested', PAST, [], ASKED, { series: undefined, index: 0 }),
]

const forms = (): Lie[] => [
  ...[2, '1', null, 0].map((format) =>
    lie(`format ${JSON.stringify(format)}`, VALUE, set(['format'], format), 'unreadable'),
  ),
  lie('no format', VALUE, remove('format'), 'unreadable'),
  lie(
    'an unknown member',
    VALUE,
    [set(['error'], 'x'), set(['series', 'added'], 1), set(['leaves', 0, 'added'], {})],
    'proven',
  ),
  lie(
    'members of other kinds',
    VALUE,
    [set(['absence'], null), set(['feed_ids'], []), set(['values'], [])],
    'proven',
  ),
  ...['values', null, '', ['value'], 'Value'].map((statement) =>
    lie(`statement ${JSON.stringify(statement)}`, VALUE, set(['statement'], statement), 'unreadable'),
  ),
  lie('no statement', VALUE, remove('statement'), 'unreadable'),
  ...['route', 'frequency', 'column', 'facets', 'period'].flatMap((name) => [
    lie(`no ${name}`, VALUE, remove('series', name), 'unreadable'),
    lie(`a number as ${name}`, VALUE, set(['series', name], 1), 'unreadable'),
  ]),
  lie('null as column', VALUE, set(['series', 'column'], null), 'unreadable'),
  lie('a number as facet', VALUE, set(['series', 'facets', 'series'], 1), 'unreadable'),
  lie('a list of facets', VALUE, set(['series', 'facets'], []), 'unreadable'),
  lie('null as series', VALUE, set(['series'], null), 'unreadable'),
  lie('null as leaves', VALUE, set(['leaves'], null), 'unreadable'),
  ...[-1, 0.5, '5', null, 2 ** 53].map((index) =>
    lie(`index ${JSON.stringify(index)} of a leaf`, VALUE, set(['leaves', 0, 'index'], index), 'unreadable'),
  ),
  lie('an object as leaf', VALUE, set(['leaves', 0, 'leaf'], {}), 'unreadable'),
  lie('a text as path', VALUE, set(['leaves', 0, 'path'], ''), 'unreadable'),
  lie('a number in a path', VALUE, set(['leaves', 0, 'path', 1], 1), 'unreadable'),
  lie('null as root', VALUE, set(['root'], null), 'unreadable'),
  lie('a root of format 1', VALUE, remove('root', 'format'), 'unreadable'),
  lie('a root without its count', VALUE, remove('root', 'count'), 'unreadable'),
  lie('a root that is a series', VALUE, from(['root'], NEWEST, []), 'unreadable'),
]

function wrongDatasets({ root }: SeriesProof, roots: SeriesDocuments['roots']): Lie[] {
  const series = (name: string, changes: readonly Change[]) => lie(name, VALUE, changes, 'dataset', any)
  return [
    ...roots.map((wrong) =>
      series(`a feed with the wrong ${wrong.name}`, [
        set(['series', 'route'], wrong.route),
        ...changesBetween(root, wrong.root, ['root']),
      ]),
    ),
    series('another column', [set(['series', 'column'], 'values')]),
    series('another route', [set(['series', 'route'], 'petroleum/pri')]),
    series('another frequency', [set(['series', 'frequency'], 'daily')]),
    series('a route in capitals', [set(['series', 'route'], 'PETROLEUM/PRI/SPT')]),
    series('a frequency in capitals', [set(['series', 'frequency'], 'WEEKLY')]),
    series('a route with points', [set(['series', 'route'], 'petroleum.pri.spt')]),
    series('a facet less', [remove('series', 'facets', 'product')]),
    series('a facet more', [set(['series', 'facets', 'process'], null)]),
    series('no facets', [set(['series', 'facets'], {})]),
    series('a facet of another name', [
      remove('series', 'facets', 'product'),
      set(['series', 'facets', 'products'], 'EPCWTI'),
    ]),
    series('the root of another dataset', [from(['root'], LONE)]),
  ]
}

function wrongLeaves({ leaves }: SeriesProof): Lie[] {
  const [first] = leaves
  if (first === undefined) throw new Error('it has a leaf')
  const { leaf, path, index } = first
  const at: Path = ['leaves', 0]
  const link = `leaf ${index}`
  const text = (name: string, changed: string) => lie(name, VALUE, set([...at, 'leaf'], changed), link)
  const hashes = (name: string, changed: readonly string[]) =>
    lie(name, VALUE, set([...at, 'path'], changed), link)
  const source = JSON.parse(leaf)
  const {
    column,
    source: { route, frequency, facets, period, value, unit },
  } = source
  return [
    ...[0, 1, 4, 6].map((other) =>
      lie(`at index ${other}`, VALUE, set([...at, 'index'], other), `leaf ${other}`),
    ),
    ...[7, 8, 13, 2 ** 53 - 1].map((other) =>
      lie(`past the end, at ${other}`, VALUE, set([...at, 'index'], other), `leaf ${other}`),
    ),
    hashes('no path', []),
    hashes('a path without its first hash', path.slice(1)),
    hashes('a path without its last hash', path.slice(0, -1)),
    hashes('a path with a hash too many', [...path, 'ab'.repeat(32)]),
    hashes('a path in reverse', path.toReversed()),
    hashes(
      'a path in capitals',
      path.map((hash) => hash.toUpperCase()),
    ),
    hashes('a path with a changed hash', path.with(0, flipLast(path[0] ?? ''))),
    hashes('a path with a hash that is too short', path.with(0, (path[0] ?? '').slice(2))),
    hashes('a path with no hex', path.with(0, 'x'.repeat(64))),
    text('another value', leaf.replace('"60.5"', '"60.6"')),
    text('the same value as a number', leaf.replace('"60.5"', '60.5')),
    text('an empty text as unit', leaf.replace('"$/BBL"', '""')),
    text('a space', leaf.replace(':', ': ')),
    text('a line feed at the end', `${leaf}\n`),
    text('a byte order mark', `\ufeff${leaf}`),
    text('an escape that is not needed', leaf.replace('/', '\\/')),
    text('another escape', leaf.replace('/', '\\u002f')),
    text(
      'facets in another order',
      JSON.stringify({
        column,
        source: { route, frequency, facets: facets.toReversed(), period, value, unit },
      }),
    ),
    text(
      'a facet twice',
      JSON.stringify({
        column,
        source: { route, frequency, facets: [facets[0], ...facets], period, value, unit },
      }),
    ),
    text('members in another order', JSON.stringify({ source: source.source, column })),
    text('a member too many', JSON.stringify({ ...source, added: null })),
    text('a member twice', leaf.replace('{"column":"value"', '{"column":"value","column":"value"')),
    text('no column', JSON.stringify({ source: source.source })),
    text('no JSON', leaf.slice(1)),
    text('an empty text', ''),
    text('more than 4,096 bytes', leaf.replace('60.5', '6'.repeat(4_096))),
    text('a lone surrogate', leaf.replace('60.5', '\ud800')),
    text('U+0000 in a facet', leaf.replace('EPCWTI', 'EPC\\u0000WTI')),
    lie('the leaf of another', VALUE, from([...at, 'leaf'], LAST), link),
    lie('the path of another', VALUE, from([...at, 'path'], LAST), link),
    lie('the leaf of a past root', VALUE, from(['leaves'], PAST), 'leaf 4'),
    lie('a wrong second leaf', NEWEST, set(['leaves', 1, 'index'], 5), 'leaf 5'),
    lie('a root that is not of the leaves', PAST, from(['root'], VALUE), 'leaf 4', any),
  ]
}

function wrongStatements({ series }: SeriesProof): Lie[] {
  const wrong = (name: string, document: string, changes: Change | readonly Change[]) =>
    lie(name, document, changes, 'statement', any)
  const statement = (name: string): Change => set(['statement'], name)
  return [
    wrong('a value as the newest', VALUE, statement('newest')),
    wrong('a value as the newest, of any period', VALUE, [
      statement('newest'),
      set(['series', 'period'], null),
    ]),
    wrong('a value as no period', VALUE, statement('no_period')),
    wrong('a value as no series', VALUE, statement('no_series')),
    wrong('a value, and no period is requested', VALUE, set(['series', 'period'], null)),
    wrong('the newest, and its period is requested', NEWEST, set(['series', 'period'], '2026-11-20')),
    lie(
      'facets of the series in another order',
      VALUE,
      set(['series', 'facets'], { series: 'RWTC', product: 'EPCWTI' }),
      'proven',
      any,
    ),
    wrong('the newest as a value', NEWEST, statement('value')),
    wrong('the newest as a value of its period', NEWEST, [
      statement('value'),
      set(['series', 'period'], '2026-11-20'),
    ]),
    wrong('the newest as no series', NEWEST, statement('no_series')),
    wrong('the newest as no period', NEWEST, statement('no_period')),
    wrong('the newest as no period of its own', NEWEST, [
      statement('no_period'),
      set(['series', 'period'], '2026-11-20'),
    ]),
    wrong('the newest without the leaf after it', NEWEST, order(['leaves'], 0)),
    wrong('the newest without its leaf', NEWEST, order(['leaves'], 1)),
    wrong('the newest in reverse', NEWEST, order(['leaves'], 1, 0)),
    wrong('the newest, twice its leaf', NEWEST, order(['leaves'], 0, 0)),
    wrong('the newest with three leaves', NEWEST, order(['leaves'], 0, 1, 1)),
    wrong('the newest of a later series', NEWEST, from(['series'], LAST)),
    wrong('an older value as the newest', LAST, [from(['leaves'], VALUE)]),
    wrong('an older value as the newest, with the newest after it', LAST, [
      from(['leaves', 1], LAST, ['leaves', 0]),
      from(['leaves', 0], VALUE),
    ]),
    wrong('no leaves', VALUE, order(['leaves'])),
    wrong('two leaves of a value', VALUE, order(['leaves'], 0, 0)),
    wrong('a value of another period', VALUE, set(['series', 'period'], '2026-11-20')),
    wrong('a value of another series', VALUE, from(['series', 'facets'], NEWEST)),
    wrong('no period, without the first leaf', NO_PERIOD, order(['leaves'], 1)),
    wrong('no period, without the second leaf', NO_PERIOD, order(['leaves'], 0)),
    wrong('no period, in reverse', NO_PERIOD, order(['leaves'], 1, 0)),
    wrong('no period, before both leaves', NO_PERIOD, set(['series', 'period'], '2026-10-23')),
    wrong('no period, which is that of the first leaf', NO_PERIOD, set(['series', 'period'], '2026-10-30')),
    wrong('no period, which is that of the second leaf', NO_PERIOD, set(['series', 'period'], '2026-11-13')),
    wrong('no period, after both leaves', NO_PERIOD, set(['series', 'period'], '2026-11-14')),
    wrong('no period, and none is requested', NO_PERIOD, set(['series', 'period'], null)),
    wrong('no period as no series', NO_PERIOD, statement('no_series')),
    wrong('no period as a value', NO_PERIOD, statement('value')),
    wrong('no period, by leaves that are not neighbors', NO_PERIOD, from(['leaves', 1], LAST, ['leaves', 0])),
    lie(
      'no period where the period would be the start of another',
      NO_PERIOD,
      set(['series', 'period'], '2026-11'),
      'proven',
      any,
    ),
    wrong('no series, which is that of the first leaf', NO_SERIES, set(['series', 'facets'], series.facets)),
    wrong('no series, after both leaves', NO_SERIES, set(['series', 'facets', 'series'], 'RWTCA')),
    wrong('no series, before both leaves', NO_SERIES, set(['series', 'facets', 'product'], null)),
    wrong('no series, without the first leaf', NO_SERIES, order(['leaves'], 1)),
    wrong('no series, without the second leaf', NO_SERIES, order(['leaves'], 0)),
    wrong('no series as no period', NO_SERIES, statement('no_period')),
    lie(
      'no series as no period, with one',
      NO_SERIES,
      [statement('no_period'), set(['series', 'period'], '2026')],
      'proven',
      any,
    ),
    wrong('no series, by the first leaf of a series after it', NO_SERIES, from(['leaves'], WITHHELD)),
    lie(
      'no series, by the last leaf of the tree',
      NO_SERIES,
      [from(['leaves'], LAST), set(['series', 'facets', 'series'], 'RWTD')],
      'proven',
      any,
    ),
    wrong('a value of the only leaf, of another period', LONE, [
      statement('value'),
      set(['series', 'period'], '2024'),
    ]),
    lie(
      'no period beside the only leaf',
      LONE,
      [statement('no_period'), set(['series', 'period'], '2024')],
      'proven',
      any,
    ),
    lie(
      'the value of the only leaf',
      LONE,
      [statement('value'), set(['series', 'period'], '2025')],
      'proven',
      any,
    ),
  ]
}

/** Texts that are no elements of a key. */
function wrongKeys(): Lie[] {
  const texts = ['', '\0', 'a\0b', '\ud800']
  const period = (document: string, text: string, expected: string) =>
    lie(
      `period ${JSON.stringify(text)} of ${document}`,
      document,
      set(['series', 'period'], text),
      expected,
      any,
    )
  return [
    ...texts.flatMap((text) => [
      period(VALUE, text, 'statement'),
      period(NO_PERIOD, text, 'statement'),
      period(NO_SERIES, text, 'proven'),
      lie(
        `facet ${JSON.stringify(text)}`,
        NO_SERIES,
        set(['series', 'facets', 'series'], text),
        'statement',
        any,
      ),
    ]),
    lie(
      'an empty text where there is no product',
      WITHHELD,
      set(['series', 'facets', 'product'], ''),
      'statement',
      any,
    ),
  ]
}

/** A leaf with more facets is of another series, although its key starts as those of this one. */
function moreFacets(base: SeriesProof, others: SeriesDocuments['others']): Lie[] {
  const both = others.find(({ name }) => name === 'no period beside a leaf with more facets')
  if (both === undefined) throw new Error('there is no document with more facets')
  const { root, series, leaves } = both.document as SeriesProof
  const [first, more] = leaves
  if (first === undefined || more === undefined) throw new Error('it has two leaves')
  const newest = (name: string, shown: readonly (typeof first)[], expected: string) => {
    const document = {
      ...base,
      root,
      series: { ...series, period: null },
      statement: 'newest',
      leaves: shown,
    }
    return lie(name, VALUE, changesBetween(base, document), expected, any)
  }
  return [
    newest('a leaf with more facets as the newest', [more], 'statement'),
    newest('the newest before a leaf with more facets', [first, more], 'statement'),
    newest('the newest that is not the last leaf', [first], 'statement'),
  ]
}

const wrongRootProofs = ({ root }: SeriesProof): Lie[] => [
  lie('another trusted block', VALUE, [], 'trusted block', { trusted_block_hash: 'ab'.repeat(32) }),
  lie('another amount', VALUE, set(['root', 'reading', 'amount'], '8'), 'reading'),
  lie('another root', VALUE, from(['root', 'reading', 'source_hash'], PAST), 'reading'),
  lie(
    'a past root as the newest',
    PAST,
    remove('root', 'index'),
    `AttestationRegistry latest[${root.reading.feed_id}]`,
  ),
  lie(
    'no signatures',
    VALUE,
    set(['root', 'block', 'proofs'], []),
    `finality signatures of block ${Object(root.block.header).height}`,
  ),
  lie('an item too many', VALUE, order(['root', 'items'], 0, 1, 2, 3, 4, 5, 6, 6), 'reading'),
  lie('an attester that is not proven', VALUE, set(['root', 'attester'], null), 'proven'),
  lie('older than it may be', VALUE, [], 'age', { max_age_ms: 1, now: Date.UTC(2026, 11, 31) }),
]
