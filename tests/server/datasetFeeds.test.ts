import { beforeAll, describe, expect, test } from 'bun:test'
import type { AnyElysia } from 'elysia'
import { parquetReadObjects } from 'hyparquet'
import { localClient } from 'wattfeed/testing/localClient'
import { createRegistryChain } from 'wattfeed/testing/registryChain'
import { createRevisionCounter } from '../../packages/wattfeed/src/history/revisions.ts'
import { recheck } from '../../packages/wattfeed/src/provenance/recheck.ts'
import { isDatasetFeed, withoutRecipe } from '../../packages/wattfeed/src/provenance/recipe.ts'
import { formatPart, itemsOf } from '../../src/operator/export/parts.ts'
import { openChain } from '../../src/operator/provenance/attestationSource.ts'
import { formatProvenance, runProvenance } from '../../src/operator/provenance/runProvenance.ts'
import { createManualClock, createStreamServer, listenTo, settle, until } from './stream/streamWorld.ts'
import { answerOf, ask, createTestApp } from './testApp.ts'

const [SERIES, DATASET] = ['STORAGE', 'EIA.DATASET.NATURAL-GAS.STOR.WKLY.WEEKLY']
const RECIPE = 'eia-dataset:1;value;all;duoarea,process,product,series'
const ROOT = 'ab'.repeat(32)
const START = Date.parse('2026-10-29T14:40:00Z')

let app: AnyElysia
let client: ReturnType<typeof localClient>['client']

beforeAll(async () => {
  const chain = await createRegistryChain({ startMs: START })
  const storage = { route: 'natural-gas/stor/wkly', frequency: 'weekly' }
  chain.register(SERIES, storage)
  const description = `Gas in storage.\n${RECIPE}`
  chain.register(DATASET, { ...storage, unit: 'values', decimals: 0, description })
  for (const id of [SERIES, DATASET])
    chain.attest(id, { amount: 9_876n, period: 20_261_023, source_hash: ROOT })
  await chain.advance()
  client = localClient(chain).client
  app = createTestApp({ client, now: () => START + 900_000, publicUrl: 'https://feeds.example.com' })
})

const textOf = async (path: string): Promise<string> => (await ask(app, path)).text()

describe('a feed of a dataset', () => {
  test.each(['/v1/feeds.csv', `/v1/feeds/${DATASET}/history.csv`])(
    'default: %s has all digits of the root',
    async (path) => {
      expect(await textOf(path)).toContain(`,${ROOT},`)
    },
  )

  test('default: its chart says what it counts', async () => {
    expect(await textOf(`/v1/feeds/${DATASET}/chart.svg`)).toContain('values in the dataset')
    expect(await textOf(`/v1/feeds/${SERIES}/chart.svg`)).not.toContain('values in the dataset')
    expect(await textOf(`/embed/feeds/${DATASET}`)).toContain('values in the dataset')
  })

  test('behavior: the calendar is about statistics, and leaves it out', async () => {
    const { body } = await answerOf(app, '/v1/calendar')
    expect(body.schedules.map(({ feed_ids }: { feed_ids: string[] }) => feed_ids)).toEqual([[SERIES]])
    expect(body.feeds.map(({ feed_id }: { feed_id: string }) => feed_id)).toEqual([SERIES])
    expect((await answerOf(app, `/v1/calendar?id=${DATASET}`)).body.releases).toEqual([])
    expect(await textOf(`/calendar.ics?id=${DATASET}`)).not.toContain('BEGIN:VEVENT')
    expect(await textOf(`/calendar.ics?id=${SERIES}`)).toContain('BEGIN:VEVENT')
  })

  test('default: it has the status of its releases', async () => {
    const [own, series] = await Promise.all(
      [DATASET, SERIES].map(async (id) => (await answerOf(app, `/v1/feeds/${id}/status`)).body),
    )
    expect({ ...own, feed_id: SERIES }).toEqual(series)
  })

  test('default: its provenance is no row of EIA', async () => {
    const { status, body } = await answerOf(app, `/v1/feeds/${DATASET}/provenance`)
    expect([status, body]).toMatchObject([
      200,
      {
        recipe: null,
        recipe_source: null,
        canonical_template: null,
        api_url: null,
        attested: { source_hash: ROOT },
      },
    ])
  })

  test('default: "provenance" shows its recipe, and says what recomputes it', async () => {
    const source = await openChain(client, DATASET)
    const eia = { listRowsSince: () => Promise.reject(new Error('nothing is asked')) }
    const options = { feedId: DATASET, source, rows: { eia }, index: null, progress() {} }
    const report = await runProvenance(options)
    expect(formatProvenance(report)).toStartWith(`${DATASET}: roots of a dataset, ${RECIPE}\n`)
    expect(report).toMatchObject({
      recipe: null,
      dataset_recipe: RECIPE,
      counts: { unknown_recipe: 1 },
      attestations: [{ detail: expect.stringContaining('wattfeed datasets check') }],
    })
  })
})

describe('another root of the same period, with as many values', () => {
  const OTHER = 'cd'.repeat(32)
  const period = 20_261_023

  async function revise() {
    const chain = await createRegistryChain({ startMs: START })
    for (const id of [SERIES, DATASET]) {
      chain.register(id, { unit: 'values', decimals: 0, description: RECIPE, frequency: 'weekly' })
      for (const source_hash of [ROOT, OTHER, OTHER])
        chain.attest(id, { amount: 9_876n, period, source_hash })
    }
    await chain.advance()
    return chain
  }

  test('default: is a revision in a history, its tables and its files', async () => {
    const chain = await revise()
    const { client } = localClient(chain)
    const own = createTestApp({ client, now: () => START + 900_000 })
    const revisions = async (id: string) => {
      const { body } = await answerOf(own, `/v1/feeds/${id}/history`)
      return body.items.map(({ revision }: { revision: number }) => revision)
    }
    expect([await revisions(DATASET), await revisions(SERIES)]).toEqual([
      [0, 1, 1],
      [0, 0, 0],
    ])
    const table = await (await ask(own, `/v1/history.csv?id=${DATASET}&vintages=latest`)).text()
    expect(table).toContain(`,9876,1,${OTHER},`)
    // The files of a data set, in both formats.
    const feed = await client.getFeed(DATASET)
    if (feed === null) throw new Error('no feed')
    const values = await client.getValueHistory(DATASET)
    const rows = itemsOf(values, 0, createRevisionCounter(DATASET), feed)
    const csv = new TextDecoder().decode(await formatPart('csv', rows))
    expect(csv).toContain(`,9876,0,${ROOT},`)
    expect(csv).toContain(`,9876,1,${OTHER},`)
    const file = (await formatPart('parquet', rows)).slice().buffer
    const cells = await parquetReadObjects({ file, columns: ['revision'] })
    expect(cells.map(({ revision }) => Number(revision))).toEqual([0, 1, 1])
  })

  test('default: is an event of the stream, with its root', async () => {
    const chain = await revise()
    const clock = createManualClock()
    const server = createStreamServer(chain, clock)
    const listener = await listenTo(server, `?id=${DATASET}`)
    await until(() => listener.blocks.length === 1)
    chain.attest(DATASET, { amount: 9_876n, period, source_hash: ROOT })
    await chain.advance()
    await settle()
    clock.advance(1_000)
    await until(() => listener.dataOf('attested').length === 1)
    expect(listener.dataOf('attested')).toMatchObject([
      { feed_id: DATASET, index: 3, period, amount: '9876', source_hash: ROOT },
    ])
    await listener.leave()
  })
})

test('default: people read the description without its recipe', () => {
  const description = `Gas in storage.\n${RECIPE}`
  expect([isDatasetFeed({ description }), withoutRecipe(description)]).toEqual([true, 'Gas in storage.'])
  expect(isDatasetFeed({ description: 'Gas.\neia:value;;series=A' })).toBe(false)
})

test('behavior: without a description, nothing tells that a value is a root', () => {
  const feed = { decimals: 0, unit: 'values', route: 'a', frequency: 'weekly' }
  const attested = { period: 20_261_023, amount: 1n, source_hash: ROOT }
  expect(recheck({ feed, recipe: null, attested, rows: [] }).detail).toBe(
    'neither the description nor the built-in feeds have a recipe',
  )
})
