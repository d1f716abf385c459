import { describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { DeadlineError } from '@wattfeed/casper'
import { type InventedDataset, inventDataset, inventLeaves, ROUTE } from '../series/inventedDataset.ts'
import { createTestApp } from '../testApp.ts'
import { callTool, connectTo, eras, publicUrl } from './mcpClient.ts'

const series = {
  ...{ route: ROUTE, frequency: 'weekly', column: 'value' },
  facets: { product: 'EPCWTI', area: 'NUS' },
}

/** Of the list of tools: those of a server without datasets, and the three about attested ones. */
const MAX_LIST_BYTES = 7_300

const one = () => inventDataset([inventLeaves([null, 'EPCBRENT', 'EPCWTI'], 3)])

const appOf = ({ client, place }: InventedDataset) => createTestApp({ client, datasets: [place], publicUrl })

describe.each(eras)('get_series for a client of %s', (era) => {
  test('default: the newest value with a citation, and the address of its proof', async () => {
    using dataset = await one()
    const client = await connectTo(appOf(dataset), era)
    const { isError, text, data } = await callTool(client, 'get_series', series)
    const proof = `${publicUrl}/v1/series/proof?route=petroleum%2Fpri%2Fspt&frequency=weekly&column=value&facet.area=NUS&facet.product=EPCWTI&period=2026-01-16&index=0`
    expect([isError, data]).toMatchObject([
      false,
      { value: '2.20', unit: '$/BBL', period: '2026-01-16', size: 9, is_newest_root: true, proof },
    ])
    expect(text).toContain(
      `"${ROUTE} weekly value area=NUS product=EPCWTI": "2.20" "$/BBL" for the week ending 16 Jan 2026`,
    )
    expect(text).toContain(`root ${dataset.snapshots[0]?.manifest.root} of casper-test`)
    expect(text).toContain(`wattfeed verify '${proof}' --trust <block hash>`)
    await client.close()
  })

  test('behavior: a range is newest first, and cites the proof of all of its rows', async () => {
    using dataset = await one()
    const client = await connectTo(appOf(dataset), era)
    const range = { ...series, period_from: '2026-01-05' }
    const { isError, text, data } = await callTool(client, 'get_series', range)
    const proof = `${publicUrl}/v1/series/history/proof?route=${ROUTE}&frequency=weekly&column=value&facet.product=EPCWTI&facet.area=NUS&period_from=2026-01-05&order=desc&limit=2&index=0`
    expect([isError, data]).toMatchObject([
      false,
      {
        ...{ shown: 2, covers_from: '2026-01-02', size: 9, is_newest_root: true, proof },
        columns: ['period', 'period_in_words', 'value', 'unit'],
        rows: [
          ['2026-01-16', 'week ending 16 Jan 2026', '2.20', '$/BBL'],
          ['2026-01-09', 'week ending 9 Jan 2026', expect.any(String), '$/BBL'],
        ],
      },
    ])
    expect(data).not.toHaveProperty('next')
    expect(text).toStartWith('2 values, newest first.\nweek ending 16 Jan 2026: "2.20" "$/BBL"\n')
    expect(text).toContain(`wattfeed verify '${proof}' --trust <block hash>`)
    await client.close()
  })

  test('behavior: an empty range says from which period on there are values', async () => {
    using dataset = await one()
    const client = await connectTo(appOf(dataset), era)
    const { isError, text, data } = await callTool(client, 'get_series', {
      ...series,
      period_to: '2001-01-05',
    })
    expect([isError, data.rows]).toEqual([false, []])
    expect(text).toContain('no value between these periods. The dataset has values from "2026-01-02" on.')
    expect(text).toMatch(
      /That there is none: wattfeed verify '.*period_to=2001-01-05&order=desc&limit=100&index=0'/,
    )
    await client.close()
  })

  test('behavior: as_of reads by the newest root up to then', async () => {
    using dataset = await inventDataset([inventLeaves(['EPCWTI'], 1), inventLeaves(['EPCWTI'], 2)])
    const client = await connectTo(appOf(dataset), era)
    const newest = await callTool(client, 'get_series', series)
    expect(newest.data).toMatchObject({ period: '2026-01-09', index: 1 })
    const as_of = new Date(dataset.readings[0]?.updated_at ?? 0).toISOString()
    const value = await callTool(client, 'get_series', { ...series, as_of })
    expect(value.data).toMatchObject({ period: '2026-01-02', index: 0, is_newest_root: false })
    expect([value.data.proof, value.text]).toEqual([
      expect.stringMatching(/&index=0$/),
      expect.not.stringContaining('not here yet'),
    ])
    const range = await callTool(client, 'get_series', { ...series, as_of, period_from: '2026-01-01' })
    expect(range.data).toMatchObject({
      shown: 1,
      index: 0,
      rows: [['2026-01-02', expect.anything(), null, '$/BBL']],
    })
    const before = await callTool(client, 'get_series', { ...series, as_of: '2001-01-01' })
    expect([before.isError, before.text]).toEqual([true, expect.stringContaining('404 root_not_found')])
    await client.close()
  })

  test('behavior: the rest of a long range follows, by the same root', async () => {
    using dataset = await inventDataset([inventLeaves(['EPCWTI'], 250)])
    const client = await connectTo(appOf(dataset), era)
    const periods: unknown[] = []
    let calls = 0
    for (let next: object | undefined = { period_from: '2020-01-01' }; next !== undefined; calls++) {
      const { data, json, text } = await callTool(client, 'get_series', { ...series, ...next })
      expect(Buffer.byteLength(json)).toBeLessThanOrEqual(8_000)
      periods.push(...(data.rows as unknown[][]).map(([period]) => period))
      expect(data.proof).toContain(`&limit=${data.shown}&`)
      next = data.next as object | undefined
      expect(text.includes('Call again with period_to=')).toBe(next !== undefined)
    }
    expect(calls).toBeGreaterThan(2)
    expect(periods).toHaveLength(250)
    expect(periods).toEqual([...new Set(periods)].sort().reverse())
    await client.close()
  })

  test('behavior: a withheld value of a row without a product', async () => {
    using dataset = await one()
    const client = await connectTo(appOf(dataset), era)
    const { text, data } = await callTool(client, 'get_series', {
      ...series,
      facets: { product: null, area: 'NUS' },
      period: '2026-01-02',
    })
    expect([data.value, text.includes('": withheld "$/BBL" for')]).toEqual([null, true])
    await client.close()
  })

  test.each([
    ['a missing facet', { facets: { area: 'NUS' } }, '400 query: missing facets: product; the facets of'],
    [
      'a missing facet, in the words of the tool',
      { facets: { area: 'NUS' } },
      'pass each in facets, null where EIA’s rows have none',
    ],
    [
      'an unknown code, in the words of the tool',
      { facets: { ...series.facets, product: 'X' } },
      'it has no product "X"; list_codes lists those there are',
    ],
    [
      'an unknown facet',
      { facets: { ...series.facets, x: '1' } },
      `the facets of ${ROUTE} are area, product`,
    ],
    [
      'another spelling of a frequency',
      { frequency: 'Weekly' },
      '400 query: frequency=Weekly: the frequencies of',
    ],
    ['another spelling of a route', { route: ROUTE.toUpperCase() }, `this dataset’s is ${ROUTE}`],
    ['another spelling of a column', { column: 'VALUE' }, `the columns of ${ROUTE} are value`],
    ['an absent series', { facets: { ...series.facets, product: 'X' } }, '404 series_absent'],
    [
      'a code in other letters',
      { facets: { ...series.facets, product: 'epcwti' } },
      'it has no product "epcwti": did you mean EPCWTI?',
    ],
    ['an unknown dataset', { route: 'coal/nothing' }, `404 dataset_not_found`],
    ['a dataset of another frequency', { frequency: 'daily' }, `attested are ${ROUTE} weekly`],
    [
      'a period beside a range',
      { period: '2026-01-02', period_to: '2026-01-02' },
      'pass period_from and period_to',
    ],
    [
      'a range of an absent series',
      { facets: { ...series.facets, product: 'X' }, period_to: '2026-12-31' },
      '404 series_absent',
    ],
    ['another form of a time', { as_of: 'yesterday' }, 'as_of'],
    ['facets that are a list', { facets: ['NUS'] }, 'facets'],
  ])('error: %s', async (_, changes, words) => {
    using dataset = await one()
    const client = await connectTo(appOf(dataset), era)
    const { isError, text } = await callTool(client, 'get_series', { ...series, ...changes })
    expect([isError, text]).toEqual([true, expect.stringContaining(words)])
    await client.close()
  })

  test('error: the newest root, whose files are missing, may have the series', async () => {
    using dataset = await inventDataset([inventLeaves(['EPCWTI'], 1), inventLeaves(['EPCWTI'], 2)])
    rmSync(dataset.snapshots[1]?.folder ?? '', { recursive: true })
    const client = await connectTo(appOf(dataset), era)
    const value = await callTool(client, 'get_series', series)
    expect([value.isError, value.data]).toMatchObject([
      false,
      { period: '2026-01-02', is_newest_root: false },
    ])
    expect(value.text).toContain('The files of the newest root are not here yet')
    const absence = await callTool(client, 'get_series', { ...series, period: '2026-01-09' })
    expect([absence.isError, absence.text]).toEqual([true, expect.stringContaining('503 snapshot_missing')])
    await client.close()
  })

  test('behavior: with DATASETS it is listed, which takes few bytes', async () => {
    using dataset = await one()
    const client = await connectTo(appOf(dataset), era)
    const list = JSON.stringify(await client.listTools())
    for (const name of ['get_series', 'list_attested_datasets', 'list_codes'])
      expect(list).toContain(`"${name}"`)
    expect(Buffer.byteLength(list)).toBeLessThanOrEqual(MAX_LIST_BYTES)
    await client.close()
  })

  test('list_attested_datasets > default: each dataset, and how to read it', async () => {
    using dataset = await one()
    const client = await connectTo(appOf(dataset), era)
    const { isError, text, data } = await callTool(client, 'list_attested_datasets')
    expect([isError, text]).toEqual([
      false,
      `1 dataset is attested.\n${ROUTE} weekly: Spot Prices, 9 values; columns: value; facets: area, product`,
    ])
    expect(data).toMatchObject({
      ...{ total_datasets: 1, shown: 1, chain: 'casper-test' },
      datasets: [
        {
          ...{ route: ROUTE, frequency: 'weekly', columns: ['value'], facets: ['area', 'product'], size: 9 },
          ...{ newest_period: '2026-01-16', attested_at: '2026-11-20T09:58:46Z' },
        },
      ],
    })
    await client.close()
  })

  test('search_datasets > behavior: with DATASETS it leads from a hit to get_series', async () => {
    using dataset = await one()
    const client = await connectTo(appOf(dataset), era)
    expect(client.getInstructions()).toContain('read it with get_series')
    const { text, data } = await callTool(client, 'search_datasets', { query: 'spot prices' })
    expect(data.datasets).toContainEqual(
      expect.objectContaining({ route: ROUTE, attested_frequencies: ['weekly'] }),
    )
    expect(JSON.stringify(data).split('attested_frequencies')).toHaveLength(2)
    expect(text).toContain(`/v2/${ROUTE}; get_series reads its values: weekly`)
    const all = await callTool(client, 'search_datasets', { family: 'petroleum/' })
    expect(all.text).toMatch(/\nand \d+ more in the data$/)
    const without = await connectTo(createTestApp({ client: dataset.client, publicUrl }), era)
    expect(without.getInstructions()).not.toContain('get_series')
    const plain = await callTool(without, 'search_datasets', { query: 'spot prices', family: ROUTE })
    expect(plain.json).toContain(ROUTE)
    expect(plain.json).not.toMatch(/get_series|attested_/)
    await client.close()
    await without.close()
  })

  test('search_datasets > behavior: without a node it searches, and says what it cannot read', async () => {
    using dataset = await one()
    const down = () => Promise.reject(new DeadlineError(1_000, null))
    const app = appOf({ ...dataset, client: { ...dataset.client, withSnapshot: down } })
    const client = await connectTo(app, era)
    const { isError, text, data } = await callTool(client, 'search_datasets', { query: 'spot prices' })
    expect([isError, text]).toEqual([
      false,
      expect.stringContaining('Which of them are attested cannot be read from the chain now.'),
    ])
    expect(JSON.stringify(data)).toContain(ROUTE)
    await client.close()
  })

  test('list_codes > default: the codes of a facet, and those that a word selects', async () => {
    using dataset = await inventDataset([inventLeaves([null, 'EPCBRENT', 'EPCWTI'], 3)], (_, code) =>
      code === 'EPCWTI' ? 'WTI Crude Oil' : null,
    )
    const client = await connectTo(appOf(dataset), era)
    const facet = { route: ROUTE, frequency: 'weekly', facet: 'product' }
    const { text, data } = await callTool(client, 'list_codes', facet)
    expect(data).toMatchObject({
      ...{ total_codes: 3, shown: 3, is_newest_root: true },
      codes: [
        { id: null, name: null, values: 3 },
        { id: 'EPCBRENT', name: null, values: 3 },
        { id: 'EPCWTI', name: 'WTI Crude Oil', values: 3 },
      ],
    })
    expect(text).toContain(
      '3 codes.\nnull: 3 values\n"EPCBRENT": 3 values\n"EPCWTI" "WTI Crude Oil": 3 values\n',
    )
    const found = await callTool(client, 'list_codes', { ...facet, query: 'crude' })
    expect([found.data.total_codes, found.text.includes('1 code.')]).toEqual([1, true])
    expect(found.text).toContain('from the files of the snapshot. Nothing proves them')
    expect(found.text).not.toContain('from the chain')
    const none = await callTool(client, 'list_codes', { ...facet, query: 'zebra' })
    expect(none.text).toBe('0 codes.')
    const wrong = await callTool(client, 'list_codes', { ...facet, facet: 'Product' })
    expect([wrong.isError, wrong.text]).toEqual([true, expect.stringContaining('are area, product')])
    await client.close()
  })

  test('list_codes > behavior: the text has all codes of the answer', async () => {
    const products = Array.from({ length: 6 }, (_, index) => `P${index}`)
    using dataset = await inventDataset([inventLeaves(products, 1)])
    const client = await connectTo(appOf(dataset), era)
    const facet = { route: ROUTE, frequency: 'weekly', facet: 'product' }
    const { text } = await callTool(client, 'list_codes', facet)
    expect(text).toStartWith(`6 codes.\n${products.map((code) => `"${code}": 1 value`).join('\n')}\n`)
    const part = await callTool(client, 'list_codes', { ...facet, limit: 4 })
    expect(part.text).toContain('1 to 4 of 6. Call again with offset=4 for more.')
    await client.close()
  })

  test('list_codes > behavior: long and costly codes have a short answer, and the rest follows', async () => {
    const products = Array.from({ length: 60 }, (_, index) => `${'\u{13000}'.repeat(50)}${index}`)
    using dataset = await inventDataset([inventLeaves(products, 1)], (_, code) => code.repeat(2))
    const client = await connectTo(appOf(dataset), era)
    const facet = { route: ROUTE, frequency: 'weekly', facet: 'product', limit: 50 }
    const { data, json, text } = await callTool(client, 'list_codes', facet)
    expect(Buffer.byteLength(json)).toBeLessThanOrEqual(8_000)
    expect([data.total_codes, data.next, text.includes('more')]).toEqual([60, { offset: data.shown }, true])
    await client.close()
  })

  test('behavior: a long and costly series has a short answer', async () => {
    const value = '\u{13000}'.repeat(300)
    const long = inventLeaves([null], 1).map((leaf) => ({
      ...leaf,
      ...{ value, unit: value },
      facets: { ...leaf.facets, product: '\u{13000}'.repeat(50) },
    }))
    using dataset = await inventDataset([long])
    const client = await connectTo(appOf(dataset), era)
    const { isError, json } = await callTool(client, 'get_series', {
      ...series,
      facets: { area: 'NUS', product: '\u{13000}'.repeat(50) },
    })
    expect(isError).toBe(false)
    expect(Buffer.byteLength(json)).toBeLessThanOrEqual(8_000)
    const range = await callTool(client, 'get_series', {
      ...{ ...series, period_from: '2020-01-01' },
      facets: { area: 'NUS', product: '\u{13000}'.repeat(50) },
    })
    expect(range.isError).toBe(false)
    expect(Buffer.byteLength(range.json)).toBeLessThanOrEqual(8_000)
    await client.close()
  })
})
