import { describe, expect, test } from 'bun:test'
import { createFakeClient, readingOf } from '../fakeClient.ts'
import { answerOf, ask, createTestApp } from '../testApp.ts'

const HEADER = 'feed_id,decimals,value,amount,period,source_hash,updated_at\r\n'

async function csvOf(...readings: Parameters<typeof readingOf>[0][]) {
  const client = createFakeClient({ readings: readings.map(readingOf) })
  return ask(createTestApp({ client }), '/v1/feeds.csv')
}

describe('GET /v1/feeds.csv', () => {
  test('default: a header and a row for each reading, in registry order', async () => {
    const amount = 2n ** 512n - 1n
    const response = await csvOf({}, { feed_id: 'A', amount })
    expect(await response.text()).toBe(
      `${HEADER}EIA.NG.PRICE.HENRYHUB.DAILY,6,3.04938,3049380,20261120,88450b082ec4df2fdccd3a626c6e489b,2026-11-20T09:58:46.426Z\r\nA,6,3.04938,${amount},20261120,88450b082ec4df2fdccd3a626c6e489b,2026-11-20T09:58:46.426Z\r\n`,
    )
    expect(response.headers.toJSON()).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'attachment; filename="wattfeed-feeds.csv"',
      'accept-ranges': 'bytes',
    })
  })

  test('behavior: no feeds are a header', async () => expect(await (await csvOf()).text()).toBe(HEADER))

  test('behavior: an invalid source hash is empty', async () => {
    const rows = (await (await csvOf({ source_hash: '=cmd()' })).text()).split('\r\n')
    expect(rows[1]).toBe('EIA.NG.PRICE.HENRYHUB.DAILY,6,3.04938,3049380,20261120,,2026-11-20T09:58:46.426Z')
  })

  test('behavior: no id becomes a formula in spreadsheets that separate cells by ;', async () => {
    const [, row] = (await (await csvOf({ feed_id: 'a;=1+1;' })).text()).split('\r\n')
    expect(row).toStartWith(`"a;'=1+1;",6,`)
  })

  test('default: its metadata names the columns, and the table', async () => {
    const app = createTestApp()
    const table = await ask(app, '/v1/feeds.csv')
    expect(table.headers.get('link')).toBe(
      '</v1/feeds.csv-metadata.json>; rel="describedby"; type="application/csvm+json"',
    )
    const response = await ask(app, '/v1/feeds.csv-metadata.json')
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/csvm+json'])
    const { url, tableSchema, ...about } = await response.json()
    // Each feed has its own source, and those of a development chain are invented.
    expect(Object.keys(about)).toEqual(['@context', 'dc:title', 'dialect'])
    const names: string[] = tableSchema.columns.map(({ name }: { name: string }) => name)
    expect([url, `${names.join(',')}\r\n`]).toEqual(['feeds.csv', HEADER])
    expect((await answerOf(app, '/v1/feeds.csv-metadata.json?a=1')).status).toBe(400)
  })

  test('error: an unknown parameter', async () => {
    expect(await answerOf(createTestApp(), '/v1/feeds.csv?id=a')).toEqual({
      status: 400,
      body: { error: 'unknown query parameter "id"; allowed: q, family, route, frequency, unit, fields' },
    })
  })
})
