import { describe, expect, test } from 'bun:test'
import { answerEia } from '../src/answerEia.ts'
import type { EiaAnswer } from '../src/api/eiaRefusals.ts'
import { findDataset } from '../src/catalog/index.ts'
import { fixtureDatasets } from './support/fixtureEia.ts'

const datasets = new Map(fixtureDatasets.map((dataset) => [dataset.route, dataset]))
const rows = new Map([...datasets].map(([route, { data }]) => [route, data.response.data]))

function ask(
  path: string,
  { apiKey = null, maxRows = 5000 }: { apiKey?: string | null; maxRows?: number } = {},
) {
  return answerEia({ datasets, rows, apiKey, maxRows }, new URL(`http://127.0.0.1/v2/${path}`))
}

const spt = 'petroleum/pri/spt'
const daily = `${spt}/data?api_key=key&frequency=daily&data[]=value`
const newestFirst = '&sort[0][column]=period&sort[0][direction]=desc'

/** The data part of an answer. */
function responseOf({ body }: EiaAnswer): { total: string; data: Record<string, string>[] } {
  return Object(body).response
}

const periodsOf = (answer: EiaAnswer) => responseOf(answer).data.map(({ period }) => period)

describe('data', () => {
  test('default: the envelope of EIA, with the key echoed', () => {
    const query = `data/?api_key=my-key&frequency=daily&data[0]=value&facets[series][]=RWTC${newestFirst}&offset=0&length=1`
    expect(ask(`${spt}/${query}`)).toEqual({
      status: 200,
      body: {
        response: {
          total: '5',
          dateFormat: 'YYYY-MM-DD',
          frequency: 'daily',
          data: [
            {
              period: '2026-11-20',
              duoarea: 'YCUOK',
              'area-name': 'NA',
              product: 'EPCWTI',
              'product-name': 'WTI Crude Oil',
              process: 'PF4',
              'process-name': 'Spot Price FOB',
              series: 'RWTC',
              'series-description': 'Cushing, OK WTI Spot Price FOB (Dollars per Barrel)',
              value: '58.46',
              units: '$/BBL',
            },
          ],
          description: 'Spot prices of crude oil and petroleum products.',
        },
        request: {
          command: '/v2/petroleum/pri/spt/data/',
          params: {
            api_key: 'my-key',
            frequency: 'daily',
            data: ['value'],
            facets: { series: ['RWTC'] },
            sort: [{ column: 'period', direction: 'desc' }],
            offset: '0',
            length: '1',
          },
        },
        apiVersion: '2.1.8',
        ExcelAddInVersion: '2.1.0',
      },
    })
  })

  test('behavior: facets filter, one value or several', () => {
    const seriesOf = (facets: string) => {
      const { total, data } = responseOf(ask(daily + facets))
      return [total, [...new Set(data.map(({ series }) => series))]]
    }
    expect(seriesOf('&facets[series][]=RBRTE')).toEqual(['5', ['RBRTE']])
    expect(seriesOf('&facets[series][]=RBRTE&facets[series][]=RWTC')).toEqual(['10', ['RWTC', 'RBRTE']])
    expect(seriesOf('&facets[series][]=RBRTE&facets[product][]=EPCWTI')).toEqual(['0', []])
    expect(seriesOf('')).toEqual(['10', ['RWTC', 'RBRTE']])
  })

  test('behavior: an unknown facet value returns no rows and no error', () => {
    expect(responseOf(ask(`${daily}&facets[series][]=XYZ`))).toMatchObject({ total: '0', data: [] })
  })

  test('behavior: sort, offset and length', () => {
    const wti = `${daily}&facets[series][]=RWTC`
    expect(periodsOf(ask(`${wti}${newestFirst}&length=2`))).toEqual(['2026-11-20', '2026-11-19'])
    expect(periodsOf(ask(`${wti}${newestFirst}&length=2&offset=3`))).toEqual(['2026-11-17', '2026-11-16'])
    expect(periodsOf(ask(`${wti}&sort[0][column]=period&length=1`))).toEqual(['2026-11-16'])
    const byValue = '&sort[0][column]=value&sort[0][direction]=desc'
    expect(responseOf(ask(`${wti}${byValue}&length=1`)).data[0]?.value).toBe('60.33')
  })

  test('behavior: `end` limits the rows and the total', () => {
    const answer = ask(`${daily}&facets[series][]=RWTC${newestFirst}&end=2026-11-17`)
    expect(periodsOf(answer)).toEqual(['2026-11-17', '2026-11-16'])
    expect(responseOf(answer)).toMatchObject({ total: '2' })
  })

  test('behavior: `start` limits them, too, at the other end', () => {
    const answer = ask(`${daily}&facets[series][]=RWTC${newestFirst}&start=2026-11-19&end=2026-11-19`)
    expect(periodsOf(answer)).toEqual(['2026-11-19'])
    expect(responseOf(answer)).toMatchObject({ total: '1' })
    expect(periodsOf(ask(`${daily}&facets[series][]=RWTC${newestFirst}&start=2026-11-19`))).toEqual([
      '2026-11-20',
      '2026-11-19',
    ])
  })

  test('behavior: rows that changed between two answers are sorted again', () => {
    const changing = new Map([[spt, [{ period: '1', value: 'a' }]]])
    const api = { datasets, rows: changing, apiKey: null, maxRows: 5000 }
    const read = () => periodsOf(answerEia(api, new URL(`http://127.0.0.1/v2/${daily}${newestFirst}`)))
    expect(read()).toEqual(['1'])
    changing.get(spt)?.push({ period: '2', value: 'b' })
    expect(read()).toEqual(['2', '1'])
    changing.get(spt)?.splice(0, 1, { period: '3', value: 'c' })
    expect(read()).toEqual(['3', '2'])
  })

  test('behavior: the second sort decides ties of the first', () => {
    const second = '&sort[1][column]=series&sort[1][direction]=asc&length=2'
    expect(responseOf(ask(daily + newestFirst + second)).data.map(({ series }) => series)).toEqual([
      'RBRTE',
      'RWTC',
    ])
  })

  test('behavior: only the requested columns, with their units', () => {
    const path =
      'electricity/retail-sales/data?api_key=k&data[0]=price&facets[stateid][]=US&facets[sectorid][]=ALL'
    expect(responseOf(ask(`${path}${newestFirst}&length=1`)).data).toEqual([
      {
        period: '2026-09',
        stateid: 'US',
        stateDescription: 'U.S. Total',
        sectorid: 'ALL',
        sectorName: 'all sectors',
        price: '13.59',
        'price-units': 'cents per kilowatt-hour',
      },
    ])
  })

  test('behavior: a frequency other than that of the rows returns none, also by default', () => {
    expect(responseOf(ask(daily.replace('daily', 'weekly')))).toMatchObject({
      frequency: 'weekly',
      total: '0',
    })
    expect(responseOf(ask(`${spt}/data?api_key=k`))).toMatchObject({ frequency: 'weekly', total: '0' })
    expect(responseOf(ask('steo/data?api_key=k'))).toMatchObject({ frequency: 'monthly', total: '10' })
  })

  test('behavior: a warning when there are more rows than the limit of a response', () => {
    const { data, ...rest } = responseOf(ask(daily, { maxRows: 3 }))
    expect(data).toHaveLength(3)
    expect(rest).toMatchObject({
      total: '10',
      warnings: [
        {
          warning: 'incomplete return',
          description:
            'The API can only return 3 rows in JSON format.  Please consider constraining your request with facet, start, or end, or using offset to paginate results.',
        },
      ],
    })
    expect(responseOf(ask(daily, { maxRows: 10 }))).not.toHaveProperty('warnings')
  })
})

describe('metadata and facets', () => {
  test('default: each with the request', () => {
    const request = (path: string) => ({ command: `/v2/${path}/`, params: { api_key: 'key' } })
    expect(ask(`${spt}/?api_key=key`)).toMatchObject({
      status: 200,
      body: { response: { id: 'spt', defaultFrequency: 'weekly' }, request: request(spt) },
    })
    expect(ask(`${spt}/facet?api_key=key`)).toMatchObject({
      status: 200,
      body: {
        response: { totalFacetOptions: 4, facetOptions: ['duoarea', 'product', 'process', 'series'] },
        request: request(`${spt}/facet`),
      },
    })
    expect(ask(`${spt}/facet/product?api_key=key`)).toMatchObject({
      status: 200,
      body: {
        response: {
          totalFacets: 2,
          facets: [
            { id: 'EPCWTI', name: 'WTI Crude Oil' },
            { id: 'EPCBRENT', name: 'UK Brent Crude Oil' },
          ],
        },
        request: request(`${spt}/facet/product`),
      },
    })
  })
})

describe('the levels of routes', () => {
  test('default: what is directly below a level, each once', () => {
    const { body } = ask('petroleum/pri?api_key=key')
    expect(body).toMatchObject({
      response: {
        id: 'pri',
        routes: [
          { id: 'gnd', name: 'Weekly Retail Gasoline and Diesel Prices' },
          { id: 'spt', name: 'Spot Prices', description: 'Spot prices of crude oil and petroleum products.' },
        ],
      },
      request: { command: '/v2/petroleum/pri/', params: { api_key: 'key' } },
    })
    const ids: string[] = Object(ask('petroleum/?api_key=key').body).response.routes.map(
      ({ id }: { id: string }) => id,
    )
    expect(ids.toSorted()).toEqual(['cons', 'crd', 'pri', 'stoc'])
  })

  test('behavior: the root has an empty id', () => {
    for (const path of ['', '/']) {
      const { response, request } = Object(
        answerEia(
          { datasets, rows, apiKey: null, maxRows: 1 },
          new URL(`http://127.0.0.1/v2${path}?api_key=key`),
        ).body,
      )
      expect([response.id, request.command]).toEqual(['', '/v2/'])
      expect(response.routes).toContainEqual({ id: 'petroleum', name: 'petroleum', description: 'petroleum' })
    }
  })
})

describe('the header X-Params', () => {
  const withHeader = (path: string, header: object | string) =>
    answerEia(
      { datasets, rows, apiKey: 'key', maxRows: 5000 },
      new URL(`http://127.0.0.1/v2/${path}`),
      typeof header === 'string' ? header : JSON.stringify(header),
    )

  test('default: it selects rows as the query does', () => {
    const header = {
      ...{ frequency: 'daily', data: ['value'], facets: { series: ['RWTC'] }, end: '2026-11-19' },
      ...{ sort: [{ column: 'period', direction: 'desc' }], offset: 1, length: 2 },
    }
    const answer = withHeader(`${spt}/data?api_key=key`, header)
    expect(periodsOf(answer)).toEqual(['2026-11-18', '2026-11-17'])
    expect(answer.body).toMatchObject({
      request: { params: { ...header, offset: '1', length: '2', api_key: 'key' } },
    })
  })

  test('error: the key counts only in the query', () => {
    expect(withHeader(`${spt}/data`, { api_key: 'key' }).status).toBe(403)
  })

  test('error: a header that is no JSON', () => {
    expect(withHeader(`${spt}/data?api_key=key`, '{')).toEqual({
      status: 400,
      body: { error: 'Invalid X-Params provided.', code: 400 },
    })
  })
})

describe('refusals', () => {
  const refused: [string, string, EiaAnswer][] = [
    [
      'no key',
      `${spt}/data`,
      {
        status: 403,
        body: {
          error: {
            code: 'API_KEY_MISSING',
            message: 'No api_key was supplied. Get one at https://api.eia.gov:443',
          },
        },
      },
    ],
    [
      'another key',
      `${spt}?api_key=bad`,
      {
        status: 403,
        body: {
          error: {
            code: 'API_KEY_INVALID',
            message: 'An invalid api_key was supplied. Get one at https://api.eia.gov:443',
          },
        },
      },
    ],
    [
      'an unknown route',
      'petroleum/xyz/data?api_key=key',
      { status: 500, body: { error: 'Not found.', code: 404 } },
    ],
    [
      'data of a family',
      'petroleum/data?api_key=key',
      { status: 500, body: { error: 'Not found.', code: 404 } },
    ],
    ['the start of a name', 'petrol?api_key=key', { status: 500, body: { error: 'Not found.', code: 404 } }],
    [
      'a frequency that is none',
      daily.replace('daily', 'yearly'),
      {
        status: 400,
        body: {
          error:
            "Invalid frequency 'yearly' provided. The only valid frequencies are 'monthly', 'weekly', 'annual', and 'daily'.",
          code: 400,
        },
      },
    ],
    [
      'a column that is none',
      `${daily}&data[]=price`,
      {
        status: 400,
        body: { error: "Invalid data 'price' provided. The only valid data are 'value'.", code: 400 },
      },
    ],
    [
      'a facet that is none',
      `${daily}&facets[state][]=US`,
      {
        status: 400,
        body: {
          error:
            "Invalid facet 'state' provided. The only valid facets are 'duoarea', 'product', 'process', and 'series'.",
          code: 400,
        },
      },
    ],
    [
      'values of a facet that is none',
      'nuclear-outages/us-nuclear-outages/facet/x?api_key=key',
      { status: 400, body: { error: "Invalid facet 'x' provided. The only valid facets are .", code: 400 } },
    ],
  ]
  test.each(refused)('error: %s', (_, path, answer) => {
    expect(ask(path, { apiKey: 'key' })).toEqual(answer)
  })
})

describe('the fixtures', () => {
  test('default: names, frequencies, columns and facets are those of the catalog', () => {
    for (const { route, metadata } of datasets.values()) {
      const { frequency, facets, data, ...rest } = Object(metadata).response
      const ids = (list: { id: string }[]) => list.map(({ id }) => id)
      const dataset = findDataset(route)
      if (dataset === null) throw new Error(`the catalog has no ${route}`)
      const { name, frequencies, columns } = dataset
      expect(rest).toMatchObject({ name })
      expect(ids(frequency)).toEqual([...frequencies])
      expect(ids(facets)).toEqual([...dataset.facets])
      expect(Object.keys(data)).toEqual([...columns])
    }
  })

  test('behavior: a row holds texts, all facets, and every column with its unit', () => {
    for (const { metadata, data, route } of datasets.values()) {
      for (const row of data.response.data) {
        const values = Object.values(row).filter((value) => typeof value !== 'string' && value !== null)
        expect(values).toEqual([])
        for (const { id } of metadata.response.facets) expect(Object.keys(row)).toContain(id)
        for (const column of Object.keys(metadata.response.data)) {
          const unit = row.units ?? row[`${column}-units`] ?? row.unit
          expect([route, typeof row[column], typeof unit]).toEqual([route, 'string', 'string'])
        }
      }
    }
  })
})
