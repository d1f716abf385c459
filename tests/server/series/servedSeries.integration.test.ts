import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { datasetFeedId, filesBelow } from '@wattfeed/dataset'
import { folderFiles } from '@wattfeed/dataset/disk'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import type { AnyElysia } from 'elysia'
import { datasetFeed, rootOf, type WrittenSnapshot, writeSnapshot } from 'wattfeed/testing/datasetSnapshot'
import { trustIn } from 'wattfeed/testing/provenFeed'
import { createVerifiedWorld, type VerifiedWorld } from 'wattfeed/testing/verifiedWorld'
import { attestArguments } from '../../../packages/wattfeed/src/registry/calls.ts'
import { getSeries } from '../../../packages/wattfeed/src/series/getSeries.ts'
import { getSeriesRange } from '../../../packages/wattfeed/src/series/getSeriesRange.ts'
import type { SeriesHistoryBody } from '../../../src/api/schemas.ts'
import { runVerify } from '../../../src/operator/verify/runVerify.ts'
import { appOf, createTestApp } from '../testApp.ts'
import { inventLeaves, ROUTE } from './inventedDataset.ts'

const PRODUCTS = [null, 'EPCBRENT', 'EPCWTI'] as const
const FEED = datasetFeedId(ROUTE, 'weekly')

let world: VerifiedWorld
let folder: Folder
let app: AnyElysia
let snapshots: WrittenSnapshot[]

beforeAll(async () => {
  world = await createVerifiedWorld({ nodes: 1 })
  folder = createFolder()
  snapshots = []
  for (const weeks of [2, 3]) {
    const snapshot = await writeSnapshot(join(folder.path, FEED.toLowerCase()), inventLeaves(PRODUCTS, weeks))
    const { owner, register, call, packages } = world.world
    const value = { feed_id: FEED, ...rootOf(snapshot.manifest) }
    for (const refused of [
      await register(owner, FEED, datasetFeed(snapshot.manifest)),
      await call(owner, packages.AttestationRegistry, 'attest', attestArguments(value)),
    ])
      if (refused !== null) throw new Error(refused)
    snapshots.push(snapshot)
  }
  app = createTestApp({ client: client(), now: Date.now, datasets: [folderFiles(folder.path)] })
})

afterAll(async () => {
  folder[Symbol.dispose]()
  await world[Symbol.asyncDispose]()
})

const client = () => world.client([0])

const pathOf = (parameters: Readonly<Record<string, string>>, path = 'proof'): string =>
  `http://localhost/v1/series/${path}?${new URLSearchParams({
    ...{ route: ROUTE, frequency: 'weekly', column: 'value', 'facet.area': 'NUS' },
    ...parameters,
  })}`

/** The last line of `verify`, and its exit code. */
async function verify(source: string, fetch = (url: string) => app.handle(new Request(url)), json = false) {
  const outcome = await runVerify({ source, trust: trustIn(world), json, download: { fetch } })
  return [outcome.exitCode, json ? JSON.parse(outcome.text) : outcome.text.split('\n').at(-1)] as const
}

const BRENT = `${ROUTE} weekly value area=NUS product=EPCBRENT`

describe('a table', () => {
  const table = `/v1/series/table?${new URLSearchParams({ route: ROUTE, frequency: 'weekly', limit: '4', sort: '-period' })}`
  const read = async (path: string) => {
    const response = await app.handle(new Request(`http://localhost${path}`))
    return { status: response.status, body: Object(await response.json()) }
  }

  test('default: each of its rows has a proof, and its pages are of one root', async () => {
    let path: string | null = table
    const lines: string[] = []
    while (path !== null) {
      const { body } = await read(path)
      expect([body.root, body.total, body.complete]).toEqual([snapshots[1]?.manifest.root, 9, true])
      for (const { column, facets, period, value } of body.rows) {
        const filled = body.row_proof
          .replace('{column}', column)
          .replace('{period}', period)
          .replace('{facet.area}', facets.area)
          .replace('{facet.product}', facets.product ?? '')
        const [exitCode, line] = await verify(`http://localhost${filled}`)
        const of = `${ROUTE} weekly value area=NUS product=${facets.product ?? ''} ${period}`
        expect([exitCode, line]).toEqual([
          0,
          expect.stringContaining(`proven: ${of} = ${value ?? 'withheld'} `),
        ])
        lines.push(of)
      }
      path = body.next
    }
    expect(new Set(lines).size).toBe(9)
  })

  test('error: a cursor of an attestation that is not on this chain', async () => {
    const { body } = await read(table)
    const past = await read(body.next.replace('cursor=1', 'cursor=2'))
    expect([past.status, past.body.error]).toEqual([400, expect.stringContaining('has 2 roots')])
    expect((await read(body.next.replace('cursor=1', 'cursor=0'))).status).toBe(400)
  })
})

describe('verify with the address of a proof', () => {
  test('default: by the root with an index; a time is refused, because no proof shows it', async () => {
    const asked = { 'facet.product': 'EPCBRENT', period: '2026-01-02' }
    expect(await verify(pathOf({ ...asked, index: '0' }))).toEqual([
      0,
      expect.stringMatching(/^proven: .* 2026-01-02 = withheld .*, root 0\)$/),
    ])
    const [exitCode, line] = await verify(pathOf({ ...asked, as_of: '2030-01-01' }))
    expect([exitCode, line]).toEqual([2, expect.stringContaining('has an "as_of", which no proof shows')])
  })

  test.each([
    [{ 'facet.product': 'EPCBRENT' }, `proven: ${BRENT} newest 2026-01-16 = 1.20 $/BBL (leaf 5 of 9)`],
    [
      { 'facet.product': 'EPCBRENT', period: '2026-01-09' },
      `proven: ${BRENT} 2026-01-09 = 1.10 $/BBL (leaf 4 of 9)`,
    ],
    [
      { 'facet.product': '', period: '2026-01-02' },
      `proven: ${ROUTE} weekly value area=NUS product= 2026-01-02 = withheld $/BBL (leaf 0 of 9)`,
    ],
    [
      { 'facet.product': 'EPCBRENT', period: '2026-01-10' },
      `proven: ${BRENT} has no value for 2026-01-10 (of 9 values)`,
    ],
    [
      { 'facet.product': 'EPC' },
      `proven: ${ROUTE} weekly value area=NUS product=EPC has no value (of 9 values)`,
    ],
    [
      { 'facet.product': 'EPC', period: '2026-01-09' },
      `proven: ${ROUTE} weekly value area=NUS product=EPC has no value (of 9 values)`,
    ],
  ])('default: %p', async (parameters, line) => {
    expect(await verify(pathOf(parameters))).toEqual([0, line])
  })

  test('default: as JSON', async () => {
    const [exitCode, found] = await verify(pathOf({ 'facet.product': 'EPCBRENT' }), undefined, true)
    expect([exitCode, found]).toEqual([
      0,
      {
        proven: true,
        reading: null,
        series: {
          ...{ route: ROUTE, frequency: 'weekly', column: 'value' },
          facets: { area: 'NUS', product: 'EPCBRENT' },
          ...{ statement: 'newest', period: '2026-01-16', value: '1.20', unit: '$/BBL', leaf_index: 5 },
          ...{ feed_id: FEED, root: snapshots[1]?.manifest.root, size: 9, index: null },
          ...{ attested_at: expect.any(Number), block_height: expect.any(Number) },
        },
        links: expect.any(Array),
      },
    ])
  })

  test.each([
    ['another product', { 'facet.product': 'EPCWTI' }],
    ['no product', { 'facet.product': '' }],
    ['another period', { 'facet.product': 'EPCBRENT', period: '2026-01-09' }],
    ['an absence', { 'facet.product': 'EPC' }],
  ])('error: a server that answers for %s', async (_, parameters) => {
    const lie = () => app.handle(new Request(`${pathOf(parameters)}&from=${world.genesisHash}`))
    expect(await verify(pathOf({ 'facet.product': 'EPCBRENT' }), lie)).toEqual([
      1,
      'refuted: what was asked for does not hold',
    ])
  })

  test.each([
    [{}, `${BRENT} has 3 values (of 9)`],
    [{ period_from: '2026-01-09' }, `${BRENT} from 2026-01-09 has 2 values (of 9)`],
    [{ order: 'desc', limit: '1' }, `${BRENT}, the newest 1 has 1 value (of 9)`],
    [{ period_to: '2026-01-09', index: '0' }, `${BRENT} to 2026-01-09 has 2 values (of 6, root 0)`],
    [
      { period_from: '2026-01-03', period_to: '2026-01-08' },
      `${BRENT} from 2026-01-03 to 2026-01-08 has no value (of 9)`,
    ],
  ])('default: a range: %p', async (parameters, line) => {
    const source = pathOf({ 'facet.product': 'EPCBRENT', ...parameters }, 'history/proof')
    expect(await verify(source)).toEqual([0, `proven: ${line}`])
  })

  test('default: the proofs of the pages of a range', async () => {
    const lines: unknown[] = []
    let next: string | null = pathOf({ 'facet.product': 'EPCBRENT', order: 'desc', limit: '2' }, 'history')
    while (next !== null) {
      const response: Response = await app.handle(new Request(new URL(next, 'http://localhost')))
      const page: SeriesHistoryBody = await response.json()
      lines.push(await verify(`http://localhost${page.proof}`))
      next = page.next
    }
    expect(lines).toEqual([
      [0, `proven: ${BRENT}, the newest 2 has 2 values (of 9, root 1)`],
      [0, `proven: ${BRENT} to 2026-01-02, the newest 2 has 1 value (of 9, root 1)`],
    ])
  })

  test.each([
    ['another bound', { period_from: '2026-01-09' }],
    ['another product', { 'facet.product': 'EPCWTI' }],
    ['another root', { index: '0' }],
    ['a part', { limit: '2' }],
  ])('error: a server that answers for %s of a range', async (_, parameters) => {
    const asked = { 'facet.product': 'EPCBRENT', index: '1' }
    const lie = () =>
      app.handle(
        new Request(`${pathOf({ ...asked, ...parameters }, 'history/proof')}&from=${world.genesisHash}`),
      )
    expect(await verify(pathOf(asked, 'history/proof'), lie)).toEqual([
      1,
      'refuted: what was asked for does not hold',
    ])
  })

  test('error: an address without facets, and a server without datasets', async () => {
    const [exitCode, line] = await verify(pathOf({}))
    expect([exitCode, line]).toEqual([2, expect.stringContaining('missing facets: product')])
    const off = appOf(client())
    expect(await verify(pathOf({ 'facet.product': '' }), (url) => off.handle(new Request(url)))).toEqual([
      2,
      expect.stringContaining('set DATASETS'),
    ])
  })
})

describe('getSeriesRange', () => {
  const series = {
    ...{ route: ROUTE, frequency: 'weekly', column: 'value' },
    facets: { area: 'NUS', product: 'EPCBRENT' },
  }
  const files = () => filesBelow(folderFiles(folder.path), FEED.toLowerCase())
  const read = (changes: Partial<Parameters<typeof getSeriesRange>[1]> = {}) =>
    getSeriesRange(client(), { ...series, ...changes }, { files: files() })

  test('default: all values, oldest first, by the newest root', async () => {
    expect(await read()).toEqual({
      ...{ feed_id: FEED, size: 9, root: snapshots[1]?.manifest.root ?? '', index: 1, is_newest_root: true },
      ...{ attested_at: expect.any(Number), covers_from: '2026-01-02', next: null },
      items: [
        { period: '2026-01-02', value: null, unit: '$/BBL' },
        { period: '2026-01-09', value: '1.10', unit: '$/BBL' },
        { period: '2026-01-16', value: '1.20', unit: '$/BBL' },
      ],
    })
  })

  test('behavior: pages in both orders, by one root', async () => {
    for (const order of ['asc', 'desc'] as const) {
      const first = await read({ order, limit: 2, index: 1 })
      const second = first?.next && (await read(first.next))
      const periods = [first, second].flatMap((page) => page?.items.map(({ period }) => period) ?? [])
      const expected = ['2026-01-02', '2026-01-09', '2026-01-16']
      expect([periods, second?.index, second?.next]).toEqual([
        order === 'asc' ? expected : expected.toReversed(),
        1,
        null,
      ])
    }
  })

  test('behavior: no items, and a dataset that is not registered', async () => {
    expect((await read({ period_from: '2026-01-03', period_to: '2026-01-08' }))?.items).toEqual([])
    expect(await read({ route: 'coal/nothing' })).toBeNull()
  })

  test.each([
    [{ limit: 0 }, 'invalid_argument', 'limit'],
    [{ limit: 5_001 }, 'invalid_argument', 'limit'],
    [{ order: 'newest' as never }, 'invalid_argument', 'order'],
    [{ index: -1 }, 'invalid_argument', 'index'],
    [{ periods: 1 } as never, 'invalid_argument', 'periods'],
    [{ index: 2 }, 'series_query', 'index: EIA.DATASET.PETROLEUM.PRI.SPT.WEEKLY has 2 roots'],
    [{ period_from: '2026' }, 'series_query', 'period_from: a weekly period'],
    [{ period_from: '2026-01-09', period_to: '2026-01-02' }, 'series_query', 'period_to: it is before'],
    [{ facets: {} }, 'series_query', 'missing facets'],
  ])('error: %j', async (changes, code, words) => {
    await expect(read(changes)).rejects.toMatchObject({ code, message: expect.stringContaining(words) })
  })

  test('error: the snapshot of the index is gone', async () => {
    const empty = { read: async () => null }
    await expect(getSeriesRange(client(), { ...series, index: 0 }, { files: empty })).rejects.toMatchObject({
      ...{ code: 'snapshot_gone', retryable: false, index: 0, root: snapshots[0]?.manifest.root },
    })
    await expect(getSeriesRange(client(), series, { files: empty })).rejects.toMatchObject({
      code: 'snapshot_missing',
    })
  })
})

describe('getSeries', () => {
  const series = {
    ...{ route: ROUTE, frequency: 'weekly', column: 'value' },
    facets: { area: 'NUS', product: 'EPCBRENT' },
  }
  const places = () => filesBelow(folderFiles(folder.path), FEED.toLowerCase())

  test('behavior: the root that was the newest at a time, or that has an index', async () => {
    const files = places()
    const [first] = await client().getValueHistory(FEED)
    const read = (changes: object) => getSeries(client(), { ...series, ...changes }, { files })
    const expected = { root_index: 0, root: snapshots[0]?.manifest.root ?? '', is_newest_root: false }
    const { timestamp = 0 } = first ?? {}
    for (const changes of [{ as_of: timestamp }, { index: 0 }])
      expect(await read(changes)).toMatchObject(expected)
    await expect(read({ as_of: timestamp - 1 })).rejects.toMatchObject({ code: 'root_not_found' })
    await expect(read({ as_of: 2026 })).rejects.toMatchObject({ code: 'invalid_argument' })
    await expect(read({ as_of: timestamp, index: 0 })).rejects.toMatchObject({ code: 'invalid_argument' })
    const page = await getSeriesRange(client(), { ...series, as_of: timestamp, limit: 1 }, { files })
    expect([page?.index, page?.next]).toEqual([
      0,
      page?.next === null ? null : expect.objectContaining({ index: 0 }),
    ])
  })

  test('default: reads the root from the chain and the value from files or a web server', async () => {
    const expected = {
      ...{ feed_id: FEED, period: '2026-01-16', value: '1.20', unit: '$/BBL', statement: 'newest', index: 5 },
      ...{ size: 9, root: snapshots[1]?.manifest.root, attested_at: expect.any(Number), unknown_code: null },
      ...{ root_index: 1, covers_from: '2026-01-02', is_newest_root: true },
    }
    expect(await getSeries(client(), series, { files: places() })).toEqual(expected as never)
    await using server = Bun.serve({
      port: 0,
      fetch: async ({ url }) => {
        const file = Bun.file(join(folder.path, FEED.toLowerCase(), new URL(url).pathname))
        return (await file.exists()) ? new Response(file) : new Response(null, { status: 404 })
      },
    })
    expect(await getSeries(client(), series, { files: String(server.url) })).toEqual(expected as never)
  })

  test('behavior: an absence, and a dataset that is not registered', async () => {
    const files = places()
    expect(await getSeries(client(), { ...series, period: '2026-01-10' }, { files })).toMatchObject({
      ...{ statement: 'no_period', period: null, value: null, unit: null, index: null },
    })
    expect(await getSeries(client(), { ...series, route: 'coal/nothing' }, { files })).toBeNull()
  })

  test('error: a facet is missing, and files that are wrong', async () => {
    const read = async () => new TextEncoder().encode('{}')
    await expect(getSeries(client(), { ...series, facets: {} }, { files: places() })).rejects.toMatchObject({
      code: 'series_query',
      message: `missing facets: area, product; the facets of ${ROUTE} are area, product`,
    })
    // Another spelling finds the feed, whose id is in capitals.
    for (const [changes, words] of [
      [{ frequency: 'Weekly' }, `frequency: the frequencies of ${ROUTE} are weekly`],
      [{ route: ROUTE.toUpperCase() }, `this dataset’s is ${ROUTE}`],
      [{ column: 'Value' }, `column: the columns of ${ROUTE} are value`],
      [{ facets: { Area: 'NUS', product: 'EPCBRENT' } }, 'facets "Area": there is no such facet'],
      [{ period: '20260116' }, 'period: a weekly period must be'],
    ] as const)
      await expect(getSeries(client(), { ...series, ...changes }, { files: places() })).rejects.toMatchObject(
        {
          code: 'series_query',
          message: expect.stringContaining(words),
        },
      )
    await expect(getSeries(client(), series, { files: { read } })).rejects.toMatchObject({ code: 'dataset' })
    await expect(getSeries(client(), series, { files: 'ftp://x' })).rejects.toMatchObject({
      code: 'invalid_argument',
    })
  })

  test('error: the snapshot of the newest root is missing; the root before answers with values, but no absence', async () => {
    rmSync(snapshots[1]?.folder ?? '', { recursive: true })
    expect(await getSeries(client(), series, { files: places() })).toMatchObject({
      ...{ period: '2026-01-09', value: '1.10', is_newest_root: false },
      root: snapshots[0]?.manifest.root,
    })
    const later = { ...series, period: '2026-02-20' }
    await expect(getSeries(client(), later, { files: places() })).rejects.toMatchObject({
      code: 'snapshot_missing',
      retryable: true,
      root: snapshots[1]?.manifest.root,
    })
    // A snapshot of the client reads all at one state root, too.
    const at = await client().snapshot()
    expect((await getSeries(at, series, { files: places() }))?.is_newest_root).toBe(false)
    // What the server has already checked stays right, so this asks a new one.
    app = createTestApp({ client: client(), now: Date.now, datasets: [folderFiles(folder.path)] })
    expect(await verify(pathOf({ 'facet.product': 'EPCBRENT' }))).toEqual([
      0,
      `proven: ${BRENT} newest 2026-01-09 = 1.10 $/BBL (leaf 3 of 6, root 0)`,
    ])
    expect(await verify(pathOf({ 'facet.product': 'EPCBRENT', period: '2026-02-20' }))).toEqual([
      0,
      `proven: ${BRENT} has no value for 2026-02-20 (of 6 values, root 0)`,
    ])
  })
})
