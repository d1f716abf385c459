import { afterEach, describe, expect, spyOn, test } from 'bun:test'
import type { SeriesQuery } from '@wattfeed/dataset'
import { findDataset } from '@wattfeed/eia/catalog'
import { anyCharacter } from '@wattfeed/testing/anyCharacter'
import fc from 'fast-check'
import { readDocuments, type VectorDocument } from '../../../scripts/proofMutants/verdictLines.ts'
import type { SeriesBody } from '../../../src/api/schemas.ts'
import { seriesProofUrl } from '../../../src/web/cite/addresses.ts'
import { choiceOf } from '../../../src/web/explorer/pages/datasets/choice.ts'
import { chosenSeries } from '../../../src/web/explorer/pages/datasets/chosenSeries.ts'
import { checkOf, runCheck, seriesPadlockOf } from '../../../src/web/explorer/proof/checks.ts'
import { setTrust } from '../../../src/web/explorer/proof/trust.ts'

const ROUTE = 'petroleum/pri/spt'

describe('the chosen series', () => {
  const dataset = findDataset(ROUTE)
  if (dataset === null) throw new Error(`no dataset ${ROUTE}`)
  const recipe = { columns: ['value'], periods: null, facets: ['product', 'series'] }

  test.each([
    ['', {}, { missing: ['product', 'series'] }],
    ['facet.series=RWTC&facet.duoarea=NUS', {}, { missing: ['product'] }],
    ['', { columns: ['price', 'sales'] }, { columns: ['price', 'sales'] }],
    [
      'facet.series=RWTC&facet.product=EPC&facet.duoarea=NUS&frequency=weekly&period=2026-11-20',
      {},
      {
        query: {
          ...{ route: ROUTE, frequency: 'weekly', column: 'value', period: '2026-11-20' },
          facets: { product: 'EPC', series: 'RWTC' },
        },
      },
    ],
    // Rows of the series have no product.
    [
      'facet.series=RWTC&facet.product=&frequency=daily',
      {},
      {
        query: {
          ...{ route: ROUTE, frequency: 'daily', column: 'value', period: null },
          facets: { product: null, series: 'RWTC' },
        },
      },
    ],
    // What is there twice is not chosen.
    ['facet.series=RWTC&facet.product=EPC&facet.product=EPC', {}, { missing: ['product'] }],
    ['facet.series=RWTC&facet.product=&facet.product=EPC', {}, { missing: ['product'] }],
    // The facets on chain count, not those of the catalog.
    ['facet.series=RWTC', { facets: ['new', 'series'] }, { missing: ['new'] }],
  ])('default: ?%s of %j', (query, changes, chosen) => {
    const choice = choiceOf(dataset, new URLSearchParams(query))
    expect(chosenSeries(ROUTE, choice, { ...recipe, ...changes })).toEqual(chosen)
  })
})

test('default: the address of a proof names exactly the series, with any texts', () => {
  const text = fc.string({ unit: anyCharacter, minLength: 1 })
  const id = fc.stringMatching(/^[A-Za-z0-9_-]+$/)
  const facets = fc.dictionary(id, fc.option(text))
  const query = fc.record({ route: text, frequency: text, column: text, facets, period: fc.option(text) })
  fc.assert(
    fc.property(query, (query: SeriesQuery) => {
      const url = new URL(seriesProofUrl('http://localhost:4030', query))
      const pairs = [...url.searchParams]
      const named = Object.entries(query.facets).map(([facet, value]) => [`facet.${facet}`, value ?? ''])
      expect([url.pathname, pairs]).toEqual([
        '/v1/series/proof',
        [
          ['route', query.route],
          ['frequency', query.frequency],
          ['column', query.column],
          ...named,
          ...(query.period === null ? [] : [['period', query.period]]),
        ] as [string, string][],
      ])
      // No shell and no program takes a part of it for something else.
      expect(url.href).toMatch(/^[\w:/.?&=%-]+$/)
    }),
  )
})

describe('the padlock of a series', () => {
  const vectors = new Map<string, VectorDocument>()
  afterEach(() => setTrust(null))

  /** Checks a proof of the vectors. Returns the query, and what an honest server shows. */
  async function check(name: string, document?: unknown): Promise<{ query: SeriesQuery; shown: SeriesBody }> {
    if (vectors.size === 0) for (const each of await readDocuments('series')) vectors.set(each.name, each)
    const vector = vectors.get(name)
    if (vector === undefined) throw new Error(`no vector ${name}`)
    const { trust } = vector
    const query: SeriesQuery = Object(vector.document).series
    const status = String(Object(vector.document).statement).startsWith('no_') ? 404 : 200
    using _ = spyOn(globalThis, 'fetch').mockImplementation(
      Object.assign(async () => Response.json(document ?? vector.document, { status }), {
        preconnect: () => {},
      }),
    )
    setTrust({
      blockHash: trust.trusted_block_hash,
      chainName: trust.chain_name,
      feedRegistry: trust.feed_registry_package_hash,
      attestationRegistry: trust.attestation_registry_package_hash,
      checkpoint: null,
    })
    expect(await runCheck(query)).toBeNull()
    const { series } = checkOf(query).check ?? {}
    const { period, value, unit, feed_id, root, size, leaf_index, index, attested_at } = series ?? Object({})
    return {
      query,
      shown: {
        ...query,
        ...{ period, value, unit, feed_id, root, size, leaf_index, attested_at },
        ...{ index: index ?? 1 },
        ...{ period_start: null, period_end: null, is_newest_root: index === null },
        proof: '/v1/series/proof',
      },
    }
  }

  // The vectors are older than any clock, and so is their block.
  test.each([
    'value',
    'value that is withheld',
    'newest value',
    'newest value, the last of the tree',
    'newest value of a past root',
    'the only value of a dataset',
  ])('default: it is closed for the %s that is proven', async (name) => {
    const { query, shown } = await check(name)
    expect(seriesPadlockOf(query, shown).state).toBeOneOf(['checked', 'old'])
  })

  test.each([
    ['value', { value: '60.50' }, 'broken'],
    ['value', { value: null }, 'broken'],
    ['value', { unit: null }, 'broken'],
    ['value', { size: 8 }, 'broken'],
    ['newest value', { period: '2026-11-27' }, 'broken'],
    ['newest value', { leaf_index: 0 }, 'broken'],
    ['newest value', { feed_id: 'EIA.DATASET.OTHER' }, 'broken'],
    ['newest value', { root: 'ab'.repeat(32) }, 'unchecked'],
    ['newest value', { attested_at: 1 }, 'unchecked'],
    ['newest value of a past root', { index: 1 }, 'unchecked'],
    // Whether its root is the newest is not proven.
    ['newest value of a past root', { is_newest_root: true }, 'unchecked'],
  ] as const)('error: beside the %s of another %j it is not closed', async (name, lie, state) => {
    const { query, shown } = await check(name)
    expect(seriesPadlockOf(query, { ...shown, ...lie }).state).toBe(state)
  })

  test.each(['no period'])(
    'error: beside a value of which there is proven to be %s, it is broken',
    async (name) => {
      const { query, shown } = await check(name)
      expect(checkOf(query).check?.series?.statement).toBe('no_period')
      expect(seriesPadlockOf(query, { ...shown, period: '2026-11-06', value: '60' }).state).toBe('broken')
    },
  )

  test('error: a valid proof of another series, or of a reading, refutes it', async () => {
    const { query: other } = await check('newest value')
    const { document } = vectors.get('value') ?? {}
    for (const foreign of [document, Object(document).root]) {
      const { query, shown } = await check('newest value', foreign)
      expect(query).toEqual(other)
      expect(checkOf(query).check?.series).toBeNull()
      expect(seriesPadlockOf(query, shown)).toEqual({
        state: 'broken',
        blockTime: null,
        reason: 'what was asked for',
      })
    }
  })

  test('behavior: a feed whose id is that of a series, as text, has no part in its checks', async () => {
    const { query } = await check('value')
    expect(checkOf(query).check).not.toBeNull()
    expect(checkOf(JSON.stringify(query)).check).toBeNull()
  })
})
