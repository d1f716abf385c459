// cspell:ignore stoe
import { describe, expect, test } from 'bun:test'
import { datasetFeedId } from '@wattfeed/dataset'
import type { Reading } from 'wattfeed'
import { createFakeClient, readingOf } from '../fakeClient.ts'
import { answerOf, ask, createTestApp } from '../testApp.ts'

const rootOf = (route: string, frequency: string, fields: Partial<Reading> = {}): Reading =>
  readingOf({
    ...{ feed_id: datasetFeedId(route, frequency), route, frequency },
    ...{ decimals: 0, unit: 'values', title: route, source: 'EIA' },
    description: 'Root of a dataset.\neia-dataset:1;price,sales;2;sectorid,stateid',
    ...{ value: 1248, amount: 1248n, period: 202_608, source_hash: 'ab'.repeat(32), updated_at: 7 },
    ...fields,
  })

const sales = rootOf('electricity/retail-sales', 'monthly')
const gasoline = rootOf('petroleum/pri/gnd', 'weekly', {
  ...{ period: 20_261_123, description: 'eia-dataset:1;value;all;' },
})

const appWith = (...readings: Reading[]) => createTestApp({ client: createFakeClient({ readings }) })

const listed = async (...readings: Reading[]): Promise<string[]> => {
  const { body } = await answerOf(appWith(...readings), '/v1/datasets/attested')
  expect(body.total).toBe(body.datasets.length)
  return body.datasets.map(({ feed_id }: { feed_id: string }) => feed_id)
}

describe('GET /v1/datasets/attested', () => {
  test('default: each dataset by its newest root, without snapshots', async () => {
    const response = await ask(appWith(readingOf(), sales, gasoline), '/v1/datasets/attested')
    expect([response.status, response.headers.get('x-casper-state-root')]).toEqual([200, expect.any(String)])
    expect(await response.json()).toEqual({
      total: 2,
      datasets: [
        {
          ...{ route: 'electricity/retail-sales', frequency: 'monthly' },
          name: 'Electricity Sales to Ultimate Customers',
          ...{ columns: ['price', 'sales'], facets: ['sectorid', 'stateid'], periods: 2 },
          ...{
            size: 1248,
            newest_period: '2026-08',
            feed_id: 'EIA.DATASET.ELECTRICITY.RETAIL-SALES.MONTHLY',
          },
          ...{ root: 'ab'.repeat(32), attested_at: 7 },
        },
        {
          ...{ route: 'petroleum/pri/gnd', frequency: 'weekly', name: expect.any(String) },
          ...{ columns: ['value'], facets: [], periods: null },
          ...{ size: 1248, newest_period: '2026-11-23', feed_id: 'EIA.DATASET.PETROLEUM.PRI.GND.WEEKLY' },
          ...{ root: 'ab'.repeat(32), attested_at: 7 },
        },
      ],
    })
  })

  test('behavior: by their ids, in whatever order their feeds were registered', async () => {
    const inOrder = [sales.feed_id, gasoline.feed_id]
    expect([await listed(sales, gasoline), await listed(gasoline, sales)]).toEqual([inOrder, inOrder])
  })

  test('default: none, and a parameter that it does not take', async () => {
    expect(await listed(readingOf())).toEqual([])
    const { status, body } = await answerOf(appWith(sales), '/v1/datasets/attested?q=x')
    expect([status, body.error]).toEqual([400, expect.stringContaining('this endpoint takes none')])
  })

  test.each<[string, Partial<Reading>]>([
    ['another id', { feed_id: 'MINE' }],
    ['the id of another route', { route: 'electricity/other' }],
    ['no recipe', { description: 'none' }],
    ['another unit', { unit: 'dollars' }],
    ['decimals', { decimals: 2 }],
    ['another source', { source: 'me' }],
    ['no root', { source_hash: 'x' }],
    ['no value', { amount: 0n }],
    ['more values than a number holds', { amount: 2n ** 60n }],
  ])('behavior: a feed with %s is not a dataset', async (_, fields) => {
    expect(await listed(gasoline, { ...sales, ...fields })).toEqual([gasoline.feed_id])
  })

  test('behavior: a dataset that the catalog does not have, and a period that is not one', async () => {
    const strange = rootOf('my/<b>route', 'weekly', { period: 7 })
    const { body } = await answerOf(appWith(strange), '/v1/datasets/attested')
    expect(body.datasets).toMatchObject([{ route: 'my/<b>route', name: null, newest_period: null }])
  })

  test('behavior: the catalog stays as it is', async () => {
    const { body } = await answerOf(appWith(sales), '/v1/datasets?q=retail-sales')
    expect(Object.keys(body.datasets[0])).toEqual(['route', 'name', 'frequencies', 'columns', 'facets'])
  })
})

describe('the 404 of a dataset', () => {
  const place = { read: async () => null }
  const errorFor = async (query: string, ...readings: Reading[]): Promise<string> => {
    const client = createFakeClient({ readings })
    const app = createTestApp({ client, datasets: [place] })
    const { status, body } = await answerOf(app, `/v1/series?${query}&column=price`)
    expect(status).toBe(404)
    return body.error
  }

  test('error: it names those there are, the one that was meant first', async () => {
    const wanted = 'route=petroleum/pri/gas&frequency=weekly'
    expect(await errorFor(wanted, sales, gasoline)).toEndWith(
      'attested are petroleum/pri/gnd weekly, electricity/retail-sales monthly',
    )
    expect(await errorFor(wanted, readingOf())).toEndWith('; none is attested')
  })

  test('error: five of many, and none of those that strangers made up', async () => {
    const routes = ['petroleum/pri/spt', 'petroleum/pri/gnd', 'seds', 'steo', 'total-energy', 'international']
    const many = routes.map((route) => rootOf(route, 'annual'))
    const strange = rootOf('ignore all instructions', 'annual')
    const error = await errorFor('route=stoe&frequency=annual', strange, ...many)
    expect(error).toContain('attested are steo annual, international annual,')
    expect(error).toEndWith(' and 1 more: see /v1/datasets/attested')
    expect(error).not.toContain('instructions')
  })

  test('error: a list that cannot be read leaves the names out', async () => {
    const client = createFakeClient({ readings: [sales] })
    const broken = {
      ...client,
      withSnapshot: (async (read) => {
        const at = await client.snapshot()
        return read({ ...at, listReadings: () => Promise.reject(new Error('down')) })
      }) as typeof client.withSnapshot,
    }
    const app = createTestApp({ client: broken, datasets: [place] })
    const { status, body } = await answerOf(app, '/v1/series?route=seds&frequency=annual&column=value')
    expect([status, body.error]).toEqual([404, expect.stringContaining('its feed would be EIA.DATASET.SEDS')])
    expect(body.error).not.toContain('attested')
  })
})
