import { describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { encode as encodeCl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { encode as encodeO200k } from 'gpt-tokenizer/encoding/o200k_base'
import { type InventedDataset, inventDataset, inventLeaves, ROUTE } from '../series/inventedDataset.ts'
import { createTestApp } from '../testApp.ts'
import { callTool, connectTo, eras, publicUrl } from './mcpClient.ts'

const series = {
  ...{ route: ROUTE, frequency: 'weekly', column: 'value' },
  facets: { product: 'EPCWTI', area: 'NUS' },
}

/** Of the list of tools: those of a server without datasets, and this one. */
const MAX_LIST_TOKENS = 1_600

const one = () => inventDataset([inventLeaves([null, 'EPCBRENT', 'EPCWTI'], 3)])

const appOf = ({ client, place }: InventedDataset) => createTestApp({ client, datasets: [place], publicUrl })

describe.each(eras)('get_series for a client of %s', (era) => {
  test('default: the newest value with a citation, and the address of its proof', async () => {
    using dataset = await one()
    const client = await connectTo(appOf(dataset), era)
    const { isError, text, data } = await callTool(client, 'get_series', series)
    const proof = `${publicUrl}/v1/series/proof?route=petroleum%2Fpri%2Fspt&frequency=weekly&column=value&facet.area=NUS&facet.product=EPCWTI&period=2026-01-16`
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
    ['an unknown dataset', { route: 'coal/nothing' }, '404 dataset_not_found'],
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

  test('behavior: with DATASETS it is listed, which takes few tokens', async () => {
    using dataset = await one()
    const client = await connectTo(appOf(dataset), era)
    const list = JSON.stringify(await client.listTools())
    expect(list).toContain('"get_series"')
    expect(Math.max(encodeO200k(list).length, encodeCl100k(list).length)).toBeLessThanOrEqual(MAX_LIST_TOKENS)
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
    expect(Math.max(encodeO200k(json).length, encodeCl100k(json).length)).toBeLessThanOrEqual(8_000)
    await client.close()
  })
})
