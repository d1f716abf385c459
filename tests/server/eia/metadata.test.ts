import { describe, expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EIA_RECORD, type SnapshotFiles } from '@wattfeed/dataset'
import { changing, inventDataset, inventLeaves } from '../series/inventedDataset.ts'
import { ask } from '../testApp.ts'
import { answer, apiOf, inventRetail, RETAIL, record, retailLeaves, retailRecord } from './inventedApi.ts'

/** The annual dataset of the same route. */
const inventAnnual = async () => {
  const leaves = retailLeaves(1).map((leaf) => ({ ...leaf, frequency: 'annual', period: '2025' }))
  const annual = await inventDataset([leaves])
  return record(annual, { ...retailRecord, dateFormat: 'YYYY' })
}

const frequency = [
  { id: 'monthly', description: 'One data point for each month.', query: 'M', format: 'YYYY-MM' },
]

describe('levels of routes', () => {
  test('default: what is attested below, in EIA’s words', async () => {
    using retail = await inventRetail()
    using annual = await inventAnnual()
    using prices = await inventDataset([inventLeaves(['A'], 1)])
    const app = apiOf([retail, annual, prices])
    for (const path of ['/eia/v2', '/eia/v2/', '/eia/as-of/2026-11-20/v2'])
      expect((await answer(app, path)).body).toEqual({
        response: {
          ...{ id: '', name: '', description: '' },
          routes: [
            { id: 'electricity', name: 'Electricity', description: 'EIA electricity survey data' },
            // Its snapshot records nothing.
            { id: 'petroleum', name: 'petroleum', description: '' },
          ],
        },
        request: { command: '/v2/', params: {} },
        ...{ apiVersion: '2.1.8', ExcelAddInVersion: '2.1.0' },
      })
    const { response } = await answer(app, '/eia/v2/electricity/?api_key=K')
    expect(response).toEqual({
      ...{ id: 'electricity', name: 'Electricity', description: 'EIA electricity survey data' },
      routes: [
        {
          id: 'retail-sales',
          name: 'Electricity Sales to Ultimate Customers',
          description: 'Sales by state and sector.',
        },
      ],
    })
    expect((await answer(app, '/eia/v2/petroleum')).response.routes).toEqual([
      { id: 'pri', name: 'pri', description: '' },
    ])
  })

  test('behavior: the base URL without a version leads to the first level', async () => {
    using retail = await inventRetail()
    for (const path of ['/eia', '/eia/']) {
      const response = await ask(apiOf([retail]), path)
      expect([path, response.status, response.headers.get('location')]).toEqual([path, 302, '/eia/v2'])
    }
  })

  test('behavior: a route whose own texts are empty is named above it', async () => {
    using retail = await inventRetail()
    const unnamed = { ...retailRecord.metadata, name: '', description: '' }
    const app = apiOf([record(retail, { ...retailRecord, metadata: unnamed })])
    expect((await answer(app, `/eia/v2/${RETAIL}`)).response).toMatchObject({ name: '', description: '' })
    expect((await answer(app, '/eia/v2/electricity')).response.routes).toEqual([
      {
        ...{ id: 'retail-sales', name: 'Electricity Sales to Ultimate Customers' },
        description: expect.stringContaining('Retail electricity sales'),
      },
    ])
  })

  test('behavior: a record that is malformed is as none, because nothing of an answer needs it', async () => {
    using retail = await inventRetail()
    using prices = await inventDataset([inventLeaves(['A'], 1)])
    writeFileSync(join(retail.snapshots[0]?.folder ?? '', EIA_RECORD), '{')
    const app = apiOf([retail, prices])
    expect((await answer(app, '/eia/v2')).response.routes).toHaveLength(2)
    for (const path of ['', '/facet', '/facet/stateid', '/data']) {
      const { status, response } = await answer(app, `/eia/v2/${RETAIL}${path}`)
      expect([path, status, response?.warnings[0].warning]).toEqual([path, 200, 'names are missing'])
    }
  })

  test.each([
    ['a name', { names: [{ member: 'x', facet: 'stateid', texts: new Map([['CA', 'x'.repeat(8_192)]]) }] }],
    ['the member of a name', { names: [{ member: 'x'.repeat(8_193), facet: 'stateid', texts: new Map() }] }],
    ['the member of a unit', { unitMembers: new Map([['price', 'x'.repeat(8_193)]]) }],
  ])('behavior: so is one with %s that would be in each of 5,000 rows', async (_, wide) => {
    using dataset = record(await inventRetail(), { ...retailRecord, ...wide })
    const { response } = await answer(apiOf([dataset]), `/eia/v2/${RETAIL}/data?data[]=price&length=1`)
    expect(response.warnings).toEqual([expect.objectContaining({ warning: 'names are missing' })])
    expect(Object.keys(response.data[0])).toEqual(['period', 'sectorid', 'stateid', 'price', 'price-units'])
  })

  test('behavior: a record is read once for all levels, although a cache cannot have all records', async () => {
    using retail = await inventRetail()
    using annual = await inventAnnual()
    using prices = record(await inventDataset([inventLeaves(['A'], 1)]), retailRecord)
    const all = [retail, annual, prices]
    const padding = Buffer.alloc(2 ** 25 - 10_000, ' ')
    let reads = 0
    const padded = ({ place }: { place: SnapshotFiles }) =>
      changing(place, (path, bytes) => {
        if (!path.endsWith(EIA_RECORD)) return bytes
        reads += 1
        return Buffer.concat([bytes, padding])
      })
    const app = apiOf(all, { datasets: all.map(padded) })
    const ask = () => Promise.all(['', '', '/electricity', ''].map((path) => answer(app, `/eia/v2${path}`)))
    const [first] = await ask()
    expect([first?.response.routes.length, reads]).toEqual([2, 2])
    const names = async () => (await answer(app, `/eia/v2/${RETAIL}/data?length=1`)).response.warnings
    // The third record takes the place of another in the cache.
    expect([await names(), reads]).toEqual([undefined, 3])
    expect([(await ask())[0]?.body, reads]).toEqual([first?.body, 3])
  })

  test('behavior: without any dataset there is nothing below', async () => {
    const app = apiOf([], { datasets: [{ read: async () => null }] })
    expect((await answer(app, '/eia/v2/')).response.routes).toEqual([])
  })
})

describe('metadata of a route', () => {
  test('default: EIA’s, with the columns, facets, frequencies and periods of the snapshot', async () => {
    using dataset = await inventRetail()
    const { headers, body } = await answer(apiOf([dataset]), `/eia/v2/${RETAIL}`)
    const { revenue: _, ...data } = Object(retailRecord.metadata.data)
    const response = {
      ...retailRecord.metadata,
      ...{ frequency, data, startPeriod: '2026-01', endPeriod: '2026-03' },
    }
    expect(body).toEqual({
      response,
      request: { command: `/v2/${RETAIL}/`, params: {} },
      ...{ apiVersion: '2.1.12', ExcelAddInVersion: '2.1.0' },
    })
    expect(Object.keys(body.response)).toEqual(Object.keys(retailRecord.metadata))
    expect([headers.get('x-wattfeed-index'), headers.get('x-wattfeed-proof')]).toEqual(['0', null])
  })

  test('behavior: several frequencies are those that are attested, and the default is EIA’s', async () => {
    using monthly = await inventRetail()
    using annual = await inventAnnual()
    const { response } = await answer(apiOf([annual, monthly]), `/eia/v2/${RETAIL}/`)
    expect(response.frequency.map(({ id }: { id: string }) => id)).toEqual(['monthly', 'annual'])
    expect([response.defaultFrequency, response.startPeriod]).toEqual(['monthly', '2026-01'])
    const data = await answer(apiOf([annual, monthly]), `/eia/v2/${RETAIL}/data?length=1`)
    expect([data.response.frequency, data.response.dateFormat]).toEqual(['monthly', 'YYYY-MM'])
    const other = await answer(apiOf([annual, monthly]), `/eia/v2/${RETAIL}/data?length=1&frequency=annual`)
    expect([other.response.frequency, other.response.dateFormat]).toEqual(['annual', 'YYYY'])
  })

  test('behavior: warnings are of this answer, and not of the one that was recorded', async () => {
    using dataset = await inventRetail()
    const warnings = [{ warning: 'earlier root', description: 'Of the server that the agent read.' }]
    const metadata = { warnings, ...retailRecord.metadata }
    const app = apiOf([record(dataset, { ...retailRecord, metadata, names: null })])
    const { response } = await answer(app, `/eia/v2/${RETAIL}`)
    expect(response.warnings.map(({ warning }: { warning: string }) => warning)).toEqual([
      'names are missing',
    ])
  })

  test('behavior: without a record, ids take the place of names, and a warning says so', async () => {
    using dataset = await inventRetail()
    rmSync(join(dataset.snapshots[0]?.folder ?? '', EIA_RECORD))
    const { response } = await answer(apiOf([dataset]), `/eia/v2/${RETAIL}`)
    const { warnings, description, ...rest } = response
    expect([warnings.length, description]).toEqual([1, expect.stringContaining('electricity')])
    expect(rest).toEqual({
      ...{ id: 'retail-sales', name: 'Electricity Sales to Ultimate Customers', frequency },
      facets: [
        { id: 'sectorid', description: 'sectorid' },
        { id: 'stateid', description: 'stateid' },
      ],
      data: { price: { alias: 'price' }, sales: { alias: 'sales' } },
      ...{ startPeriod: '2026-01', endPeriod: '2026-03' },
      ...{ defaultDateFormat: 'YYYY-MM', defaultFrequency: 'monthly' },
    })
  })
})

describe('facets', () => {
  test('default: all ids, and the codes that the snapshot has, with names that are recorded', async () => {
    using dataset = await inventRetail()
    const app = apiOf([dataset])
    expect((await answer(app, `/eia/v2/${RETAIL}/facet/`)).response).toEqual({
      totalFacetOptions: 2,
      facetOptions: ['sectorid', 'stateid'],
    })
    expect((await answer(app, `/eia/v2/${RETAIL}/facet/stateid`)).response).toEqual({
      totalFacets: 2,
      facets: [
        { id: 'AK', name: 'Alaska' },
        { id: 'CA', name: 'California' },
      ],
    })
    expect((await answer(app, `/eia/v2/${RETAIL}/facet/sectorid/`)).response.facets).toEqual([
      { id: 'ALL', name: 'ALL' },
      { id: 'RES', name: 'residential' },
    ])
  })

  test('error: a facet that is none, in EIA’s words', async () => {
    using dataset = await inventRetail()
    const { status, body } = await answer(apiOf([dataset]), `/eia/v2/${RETAIL}/facet/state%20id`)
    expect([status, body]).toEqual([
      400,
      {
        error: "Invalid facet 'state id' provided. The only valid facets are 'sectorid', and 'stateid'.",
        code: 400,
      },
    ])
  })
})

describe('GET /eia/v2/seriesid/{id}', () => {
  const seriesLeaves = inventLeaves(['A', 'B'], 2).map((leaf) => ({
    ...leaf,
    facets: { series: `RW${leaf.facets.product}.1`, area: 'NUS' },
  }))

  test('default: the rows of a series of its family and frequency, as the request of data has them', async () => {
    using retail = await inventRetail()
    using prices = await inventDataset([seriesLeaves])
    const app = apiOf([retail, prices])
    const { status, headers, body, response } = await answer(app, '/eia/v2/seriesid/PET.RWB.1.W?api_key=K')
    expect([status, body.request]).toEqual([200, { command: '/v2/seriesid/PET.RWB.1.W/', params: {} }])
    const path = '/eia/v2/petroleum/pri/spt/data?data[]=value&facets[series][]=RWB.1'
    expect(response).toEqual((await answer(app, path)).response)
    expect(response.data.map(({ value }: { value: string }) => value)).toEqual(['1.10', null])
    expect(headers.get('x-wattfeed-proof')).toContain('facet.series=RWB.1')
    const asOf = await answer(app, '/eia/as-of/2026-11-20/v2/seriesid/PET.RWB.1.W?length=1')
    expect([asOf.status, asOf.response.data.length]).toEqual([200, 1])
  })

  test('behavior: a dataset whose files are missing does not hide the series of another', async () => {
    using first = await inventDataset([seriesLeaves.map((leaf) => ({ ...leaf, route: 'petroleum/pri/gnd' }))])
    const facets = { series: 'EPM0', area: 'NUS' }
    using second = await inventDataset([inventLeaves(['A'], 2).map((leaf) => ({ ...leaf, facets }))])
    rmSync(first.snapshots[0]?.folder ?? '', { recursive: true })
    for (const datasets of [
      [first, second],
      [second, first],
    ]) {
      const app = apiOf(datasets)
      const { status, response } = await answer(app, '/eia/v2/seriesid/PET.EPM0.W')
      expect([status, response?.total]).toEqual([200, '2'])
      // The missing files may have this one.
      const missing = await answer(app, '/eia/v2/seriesid/PET.RWB.1.W')
      expect([missing.status, missing.body.error]).toEqual([503, expect.stringContaining('no snapshot of')])
    }
  })

  const others: [string, string, string][] = [
    [
      'a series that no dataset has',
      'PET.RWX.W',
      '/eia/v2/petroleum/pri/spt/data?frequency=weekly&data[]=value&facets[series][]=RWX',
    ],
    [
      'another frequency',
      'PET.RWB.1.D',
      '/eia/v2/petroleum/pri/spt/data?frequency=weekly&data[]=value&facets[area][]=…&facets[series][]=…',
    ],
    [
      'a family without such a facet',
      'ELEC.PRICE.CA-RES.M',
      `/eia/v2/${RETAIL}/data?frequency=monthly&data[]=price&facets[sectorid][]=…&facets[stateid][]=…`,
    ],
  ]
  test.each(others)('error: %s, with the request by facets', async (_, id, request) => {
    using retail = await inventRetail()
    using prices = await inventDataset([seriesLeaves])
    const { status, body } = await answer(apiOf([retail, prices]), `/eia/v2/seriesid/${id}`)
    expect([status, body]).toEqual([
      404,
      { error: `There is no series '${id}' here. Request its rows by facets: ${request}`, code: 404 },
    ])
  })
})
