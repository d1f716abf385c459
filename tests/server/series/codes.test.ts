import { describe, expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { datasetFeedId, FACETS, type Leaf } from '@wattfeed/dataset'
import { answerOf, ask, createTestApp } from '../testApp.ts'
import { changing, type InventedDataset, inventDataset, inventLeaves, ROUTE } from './inventedDataset.ts'

const PRODUCTS = [null, 'EPCBRENT', 'EPCWTI'] as const

const one = () => inventDataset([inventLeaves(PRODUCTS, 3)])

const appOf = ({ client, place }: Pick<InventedDataset, 'client' | 'place'>) =>
  createTestApp({ client, datasets: [place] })

const pathOf = (parameters: Readonly<Record<string, string>> = {}): string =>
  `/v1/datasets/codes?${new URLSearchParams({ route: ROUTE, frequency: 'weekly', facet: 'product', ...parameters })}`

const seriesPath = (facets: Readonly<Record<string, string>>, path = '/v1/series'): string => {
  const named = Object.entries(facets).map(([id, code]) => [`facet.${id}`, code])
  return `${path}?${new URLSearchParams([['route', ROUTE], ['frequency', 'weekly'], ['column', 'value'], ...named])}`
}

async function failureOf(app: ReturnType<typeof appOf>, path: string) {
  const response = await ask(app, path)
  const { error } = Object(await response.json())
  return [response.status, response.headers.get('x-wattfeed-error'), String(error)] as const
}

/** Replaces a snapshot's list of codes. */
const withFile = (dataset: InventedDataset, text: string): void =>
  writeFileSync(join(dataset.snapshots[0]?.folder ?? '', FACETS), text)

describe('GET /v1/datasets/codes', () => {
  test('default: the codes of a facet, and how many values have each', async () => {
    using dataset = await one()
    const response = await ask(appOf(dataset), pathOf())
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-cache'])
    expect(response.headers.get('x-casper-state-root')).toBeString()
    expect(await response.json()).toEqual({
      ...{ route: ROUTE, frequency: 'weekly', facet: 'product', feed_id: datasetFeedId(ROUTE, 'weekly') },
      ...{ root: dataset.snapshots[0]?.manifest.root, is_newest_root: true, total: 3 },
      codes: PRODUCTS.map((id) => ({ id, name: null, values: 3 })),
    })
  })

  test('behavior: q is a part of a code or its name, in any case', async () => {
    using dataset = await inventDataset([inventLeaves(PRODUCTS, 3)], (_, code) => `Crude ${code.slice(3)}`)
    const app = appOf(dataset)
    const found = async (q: string) => {
      const { body } = await answerOf(app, pathOf({ q }))
      return [body.total, ...body.codes.map(({ id, name }: { id: string; name: string }) => `${id} ${name}`)]
    }
    expect(await found('wti')).toEqual([1, 'EPCWTI Crude WTI'])
    expect(await found('crude b')).toEqual([1, 'EPCBRENT Crude BRENT'])
    expect(await found('x')).toEqual([0])
    expect(await found('')).toEqual([3, 'null null', 'EPCBRENT Crude BRENT', 'EPCWTI Crude WTI'])
  })

  test('behavior: by an earlier root, while the files of the newest are not at hand', async () => {
    using dataset = await inventDataset([inventLeaves(['A'], 1), inventLeaves(['A', 'B'], 2)])
    rmSync(dataset.snapshots[1]?.folder ?? '', { recursive: true })
    const { body } = await answerOf(appOf(dataset), pathOf())
    expect([body.is_newest_root, body.root, body.total]).toEqual([
      false,
      dataset.snapshots[0]?.manifest.root,
      1,
    ])
    rmSync(dataset.snapshots[0]?.folder ?? '', { recursive: true })
    expect((await failureOf(appOf(dataset), pathOf())).slice(0, 2)).toEqual([503, 'snapshot_missing'])
  })

  test.each([
    [{ facet: 'Product' }, 400, 'query', `facet=Product: the facets of ${ROUTE} are area, product`],
    [{ facet: '' }, 400, 'query', 'facet'],
    [{ x: '1' }, 400, 'query', 'allowed: route, frequency, facet, q'],
    [{ route: 'Petroleum/pri/spt' }, 400, 'query', `this dataset’s is ${ROUTE}`],
    [{ frequency: 'Weekly' }, 400, 'query', `the frequencies of ${ROUTE} are weekly`],
    [{ frequency: 'daily' }, 404, 'dataset_not_found', `attested are ${ROUTE} weekly`],
  ])('error: %p', async (changes, status, code, words) => {
    using dataset = await one()
    const failure = await failureOf(appOf(dataset), pathOf(changes as Record<string, string>))
    expect(failure).toEqual([status, code, expect.stringContaining(words)])
  })

  test('error: a server without snapshots', async () => {
    using dataset = await one()
    const app = createTestApp({ client: dataset.client })
    expect((await failureOf(app, pathOf())).slice(0, 2)).toEqual([404, 'datasets_unset'])
  })

  test('error: a snapshot that an older version took has no list, and none of too many codes', async () => {
    using dataset = await one()
    const root = dataset.snapshots[0]?.manifest.root
    const cure = `"feeds facets ${ROUTE} product" lists EIA’s`
    const of = `the snapshot of ${dataset.feedId} with the root ${root} does not list the codes of product`
    const facets = ['area', 'product'].map((id) => ({ id, codes: null }))
    withFile(dataset, JSON.stringify({ kind: 'wattfeed dataset facets', facets }))
    const tooMany = `${of}: there are more than can be listed, or one is too long; ${cure}`
    expect(await failureOf(appOf(dataset), pathOf())).toEqual([404, 'codes_missing', tooMany])
    rmSync(join(dataset.snapshots[0]?.folder ?? '', FACETS))
    const older = `${of}: an older version took it; take it again; ${cure}`
    expect(await failureOf(appOf(dataset), pathOf())).toEqual([404, 'codes_missing', older])
    // Absences are the same without it.
    const absent = await failureOf(appOf(dataset), seriesPath({ area: 'NUS', product: 'x' }))
    expect(absent).toEqual([404, 'series_absent', expect.stringContaining(`"feeds facets ${ROUTE} <facet>"`)])
  })

  test.each([
    ['random bytes', '\0'.repeat(500)],
    ['no codes', '{"kind":"wattfeed dataset facets","facets":[]}'],
    ['a huge file', ' '.repeat(2 ** 22 + 1)],
    ['codes of other leaves', '{"kind":"wattfeed dataset facets","facets":[{"id":"area","codes":[]}]}'],
  ])('error: a list that is wrong, of which no series depends: %s', async (_, text) => {
    using dataset = await one()
    withFile(dataset, text)
    const app = appOf(dataset)
    expect((await failureOf(app, pathOf())).slice(0, 2)).toEqual([502, 'snapshot_fault'])
    expect((await ask(app, seriesPath({ area: 'NUS', product: 'EPCWTI' }))).status).toBe(200)
    for (const path of ['/v1/series', '/v1/series/proof'])
      expect((await failureOf(app, seriesPath({ area: 'NUS', product: 'x' }, path))).slice(0, 2)).toEqual([
        404,
        'series_absent',
      ])
  })

  test('error: a manifest of another root', async () => {
    using dataset = await one()
    const text = (found: Uint8Array) => Buffer.from(found).toString('latin1')
    const place = changing(dataset.place, (path, found) =>
      path.endsWith('manifest.json')
        ? new Uint8Array(Buffer.from(text(found).replace(/"root": "../, '"root": "00'), 'latin1'))
        : found,
    )
    expect((await failureOf(appOf({ ...dataset, place }), pathOf())).slice(0, 2)).toEqual([
      502,
      'snapshot_fault',
    ])
  })

  test('behavior: a whole list is formatted once, also for many requests', async () => {
    using dataset = await one()
    let reads = 0
    const place = changing(dataset.place, (_, found) => {
      reads += 1
      return found
    })
    const app = appOf({ ...dataset, place })
    const first = await answerOf(app, pathOf())
    const before = reads
    expect(await answerOf(app, pathOf())).toEqual(first)
    expect(reads).toBe(before)
  })
})

describe('an absent series', () => {
  const inOrder = (area: string, product: string): Leaf[] =>
    inventLeaves([product], 2).map((leaf) => ({ ...leaf, facets: { area, product } }))
  const two = () => inventDataset([[...inOrder('NUS', 'EPCWTI'), ...inOrder('ZEU', 'EPCBRENT')]])

  test.each([
    [{ area: 'nus', product: 'EPCWTI' }, 'it has no area "nus": did you mean NUS? /v1/datasets/codes lists'],
    [{ area: 'NUS', product: 'Q' }, 'it has no product "Q"; /v1/datasets/codes lists those there are'],
    [
      { area: 'NUS', product: '' },
      'it has no rows without product: facet.product must have a code; /v1/data',
    ],
    [{ area: 'NUS', product: 'EPCBRENT' }, 'it has each of these codes, but not together'],
  ])('error: %p', async (facets, words) => {
    using dataset = await two()
    const app = appOf(dataset)
    for (const path of ['/v1/series', '/v1/series/proof']) {
      const { status, body } = await answerOf(app, seriesPath(facets, path))
      expect([status, body.error]).toEqual([404, expect.stringContaining(words)])
      expect('leaves' in body).toBe(path.endsWith('proof'))
    }
  })

  test('behavior: a list that lies about a code makes another message, and no other statement', async () => {
    using dataset = await two()
    const codes = (...ids: string[]) => ids.map((id) => ({ id, name: null, values: 4 / ids.length }))
    const facets = [
      { id: 'area', codes: codes('NUS', 'ZEU') },
      { id: 'product', codes: codes('EPCBRENT', 'X') },
    ]
    withFile(dataset, JSON.stringify({ kind: 'wattfeed dataset facets', facets }))
    const app = appOf(dataset)
    expect((await answerOf(app, seriesPath({ area: 'NUS', product: 'EPCWTI' }))).status).toBe(200)
    const { status, body } = await answerOf(
      app,
      seriesPath({ area: 'NUS', product: 'X' }, '/v1/series/proof'),
    )
    expect([status, body.statement]).toEqual([404, 'no_series'])
  })
})
