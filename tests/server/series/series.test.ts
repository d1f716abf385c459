// cspell:ignore epcbrnt
import { describe, expect, test } from 'bun:test'
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { SnapshotFiles } from '@wattfeed/dataset'
import fc from 'fast-check'
import { answerOf, ask, createTestApp } from '../testApp.ts'
import { changing, type InventedDataset, inventDataset, inventLeaves, ROUTE } from './inventedDataset.ts'

const PRODUCTS = [null, 'EPCBRENT', 'EPCWTI'] as const

const pathOf = (parameters: Readonly<Record<string, string>> = {}, path = '/v1/series'): string =>
  `${path}?${new URLSearchParams({
    route: ROUTE,
    frequency: 'weekly',
    column: 'value',
    'facet.product': 'EPCWTI',
    'facet.area': 'NUS',
    ...parameters,
  })}`

const appOf = ({ client, place }: InventedDataset, datasets: readonly SnapshotFiles[] = [place]) =>
  createTestApp({ client, datasets })

async function failureOf(dataset: InventedDataset, path: string, datasets?: readonly SnapshotFiles[]) {
  const response = await ask(appOf(dataset, datasets), path)
  const { error } = Object(await response.json())
  return [response.status, response.headers.get('x-wattfeed-error'), String(error)] as const
}

const one = () => inventDataset([inventLeaves(PRODUCTS, 3)])

describe('GET /v1/series', () => {
  test('default: the newest value, by the newest root', async () => {
    using dataset = await one()
    const [snapshot] = dataset.snapshots
    const response = await ask(appOf(dataset), pathOf())
    expect(response.headers.get('etag')).toBeString()
    expect(response.headers.get('cache-control')).toBe('no-cache')
    expect(response.headers.get('x-casper-state-root')).toBeString()
    expect(await response.json()).toEqual({
      route: ROUTE,
      frequency: 'weekly',
      column: 'value',
      facets: { area: 'NUS', product: 'EPCWTI' },
      period: '2026-01-16',
      period_start: '2026-01-10',
      period_end: '2026-01-16',
      value: '2.20',
      unit: '$/BBL',
      feed_id: 'EIA.DATASET.PETROLEUM.PRI.SPT.WEEKLY',
      root: snapshot?.manifest.root,
      size: 9,
      leaf_index: 8,
      attested_at: 1_795_168_726_000,
      index: 0,
      is_newest_root: true,
    })
  })

  test('behavior: a period, a withheld value, and a row without a product', async () => {
    using dataset = await one()
    const found = await answerOf(appOf(dataset), pathOf({ 'facet.product': '', period: '2026-01-02' }))
    expect([
      found.status,
      found.body.value,
      found.body.period,
      found.body.facets,
      found.body.leaf_index,
    ]).toEqual([200, null, '2026-01-02', { area: 'NUS', product: null }, 0])
  })

  test.each([
    [{ route: 'coal/nothing' }, 404, 'dataset_not_found', 'EIA.DATASET.COAL.NOTHING.WEEKLY'],
    [{ frequency: 'daily' }, 404, 'dataset_not_found', 'with the frequency daily'],
    [{ route: 'Petroleum/Pri/Spt' }, 400, 'query', `there is no such route; this dataset’s is ${ROUTE}`],
    [{ route: 'petroleum.pri.spt' }, 400, 'query', `this dataset’s is ${ROUTE}`],
    [{ frequency: 'Weekly' }, 400, 'query', `the frequencies of ${ROUTE} are weekly`],
    [{ route: 'PETROLEUM/PRI/SPT', frequency: 'WEEKLY' }, 400, 'query', `this dataset’s is ${ROUTE}`],
    [{ column: 'Value' }, 400, 'query', `the columns of ${ROUTE} are value`],
    [{ 'facet.Product': 'EPCWTI' }, 400, 'query', `the facets of ${ROUTE} are area, product`],
    [{ column: 'price' }, 400, 'query', `the columns of ${ROUTE} are value`],
    [{ 'facet.series': 'X' }, 400, 'query', `the facets of ${ROUTE} are area, product`],
    [{ 'facet.': 'X' }, 400, 'query', `the facets of ${ROUTE} are area, product`],
    [{ 'facet.product': 'a\0b' }, 400, 'query', 'U+0000'],
    [{ 'facet.product': 'EPC' }, 404, 'series_absent', 'has no value among the 9 values'],
    [
      { 'facet.product': 'EPCWTI ' },
      404,
      'series_absent',
      'it has no product "EPCWTI ": did you mean EPCWTI?',
    ],
    [
      { 'facet.product': 'epcbrnt' },
      404,
      'series_absent',
      'it has no product "epcbrnt": did you mean EPCBRENT?',
    ],
    [
      { 'facet.area': 'X' },
      404,
      'series_absent',
      'it has no area "X"; /v1/datasets/codes lists those there are',
    ],
    [{ period: '2026-01-03' }, 404, 'series_absent', 'has no value for 2026-01-03 among the 9 values'],
    [{ period: '' }, 400, 'query', 'period'],
    [{ period: 'a\0' }, 400, 'query', 'period'],
    [{ period: '20260109' }, 400, 'query', 'a weekly period must be'],
    [{ period: '2026-01' }, 400, 'query', 'a weekly period must be'],
    [{ route: '' }, 400, 'query', 'route'],
    [{ product: 'X' }, 400, 'query', 'allowed: route, frequency, column, period'],
    [{ product: 'X' }, 400, 'query', 'facet.<id>'],
  ] as const)('error: %p', async (changes, status, code, words) => {
    using dataset = await one()
    for (const path of ['/v1/series', '/v1/series/proof'])
      expect(await failureOf(dataset, pathOf(changes, path))).toEqual([
        status,
        code,
        expect.stringContaining(words),
      ])
  })

  test('error: another spelling names every frequency that is attested', async () => {
    using dataset = await one()
    const [reading] = dataset.readings
    if (reading === undefined) throw new Error('no reading')
    const daily = { ...reading, feed_id: reading.feed_id.replace('WEEKLY', 'DAILY'), frequency: 'daily' }
    // Neither is a dataset of the route.
    const others = [
      { ...daily, feed_id: 'OTHER' },
      { ...daily, feed_id: 'MORE', frequency: 'annual' },
    ]
    const client = { ...dataset.client }
    client.withSnapshot = async (read) => {
      const at = await dataset.client.snapshot()
      return read({ ...at, listReadings: async () => [reading, ...others, daily] })
    }
    expect(await failureOf({ ...dataset, client }, pathOf({ frequency: 'WEEKLY' }))).toEqual([
      400,
      'query',
      `frequency=WEEKLY: the frequencies of ${ROUTE} are daily, weekly`,
    ])
  })

  test('error: a feed whose route is another than its id says is a fault of the chain', async () => {
    using dataset = await one()
    const client = { ...dataset.client }
    client.withSnapshot = async (read) => {
      const at = await dataset.client.snapshot()
      const [reading = null] = dataset.readings
      return read({ ...at, getReading: async () => reading && { ...reading, route: 'coal/nothing' } })
    }
    expect(await failureOf({ ...dataset, client }, pathOf())).toEqual([
      502,
      'dataset',
      expect.stringContaining('is of the route coal/nothing'),
    ])
  })

  test('error: facets that are missing are named, with all that the dataset has', async () => {
    using dataset = await one()
    const path = `/v1/series?route=${ROUTE}&frequency=weekly&column=value`
    expect(await failureOf(dataset, path)).toEqual([
      400,
      'query',
      `missing facets: area, product; the facets of ${ROUTE} are area, product; pass each as facet.<id>, empty where EIA’s rows have none`,
    ])
    expect(await failureOf(dataset, `${path}&facet.area=NUS&facet.area=X`)).toEqual([
      400,
      'query',
      expect.stringContaining('pass it only once'),
    ])
  })

  test('error: without DATASETS, whatever the query', async () => {
    using dataset = await one()
    for (const path of [pathOf(), '/v1/series', pathOf({}, '/v1/series/proof')])
      expect(await failureOf(dataset, path, [])).toEqual([
        404,
        'datasets_unset',
        expect.stringContaining('its operator can set DATASETS'),
      ])
  })
})

describe('the newest root whose snapshot is there', () => {
  /** Roots with one more week each, of which only some have a snapshot. */
  async function only(kept: readonly number[], count: number): Promise<InventedDataset> {
    const versions = Array.from({ length: count }, (_, index) => inventLeaves(PRODUCTS, index + 1))
    const dataset = await inventDataset(versions)
    for (const [index, { folder }] of dataset.snapshots.entries())
      if (!kept.includes(index)) rmSync(folder, { recursive: true })
    return dataset
  }

  test('behavior: an earlier one is labelled', async () => {
    using dataset = await only([0, 2], 5)
    const { body } = await answerOf(appOf(dataset), pathOf())
    expect([body.root, body.index, body.is_newest_root, body.size, body.attested_at]).toEqual([
      dataset.snapshots[2]?.manifest.root,
      2,
      false,
      9,
      1_795_168_726_002,
    ])
    const proof = await answerOf(appOf(dataset), pathOf({}, '/v1/series/proof'))
    expect([proof.status, proof.body.root.index, proof.body.root.reading.source_hash]).toEqual([
      200,
      2,
      dataset.snapshots[2]?.manifest.root,
    ])
  })

  test.each([
    ['a new period', { period: '2026-01-30' }, 'no_period'],
    ['a new series', { 'facet.product': 'NEW' }, 'no_series'],
    ['a new series with a period', { 'facet.product': 'NEW', period: '2026-01-02' }, 'no_series'],
  ])('error: an earlier one does not say that there is no value of %s', async (_, asked, statement) => {
    using dataset = await only([0, 2], 5)
    const newest = dataset.snapshots[4]?.manifest.root
    expect(await failureOf(dataset, pathOf(asked))).toEqual([
      503,
      'snapshot_missing',
      expect.stringContaining(`no snapshot of ${dataset.feedId} with the root ${newest}`),
    ])
    expect((await ask(appOf(dataset), pathOf(asked))).headers.get('retry-after')).toMatch(/^\d+$/)
    // A proof names its attestation.
    const { status, body } = await answerOf(appOf(dataset), pathOf(asked, '/v1/series/proof'))
    expect([status, body.statement, body.root.index, body.root.reading.source_hash]).toEqual([
      404,
      statement,
      2,
      dataset.snapshots[2]?.manifest.root,
    ])
  })

  test('behavior: at most 8 roots are looked for', async () => {
    using dataset = await only([2], 10)
    expect((await answerOf(appOf(dataset), pathOf())).body.index).toBe(2)
    using further = await only([1], 10)
    expect(await failureOf(further, pathOf())).toEqual([
      503,
      'snapshot_missing',
      expect.stringContaining(`no snapshot of ${further.feedId} with the root`),
    ])
  })

  test('behavior: what a root has proven stays after its snapshot is removed; other questions go to an earlier one', async () => {
    using dataset = await inventDataset([inventLeaves(PRODUCTS, 1), inventLeaves(PRODUCTS, 300)])
    const app = appOf(dataset)
    const before = await answerOf(app, pathOf())
    expect(before.body.is_newest_root).toBe(true)
    rmSync(dataset.snapshots[1]?.folder ?? '', { recursive: true })
    expect(await answerOf(app, pathOf())).toEqual(before)
    const other = await answerOf(app, pathOf({ 'facet.product': 'EPCBRENT' }))
    expect([other.status, other.body.is_newest_root]).toEqual([200, false])
  })
})

describe('a question asked again', () => {
  /** Counts the files that are read. */
  const counting = ({ place }: InventedDataset) => {
    const counted = { files: 0 }
    const count = (_: string, bytes: Uint8Array) => {
      counted.files += 1
      return bytes
    }
    return { counted, place: changing(place, count) }
  }

  test('default: reads no file, for its value and its proof', async () => {
    using dataset = await inventDataset([inventLeaves(PRODUCTS, 300)])
    const { counted, place } = counting(dataset)
    const app = appOf(dataset, [place])
    const first = await answerOf(app, pathOf())
    const files = counted.files
    expect(files).toBeGreaterThan(0)
    expect(await answerOf(app, pathOf())).toEqual(first)
    expect((await answerOf(app, pathOf({}, '/v1/series/proof'))).status).toBe(200)
    expect(counted.files).toBe(files)
    // Another question needs another bundle.
    const { body } = await answerOf(app, pathOf({ period: '2026-01-09' }))
    expect([body.value, counted.files > files]).toEqual(['2.10', true])
  })

  test('error: the same root with another number of values, after it was answered', async () => {
    using dataset = await one()
    let [reading] = dataset.readings
    const client = { ...dataset.client }
    client.withSnapshot = async (read) => {
      const at = await dataset.client.snapshot()
      return read({ ...at, getReading: async () => reading ?? null })
    }
    const app = createTestApp({ client, datasets: [dataset.place] })
    expect((await ask(app, pathOf())).status).toBe(200)
    if (reading !== undefined) reading = { ...reading, value: 8, amount: 8n }
    const { status, body } = await answerOf(app, pathOf())
    expect([status, body.error]).toEqual([502, expect.stringContaining('not of 8')])
  })
})

describe('GET /v1/series/proof', () => {
  test('default: the series, the leaves and the proof of the root', async () => {
    using dataset = await one()
    const { status, body } = await answerOf(
      appOf(dataset),
      pathOf({ from: 'ab'.repeat(32) }, '/v1/series/proof'),
    )
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['format', 'series', 'statement', 'leaves', 'root'])
    expect([body.statement, body.leaves.length, body.series]).toEqual([
      'newest',
      1,
      {
        route: ROUTE,
        frequency: 'weekly',
        column: 'value',
        facets: { product: 'EPCWTI', area: 'NUS' },
        period: null,
      },
    ])
    expect(body.root.reading.amount).toBe('9')
  })

  test('error: from what is no hash', async () => {
    using dataset = await one()
    const [status, , error] = await failureOf(dataset, pathOf({ from: 'ab' }, '/v1/series/proof'))
    expect([status, error]).toEqual([400, "from=ab: it must be a switch block's hash: 64 hex digits"])
  })

  test('behavior: an absence is a 404 with its proof', async () => {
    using dataset = await one()
    const response = await ask(appOf(dataset), pathOf({ period: '2026-01-03' }, '/v1/series/proof'))
    const text = await response.text()
    // What `wattfeed verify` looks for.
    expect(text).toContain('"statement":"no_period"')
    const body = JSON.parse(text)
    expect([response.status, Object.keys(body), body.leaves.length]).toEqual([
      404,
      ['error', 'format', 'series', 'statement', 'leaves', 'root'],
      2,
    ])
  })

  test('behavior: a root that another replaces between two reads is proven by its index', async () => {
    using dataset = await inventDataset([inventLeaves(PRODUCTS, 1), inventLeaves(PRODUCTS, 2)])
    const [first] = dataset.readings
    const client = { ...dataset.client }
    client.withSnapshot = async (read) => {
      const at = await dataset.client.snapshot()
      return read({ ...at, getReading: async () => first ?? null, getValueCount: async () => 1 })
    }
    const { status, body } = await answerOf(
      createTestApp({ client, datasets: [dataset.place] }),
      pathOf({}, '/v1/series/proof'),
    )
    expect([status, body.root.index, body.root.reading.source_hash]).toEqual([200, 0, first?.source_hash])
  })
})

describe('files that are wrong', () => {
  const text = (found: Uint8Array) => Buffer.from(found).toString('latin1')
  const bytes = (changed: string) => new Uint8Array(Buffer.from(changed, 'latin1'))
  const manifest = (from: string | RegExp, to: string) => (path: string, found: Uint8Array) =>
    path.endsWith('manifest.json') ? bytes(text(found).replace(from, to)) : found
  const file =
    (part: string, change: (found: Uint8Array) => Uint8Array | null) => (path: string, found: Uint8Array) =>
      path.includes(part) ? change(found) : found

  test.each([
    ['no manifest', manifest(/.*/s, ''), 'manifest.json'],
    ['a manifest of another root', manifest(/"root": "../, '"root": "00'), 'manifest.json'],
    ['a manifest of another size', manifest('"size": 9', '"size": 8'), 'of 8 leaves'],
    ['a manifest of a huge size', manifest('"size": 9', '"size": 9007199254740991'), 'not of 9'],
    ['no index', file('/index', () => null), 'is missing'],
    ['a cut index', file('/index', (found) => found.slice(1)), 'index'],
    [
      'an index that starts later',
      file('/index', (found) => found.map((each) => (each === 0x70 ? 0x7a : each))),
      '',
    ],
    ['no leaves', file('entries', () => null), 'is missing'],
    ['cut leaves', file('entries', (found) => found.slice(0, -1)), 'expected 9 leaves'],
    [
      'other values',
      file('entries', (found) => bytes(text(found).replace('"2.20"', '"3.20"'))),
      'does not lead to',
    ],
    [
      'swapped values',
      file('entries', (found) =>
        bytes(text(found).replace('"2.20"', '"x"').replace('"2.10"', '"2.20"').replace('"x"', '"2.10"')),
      ),
      'does not lead to',
    ],
    ['leaves that are none', file('entries', (found) => found.fill(0, 2)), ''],
    ['no tile', file('tile/0/', () => null), 'is missing'],
    ['a cut tile', file('tile/0/', (found) => found.slice(32)), 'expected 9 hashes'],
    ['another hash', file('tile/0/', (found) => found.with(0, (found[0] ?? 0) ^ 1)), 'does not lead to'],
    ['other files', file('', () => crypto.getRandomValues(new Uint8Array(500))), 'manifest'],
  ])('error: %s', async (_, change, words) => {
    using dataset = await one()
    const wrong = [changing(dataset.place, change)]
    for (const path of ['/v1/series', '/v1/series/proof'])
      expect(await failureOf(dataset, pathOf({}, path), wrong)).toEqual([
        502,
        'snapshot_fault',
        expect.stringContaining(words),
      ])
    // Another place that has the snapshot makes up for it.
    expect((await answerOf(appOf(dataset, [...wrong, dataset.place]), pathOf())).status).toBe(200)
  })

  test('error: a system that does not read', async () => {
    using dataset = await one()
    const read = () =>
      Promise.reject(Object.assign(new Error('secret path'), { code: 'EIO', syscall: 'read' }))
    const [status, code, error] = await failureOf(dataset, pathOf(), [{ read }])
    expect([status, code, error.includes('EIO'), error.includes('secret')]).toEqual([
      502,
      'snapshot_fault',
      true,
      false,
    ])
  })

  test('behavior: files that are mended are read again', async () => {
    using dataset = await inventDataset([inventLeaves(PRODUCTS, 300)])
    let isWrong = false
    const app = appOf(dataset, [changing(dataset.place, (_, found) => (isWrong ? new Uint8Array(9) : found))])
    const statuses: number[] = []
    for (const [wrong, product] of [
      [false, ''],
      [true, 'EPCWTI'],
      [false, 'EPCWTI'],
    ] as const) {
      isWrong = wrong
      statuses.push((await ask(app, pathOf({ 'facet.product': product, period: '2026-01-09' }))).status)
    }
    expect(statuses).toEqual([200, 502, 200])
  })

  test('behavior: one wrong byte anywhere never makes a wrong answer', async () => {
    using dataset = await inventDataset([inventLeaves(PRODUCTS, 200)])
    const right = await answerOf(appOf(dataset), pathOf({ period: '2026-02-06' }))
    expect(right.status).toBe(200)
    let refused = 0
    const place = fc.nat({ max: 2 ** 20 })
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('manifest', 'index', 'entries', 'tile/'),
        place,
        fc.integer({ min: 1, max: 255 }),
        async (part, at, bits) => {
          const flip = file(part, (found) =>
            found.with(at % found.length, (found[at % found.length] ?? 0) ^ bits),
          )
          const answer = await answerOf(
            appOf(dataset, [changing(dataset.place, flip)]),
            pathOf({ period: '2026-02-06' }),
          )
          if (answer.status === 200) expect(answer).toEqual(right)
          else refused += 1
        },
      ),
      { numRuns: 80 },
    )
    expect(refused).toBeGreaterThan(8)
  })

  test('error: a link out of the folder, and a folder in place of a file', async () => {
    using dataset = await one()
    const folder = dataset.snapshots[0]?.folder ?? ''
    rmSync(join(folder, 'index'))
    symlinkSync('/etc/hostname', join(folder, 'index'))
    expect(await failureOf(dataset, pathOf())).toEqual([
      502,
      'snapshot_fault',
      expect.stringContaining('leads out of the folder'),
    ])
    rmSync(join(folder, 'index'))
    mkdirSync(join(folder, 'index'))
    expect(await failureOf(dataset, pathOf())).toEqual([502, 'snapshot_fault', expect.any(String)])
  })
})
