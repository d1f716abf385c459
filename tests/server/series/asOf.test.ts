import { describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import type { Leaf } from '@wattfeed/dataset'
import { answerOf, ask, createTestApp } from '../testApp.ts'
import { type InventedDataset, inventDataset, inventLeaves, ROUTE } from './inventedDataset.ts'

/** When the first root was attested; each of the others a millisecond later. */
const FIRST = 1_795_168_726_000

const SERIES = { column: 'value', 'facet.product': 'EPCWTI', 'facet.area': 'NUS' }

const pathOf = (path: string, parameters: Readonly<Record<string, string | number>> = {}): string => {
  const named = { route: ROUTE, frequency: 'weekly', ...SERIES, ...parameters }
  return `${path}?${new URLSearchParams(Object.entries(named).map(([name, value]) => [name, String(value)]))}`
}

const PATHS = [
  '/v1/series',
  '/v1/series/proof',
  '/v1/series/history',
  '/v1/series/history.csv',
  '/v1/series/history.parquet',
  '/v1/series/history/proof',
  '/v1/series/table',
  '/v1/series/table.csv',
  '/v1/series/table.parquet',
]

const appOf = ({ client, place }: InventedDataset) => createTestApp({ client, datasets: [place] })

async function failureOf(dataset: InventedDataset, path: string) {
  const response = await ask(appOf(dataset), path)
  const { error } = Object(await response.json())
  return [response.status, response.headers.get('x-wattfeed-error'), String(error)] as const
}

/** A root for each number of weeks. */
const ofWeeks = (...weeks: readonly number[]) =>
  inventDataset(weeks.map((count) => inventLeaves(['EPCBRENT', 'EPCWTI'], count)))

describe('as_of', () => {
  test.each([
    ['the time of a root', FIRST + 1, 1],
    ['a time between two roots', FIRST + 2, 2],
    ['epoch milliseconds after all', FIRST + 86_400_000, 3],
    ['a time with a zone', new Date(FIRST + 1).toISOString(), 1],
    ['a time with another zone', new Date(FIRST + 1 + 3_600_000).toISOString().replace('Z', '+01:00'), 1],
    ['a date', new Date(FIRST).toISOString().slice(0, 10), 3],
  ])('default: %s is answered by the newest root up to then', async (_, as_of, index) => {
    using dataset = await ofWeeks(1, 2, 3, 4)
    const root = dataset.snapshots[index]?.manifest.root
    for (const path of ['/v1/series', '/v1/series/history', '/v1/series/table']) {
      const { body } = await answerOf(appOf(dataset), pathOf(path, { as_of }))
      expect([path, body.index, body.root, body.is_newest_root]).toEqual([path, index, root, index === 3])
      expect([path, body.size]).toEqual([path, 2 * (index + 1)])
    }
    for (const path of ['/v1/series/proof', '/v1/series/history/proof']) {
      const { body } = await answerOf(appOf(dataset), pathOf(path, { as_of }))
      expect([path, body.root.index, body.root.reading.source_hash]).toEqual([path, index, root])
    }
  })

  test('default: an absence by a root that is named is an answer, with the first period that it covers', async () => {
    using dataset = await ofWeeks(1, 2, 3)
    const asked = { as_of: FIRST + 1, period: '2026-01-16' }
    expect(await failureOf(dataset, pathOf('/v1/series', asked))).toEqual([
      404,
      'series_absent',
      expect.stringContaining(
        `has no value for 2026-01-16 among the 4 values of the dataset, with the root ${dataset.snapshots[1]?.manifest.root}, which covers nothing before 2026-01-02`,
      ),
    ])
    const proof = await answerOf(appOf(dataset), pathOf('/v1/series/proof', asked))
    expect([proof.status, proof.body.statement, proof.body.root.index]).toEqual([404, 'no_period', 1])
    const empty = { as_of: FIRST + 1, period_from: '2026-01-16' }
    const { body } = await answerOf(appOf(dataset), pathOf('/v1/series/history', empty))
    expect([body.items, body.index, body.covers_from]).toEqual([[], 1, '2026-01-02'])
  })

  test('behavior: attestations by mistake are passed over', async () => {
    using dataset = await ofWeeks(1, 2, 3)
    const client = { ...dataset.client }
    client.withSnapshot = async (read) => {
      const at = await dataset.client.snapshot()
      return read({
        ...at,
        getValueHistory: async (id, range) =>
          (await at.getValueHistory(id, range)).map((value) =>
            value.timestamp === FIRST + 1 ? { ...value, source_hash: 'ab'.repeat(16) } : value,
          ),
      })
    }
    const app = createTestApp({ client, datasets: [dataset.place] })
    expect((await answerOf(app, pathOf('/v1/series', { as_of: FIRST + 1 }))).body.index).toBe(0)
  })

  test('behavior: few attestations are read for the root of a time', async () => {
    using dataset = await ofWeeks(...Array.from({ length: 40 }, (_, week) => week + 1))
    let count = 0
    const client = { ...dataset.client }
    client.withSnapshot = async (read) => {
      const at = await dataset.client.snapshot()
      return read({
        ...at,
        getValueHistory: async (id, range) => {
          const values = await at.getValueHistory(id, range)
          count += values.length
          return values
        },
      })
    }
    const app = createTestApp({ client, datasets: [dataset.place] })
    expect((await answerOf(app, pathOf('/v1/series', { as_of: FIRST + 11 }))).body.index).toBe(11)
    expect(count).toBeLessThanOrEqual(7)
  })

  test.each(PATHS)('error: before the first root: %s', async (path) => {
    using dataset = await ofWeeks(1, 2)
    expect(await failureOf(dataset, pathOf(path, { as_of: FIRST - 1 }))).toEqual([
      404,
      'root_not_found',
      `${dataset.feedId} had no root at ${new Date(FIRST - 1).toISOString()}; its first was attested at ${new Date(FIRST).toISOString()}, so ask for that time or a later one`,
    ])
  })

  test.each(PATHS)('error: the files of the root are gone, and no other answers: %s', async (path) => {
    using dataset = await ofWeeks(1, 2, 3)
    rmSync(dataset.snapshots[1]?.folder ?? '', { recursive: true })
    for (const root of [{ as_of: FIRST + 1 }, { index: 1 }])
      expect(await failureOf(dataset, pathOf(path, root))).toEqual([
        410,
        'snapshot_gone',
        expect.stringContaining(`${dataset.snapshots[1]?.manifest.root}, which has the index 1, is gone`),
      ])
  })

  test.each([
    [{ as_of: '2026' }, 'as_of=2026: it must be epoch milliseconds'],
    [{ as_of: '2026-02-30' }, 'as_of=2026-02-30: it must be epoch milliseconds'],
    [{ as_of: FIRST, index: 1 }, 'index=1: as_of names the root, too; pass one of them'],
    [{ index: 3 }, 'index=3: EIA.DATASET.PETROLEUM.PRI.SPT.WEEKLY has 2 roots'],
  ])('error: %p', async (asked, words) => {
    using dataset = await ofWeeks(1, 2)
    for (const path of PATHS)
      expect([path, await failureOf(dataset, pathOf(path, asked))]).toEqual([
        path,
        [400, 'query', expect.stringContaining(words)],
      ])
  })

  test('error: a root beside a cursor, which names one', async () => {
    using dataset = await ofWeeks(3, 4)
    for (const path of ['/v1/series/history', '/v1/series/table']) {
      const { body } = await answerOf(appOf(dataset), pathOf(path, { limit: 1, as_of: FIRST }))
      expect([path, body.next]).toEqual([path, expect.not.stringContaining('as_of')])
      expect([path, (await answerOf(appOf(dataset), body.next)).body.index]).toEqual([path, 0])
      for (const root of ['as_of=2026-11-20', 'index=0'])
        expect(await failureOf(dataset, `${body.next}&${root}`)).toEqual([
          400,
          'query',
          expect.stringContaining('a cursor names the root, too'),
        ])
    }
  })
})

describe('a root that was made by another recipe', () => {
  const volume = (leaf: Leaf): Leaf => ({ ...leaf, column: 'volume' })
  const withColumn = (weeks: number) => {
    const leaves = inventLeaves(['EPCBRENT', 'EPCWTI'], weeks)
    return [...leaves, ...leaves.map(volume)]
  }
  const withFacet = (weeks: number) =>
    inventLeaves(['EPCBRENT', 'EPCWTI'], weeks).map((leaf) => ({
      ...leaf,
      facets: { ...leaf.facets, grade: 'A' },
    }))
  const before = inventLeaves(['EPCBRENT', 'EPCWTI'], 1)

  test.each([
    ['the column', withColumn(2), { column: 'volume' }],
    ['the facet', withFacet(2), { 'facet.grade': 'A' }],
  ])('error: it states no absence without %s', async (_, after, asked) => {
    using dataset = await inventDataset([before, after])
    for (const path of PATHS) {
      expect([path, (await ask(appOf(dataset), pathOf(path, { ...asked, index: 1 }))).status]).toEqual([
        path,
        200,
      ])
      expect([path, await failureOf(dataset, pathOf(path, { ...asked, index: 0 }))]).toEqual([
        path,
        [
          404,
          'not_covered',
          expect.stringContaining(
            `the root ${dataset.snapshots[0]?.manifest.root} of ${dataset.feedId}, which has the index 0, was made without the column`,
          ),
        ],
      ])
    }
  })

  test('error: the newest root, while its snapshot is of the recipe before', async () => {
    using dataset = await inventDataset([withColumn(2), before])
    const client = { ...dataset.client }
    const [{ description = '' } = {}] = dataset.readings
    client.withSnapshot = async (read) => {
      const at = await dataset.client.snapshot()
      return read({
        ...at,
        getReading: async (id) => {
          const reading = await at.getReading(id)
          return reading && { ...reading, description }
        },
      })
    }
    const path = pathOf('/v1/series', { column: 'volume' })
    const response = await ask(createTestApp({ client, datasets: [dataset.place] }), path)
    expect([response.status, response.headers.get('x-wattfeed-error')]).toEqual([404, 'not_covered'])
  })
})
