import { beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { AnyElysia } from 'elysia'
import { localClient } from 'wattfeed/testing/localClient'
import { createRegistryChain, type RegistryChain } from 'wattfeed/testing/registryChain'
import { createOut, exportFrom, manifestOf } from '../operator/export/exported.ts'
import { readParquet } from '../tables/readParquet.ts'
import { parseRows } from '../tables/spreadsheet.ts'
import { callTool, connectTo } from './mcp/mcpClient.ts'
import { answerOf, ask, createTestApp } from './testApp.ts'

const DEMAND = 'electricity/rto/region-data'

const hour = (text: string): number => Date.parse(`${text}:00:00Z`) / 1000

/** Feeds of each frequency, with a period and what it covers. */
const cases = [
  ['HOURLY', 'hourly', DEMAND, hour('2026-11-26T22'), '2026-11-26T21:00:00Z', '2026-11-26T22:00:00Z'],
  // Around the hour at which clocks in New York are set back, and the one at which they are set forward.
  ['LOCAL.1', 'local-hourly', DEMAND, hour('2026-11-01T06'), '2026-11-01T05:00:00Z', '2026-11-01T06:00:00Z'],
  ['LOCAL.2', 'local-hourly', DEMAND, hour('2026-11-01T07'), '2026-11-01T06:00:00Z', '2026-11-01T07:00:00Z'],
  ['LOCAL.3', 'local-hourly', DEMAND, hour('2026-03-08T08'), '2026-03-08T07:00:00Z', '2026-03-08T08:00:00Z'],
  ['DAILY', 'daily', 'petroleum/pri/spt', 20_240_229, '2024-02-29', '2024-02-29'],
  ['STORAGE', 'weekly', 'natural-gas/stor/wkly', 20_240_301, '2024-02-24', '2024-03-01'],
  ['SURVEY', 'weekly', 'petroleum/pri/gnd', 20_261_123, '2026-11-23', '2026-11-23'],
  ['FOUR', 'four-week-average', 'petroleum/cons/wpsup', 20_240_301, '2024-02-03', '2024-03-01'],
  ['MONTHLY', 'monthly', 'electricity/retail-sales', 202_402, '2024-02-01', '2024-02-29'],
  ['QUARTERLY', 'quarterly', 'coal/shipments/receipts', 202_310, '2023-10-01', '2023-12-31'],
  ['ANNUAL', 'annual', 'seds', 2024, '2024-01-01', '2024-12-31'],
] as const

let chain: RegistryChain
let app: AnyElysia

beforeAll(async () => {
  chain = await createRegistryChain({ feeds: 0, startMs: Date.UTC(2026, 10, 27, 12) })
  for (const [id, frequency, route] of cases) chain.register(id, { frequency, route })
  await chain.advance()
  for (const [id, , , period] of cases) chain.attest(id, { period })
  await chain.advance()
  app = createTestApp({ client: localClient(chain).client, now: () => Date.UTC(2026, 10, 27, 13) })
})

/** Times of tables as in JSON: a day is midnight UTC there. */
const asGiven = (cell: unknown, isHour: boolean): string =>
  new Date(cell instanceof Date ? cell : String(cell))
    .toISOString()
    .slice(0, isHour ? 19 : 10)
    .concat(isHour ? 'Z' : '')

const csvBounds = (text: string) => {
  const [names = [], cells = []] = parseRows(text, ',')
  return ['period_start', 'period_end'].map((name) => cells[names.indexOf(name)])
}

const parquetBounds = async (file: Pick<Blob, 'bytes'>) => {
  const [row] = await readParquet(await file.bytes())
  return [row?.period_start, row?.period_end]
}

describe('what a period covers is the same everywhere', () => {
  test.each(cases)('default: of %s (%s, %s)', async (id, frequency, _route, _period, start, end) => {
    const isHour = frequency.endsWith('hourly')
    const path = `/v1/feeds/${id}`
    const boundsOf = ({ period_start, period_end }: Record<string, unknown>) => [period_start, period_end]
    const { body: history } = await answerOf(app, `${path}/history`)
    expect(boundsOf(history.items[0])).toEqual([start, end])
    expect(boundsOf((await answerOf(app, `${path}/status`)).body)).toEqual([start, end])
    const { body: recent } = await answerOf(app, `/v1/recent?id=${id}`)
    expect(boundsOf(recent.results[0].items[0])).toEqual([start, end])
    const files: unknown[][] = [
      csvBounds(await (await ask(app, `${path}/history.csv`)).text()),
      csvBounds(await (await ask(app, `/v1/history.csv?id=${id}`)).text()),
      await parquetBounds(await ask(app, `${path}/history.parquet`)),
      await parquetBounds(await ask(app, `/v1/history.parquet?id=${id}`)),
    ]
    for (const bounds of files) expect(bounds.map((cell) => asGiven(cell, isHour))).toEqual([start, end])
  })

  test.each([
    ['parquet', parquetBounds],
    ['csv', async (file: Blob) => csvBounds(await file.text())],
  ] as const)('default: in an export (%s)', async (format, read) => {
    using out = createOut()
    await exportFrom(chain, out.path, { format })
    const { feeds } = manifestOf(out.path)
    const bounds = await Promise.all(
      cases.map(async ([id, frequency]) => {
        const path = feeds.find(({ feed_id }) => feed_id === id)?.files[0]?.path ?? ''
        const found = await read(Bun.file(join(out.path, path)))
        return found.map((cell) => asGiven(cell, frequency.endsWith('hourly')))
      }),
    )
    expect(bounds).toEqual(cases.map(([, , , , start, end]) => [start, end]))
  })

  test('default: in the tools for language models', async () => {
    const mcp = await connectTo(app, '2026-07-28')
    for (const [feed, , , , start, end] of cases) {
      const { data: newest } = await callTool(mcp, 'get_readings', { feeds: [feed] })
      expect(newest.readings).toMatchObject([{ period_start: start, period_end: end }])
      const { data: history } = await callTool(mcp, 'get_history', { feed })
      expect((history.rows as unknown[][])[0]?.slice(2, 4)).toEqual([start, end])
    }
  })
})

test('behavior: another route of a feed shows at once, and a permalink from before is a 409', async () => {
  const weeks = await createRegistryChain({ feeds: 0 })
  const moveTo = async (route: string) => {
    weeks.register('WEEKS', { frequency: 'weekly', route })
    await weeks.advance()
  }
  await moveTo('petroleum/pri/gnd')
  weeks.attest('WEEKS', { period: 20_261_123 })
  await weeks.advance()
  const app = createTestApp({ client: localClient(weeks).client })
  const startsOn = async () => {
    const { body: recent } = await answerOf(app, '/v1/recent?id=WEEKS')
    const { body: history } = await answerOf(app, '/v1/feeds/WEEKS/history')
    const [csv] = csvBounds(await (await ask(app, '/v1/feeds/WEEKS/history.csv')).text())
    return [recent.results[0].items[0].period_start, history.items[0].period_start, csv]
  }
  expect(await startsOn()).toEqual(Array(3).fill('2026-11-23'))
  const { permalink } = (await answerOf(app, '/v1/feeds/WEEKS/history')).body
  await moveTo('natural-gas/stor/wkly')
  expect(await startsOn()).toEqual(Array(3).fill('2026-11-17'))
  expect(await answerOf(app, permalink)).toMatchObject({
    status: 409,
    body: { error: expect.stringContaining('route') },
  })
})

test('default: the rows of a UTC day are the 24 hours that EIA means, in JSON and in the file', async () => {
  const day = await createRegistryChain({ feeds: 0, startMs: Date.UTC(2026, 10, 27, 12) })
  day.register('DEMAND', { frequency: 'hourly', route: DEMAND, decimals: 0 })
  await day.advance()
  // Two days and an hour around the 25th: an hour that ends at h of day d is worth d * 100 + h.
  for (let end = hour('2026-11-24T23'); end <= hour('2026-11-26T02'); end += 3_600) {
    const date = new Date(end * 1000)
    day.attest('DEMAND', { period: end, amount: BigInt(date.getUTCDate() * 100 + date.getUTCHours()) })
  }
  await day.advance()
  const app = createTestApp({ client: localClient(day).client })
  // The hours that end at 1 to 23 of the 25th, and at 0 of the 26th.
  const wanted = 23 * 2_500 + (23 * 24) / 2 + 2_600
  const query = 'period_from=2026-11-25&period_to=2026-11-25'
  const { body } = await answerOf(app, `/v1/feeds/DEMAND/history?${query}`)
  const values: { value: number }[] = body.items
  expect([values.length, values.reduce((sum, { value }) => sum + value, 0)]).toEqual([24, wanted])
  const [names = [], ...rows] = parseRows(
    await (await ask(app, `/v1/feeds/DEMAND/history.csv?${query}`)).text(),
    ',',
  )
  const cells = rows.map((row) => Number(row[names.indexOf('value')]))
  expect([cells.length, cells.reduce((sum, value) => sum + value, 0)]).toEqual([24, wanted])
  const whole = parseRows(await (await ask(app, '/v1/feeds/DEMAND/history.csv')).text(), ',').slice(1)
  const ofDay = whole.filter((row) => row[names.indexOf('period_start')]?.startsWith('2026-11-25'))
  expect(ofDay.reduce((sum, row) => sum + Number(row[names.indexOf('value')]), 0)).toBe(wanted)
})
