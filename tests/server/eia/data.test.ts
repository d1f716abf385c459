import { describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { EIA_RECORD, type Leaf } from '@wattfeed/dataset'
import { inventDataset, inventLeaves } from '../series/inventedDataset.ts'
import { answerOf, ask } from '../testApp.ts'
import { answer, apiOf, inventRetail, RETAIL, record, retailLeaves, retailRecord } from './inventedApi.ts'

const PATH = `/eia/v2/${RETAIL}/data`

const BOTH = 'data[0]=price&data[1]=sales'

/** The rows of an answer as texts: `CA RES 2026-03 12.50`. */
const rowsIn = (response: { data: Record<string, string | null>[] }) =>
  response.data.map(
    ({ stateid, sectorid, period, sales = '' }) => `${stateid} ${sectorid} ${period} ${sales}`,
  )

describe('GET /eia/v2/{route}/data', () => {
  test('default: members, types and order as EIA has them', async () => {
    using dataset = await inventRetail()
    const { status, headers, body } = await answer(
      apiOf([dataset]),
      `${PATH}?api_key=K&frequency=monthly&${BOTH}&facets[stateid][]=CA&length=1`,
    )
    expect([status, headers.get('content-type'), headers.get('vary')]).toEqual([
      200,
      'application/json',
      'Accept-Encoding, X-Params',
    ])
    const row = {
      // No name of this sector is recorded.
      ...{ period: '2026-03', stateid: 'CA', stateDescription: 'California', sectorid: 'ALL' },
      ...{ price: null, sales: '20', 'price-units': 'cents per kilowatt-hour' },
      'sales-units': 'million kilowatt hours',
    }
    expect(body).toEqual({
      response: {
        total: '6',
        dateFormat: 'YYYY-MM',
        frequency: 'monthly',
        data: [row],
        description: 'Electricity sales to ultimate customers.\n    Sources: Forms EIA-861M',
      },
      request: {
        command: `/v2/${RETAIL}/data/`,
        params: {
          ...{ frequency: 'monthly', data: ['price', 'sales'], facets: { stateid: ['CA'] }, length: '1' },
        },
      },
      apiVersion: '2.1.12',
      ExcelAddInVersion: '2.1.0',
    })
    expect(Object.keys(body)).toEqual(['response', 'request', 'apiVersion', 'ExcelAddInVersion'])
    expect(Object.keys(body.response)).toEqual(['total', 'dateFormat', 'frequency', 'data', 'description'])
    expect(Object.keys(body.response.data[0])).toEqual(Object.keys(row))
  })

  test('behavior: a column without a leaf is left out of its row, a null leaf is null', async () => {
    using dataset = await inventRetail()
    const { response } = await answer(apiOf([dataset]), `${PATH}?${BOTH}&length=2`)
    expect(response.data.map(({ price }: { price?: unknown }) => price)).toEqual([null, undefined])
    expect(Object.keys(response.data[1])).toEqual(
      retailRecord.members.filter((member) => !member.startsWith('price')),
    )
  })

  test('behavior: no column is shown if none is requested, and each only once', async () => {
    using dataset = await inventRetail()
    const app = apiOf([dataset])
    const shown = async (query: string) => {
      const { response } = await answer(app, `${PATH}?${query}`)
      return [response.total, Object.keys(response.data[0])]
    }
    const others = ['period', 'stateid', 'stateDescription', 'sectorid']
    expect(await shown('length=1')).toEqual(['9', others])
    expect(await shown('data=sales&data[]=sales&data[7]=sales')).toEqual([
      '9',
      [...others, 'sales', 'sales-units'],
    ])
  })

  const queries: [string, string, string[]][] = [
    [
      'newest first, then by facets',
      'length=4',
      ['CA ALL 2026-03 20', 'AK RES 2026-03 11', 'CA RES 2026-03 29', 'CA ALL 2026-02 19'],
    ],
    ['a page', 'offset=3&length=2', ['CA ALL 2026-02 19', 'AK RES 2026-02 10']],
    ['past the end', 'offset=9', []],
    ['no row at all', 'length=0', []],
    [
      'in one period',
      'start=2026-02&end=2026-02',
      ['CA ALL 2026-02 19', 'AK RES 2026-02 10', 'CA RES 2026-02 28'],
    ],
    [
      'some codes, one of them unknown',
      'facets[stateid][]=AK&facets[stateid][]=XX&start=2026-03',
      ['AK RES 2026-03 11'],
    ],
    ['a wrong code', 'facets[stateid][]=XX', []],
    ['no rows without a code', 'facets[stateid][]=', []],
    [
      'by facets, newest first',
      'start=2026-02&sort[0][column]=sectorid&sort[1][column]=stateid&sort[1][direction]=desc',
      [
        'CA ALL 2026-03 20',
        'CA ALL 2026-02 19',
        'CA RES 2026-03 29',
        'CA RES 2026-02 28',
        'AK RES 2026-03 11',
        'AK RES 2026-02 10',
      ],
    ],
    [
      'oldest first',
      'end=2026-01&sort[][column]=period&sort[][direction]=asc',
      ['CA ALL 2026-01 18', 'AK RES 2026-01 9', 'CA RES 2026-01 27'],
    ],
    [
      'by a column, as numbers',
      'sort[0][column]=sales&length=3',
      ['AK RES 2026-01 9', 'AK RES 2026-02 10', 'AK RES 2026-03 11'],
    ],
    [
      'by a column with texts and without values, which are last, then by period',
      'sort[0][column]=price&sort[0][direction]=desc&sort[1][column]=period&offset=1',
      [
        'CA RES 2026-02 28',
        'CA RES 2026-01 27',
        'AK RES 2026-01 9',
        'AK RES 2026-02 10',
        'CA ALL 2026-01 18',
        'CA ALL 2026-02 19',
        'CA ALL 2026-03 20',
        'AK RES 2026-03 11',
      ],
    ],
  ]
  test.each(queries)('behavior: rows %s', async (_, query, rows) => {
    using dataset = await inventRetail()
    const { response } = await answer(apiOf([dataset]), `${PATH}/?data[]=sales&${query}`)
    expect(rowsIn(response)).toEqual(rows)
  })

  test('behavior: a column of the order alone adds no rows', async () => {
    using dataset = await inventRetail()
    const app = apiOf([dataset])
    const totalOf = async (query: string) => {
      const { response } = await answer(app, `${PATH}?${query}&sort[0][column]=sales`)
      return [response.total, response.data.length]
    }
    // The newest price of Alaska is missing.
    expect(await totalOf('data[]=price')).toEqual(['8', 8])
    expect(await totalOf(BOTH)).toEqual(['9', 9])
    expect(await totalOf('')).toEqual(['9', 9])
  })

  test('behavior: X-Params has the parameters as JSON, and loses to the query', async () => {
    using dataset = await inventRetail()
    const params = {
      ...{
        frequency: 'monthly',
        data: ['sales'],
        facets: { stateid: ['CA'], sectorid: [] },
        start: '2026-03',
      },
      ...{ end: null, sort: [{ column: 'sectorid', direction: 'desc' }], offset: 0, length: 5000 },
    }
    const headers = { 'x-params': JSON.stringify(params) }
    const app = apiOf([dataset])
    const { response } = await answer(app, PATH, { headers })
    expect(rowsIn(response)).toEqual(['CA RES 2026-03 29', 'CA ALL 2026-03 20'])
    const other = await answer(app, `${PATH}?facets[stateid][]=AK`, { headers })
    expect(rowsIn(other.response)).toEqual(['AK RES 2026-03 11'])
    expect(other.body.request.params).toMatchObject({ facets: { stateid: ['AK'] }, data: ['sales'] })
  })

  test('behavior: a snapshot without a record answers without names, and says so', async () => {
    using dataset = await inventRetail()
    rmSync(join(dataset.snapshots[0]?.folder ?? '', EIA_RECORD))
    const { body, response } = await answer(apiOf([dataset]), `${PATH}?data[]=sales&length=1`)
    expect(Object.keys(response)[0]).toBe('warnings')
    expect(response.warnings.map(({ warning }: { warning: string }) => warning)).toEqual([
      'names are missing',
    ])
    expect(response.data).toEqual([
      {
        ...{ period: '2026-03', sectorid: 'ALL', stateid: 'CA', sales: '20' },
        'sales-units': 'million kilowatt hours',
      },
    ])
    expect([response.dateFormat, body.apiVersion]).toEqual(['YYYY-MM', '2.1.8'])
    expect(response.description).toStartWith('Retail electricity sales')
  })

  test('behavior: a facet without a code is null, and an empty code selects its rows', async () => {
    using dataset = await inventDataset([inventLeaves([null, 'EPCWTI'], 2)])
    const path = '/eia/v2/petroleum/pri/spt/data?data[]=value&length=1'
    const { response } = await answer(apiOf([dataset]), `${path}&facets[product][]=`)
    expect([response.total, response.data[0]]).toEqual([
      '2',
      { period: '2026-01-09', area: 'NUS', product: null, value: '0.10', 'value-units': '$/BBL' },
    ])
  })

  test('behavior: a warning for each facet names the codes that no row has', async () => {
    using dataset = await inventRetail()
    const app = apiOf([dataset])
    const known = await answer(app, `${PATH}?facets[stateid][]=CA`)
    expect(known.response).not.toHaveProperty('warnings')
    const states = ['CA', 'TXX', ...Array.from({ length: 5 }, (_, at) => `Q${at}`), 'long'.repeat(500)]
    const query = states.map((each) => `facets[stateid][]=${each}`).join('&')
    const { response } = await answer(app, `${PATH}?${query}&facets[sectorid][]=&facets[sectorid][]=RES`)
    expect([response.total, response.warnings]).toEqual([
      '3',
      [
        ['sectorid', "''"],
        ['stateid', "'TXX', 'Q0', 'Q1', 'Q2', 'Q3', and 2 more"],
      ].map(([facet, codes]) => ({
        warning: 'unknown facet value',
        description: `No row of the dataset has ${facet} ${codes}. The endpoint /facet/${facet} lists the values.`,
      })),
    ])
    // EIA's form of an answer without rows.
    const none = await answer(app, `${PATH}?facets[stateid][]=TXX`)
    expect([none.response.total, none.response.warnings]).toEqual(['0', undefined])
    const long = await answer(app, `${PATH}?facets[stateid][]=%1b${'long'.repeat(500)}&facets[stateid][]=CA`)
    const { description } = long.response.warnings[0]
    expect([long.response.total, description.length < 200, description]).toEqual([
      '6',
      true,
      expect.not.stringContaining('\u001b'),
    ])
  })

  test('behavior: more than 5,000 rows come with EIA’s warnings, as many as one answer has', async () => {
    const leaves = inventLeaves(
      Array.from({ length: 101 }, (_, at) => `P${at}`),
      50,
    )
    using dataset = record(await inventDataset([leaves]), { ...retailRecord, members: [], names: [] })
    const app = apiOf([dataset])
    const path = '/eia/v2/petroleum/pri/spt/data?data[]=value'
    const { response } = await answer(app, `${path}&length=99999`)
    expect([response.total, response.data.length, response.warnings]).toEqual([
      '5050',
      5_000,
      [
        { warning: 'parameter out of range: length', description: 'The maximum value is 5000.' },
        {
          warning: 'incomplete return',
          description:
            'The API can only return 5000 rows in JSON format.  Please consider constraining your request with facet, start, or end, or using offset to paginate results.',
        },
      ],
    ])
    const last = await answer(app, `${path}&offset=5000`)
    expect([last.response.data.length, last.response.warnings.length]).toEqual([50, 1])
  })

  test('behavior: HEAD has the headers of GET, and a client that has the answer gets 304', async () => {
    using dataset = await inventRetail()
    const app = apiOf([dataset])
    const get = await ask(app, PATH)
    const head = await ask(app, PATH, { method: 'HEAD' })
    expect([head.status, await head.text(), head.headers.get('etag')]).toEqual([
      200,
      '',
      get.headers.get('etag'),
    ])
    const etag = get.headers.get('etag') ?? ''
    expect((await ask(app, PATH, { headers: { 'if-none-match': etag } })).status).toBe(304)
  })
})

describe('the state that answers', () => {
  const headersIn = (headers: Headers) =>
    ['root', 'size', 'index', 'attested-at', 'proof'].map((name) => headers.get(`x-wattfeed-${name}`))

  test('default: headers name root, size, attestation, time, and a table with the proof of each row', async () => {
    using dataset = await inventRetail()
    const app = apiOf([dataset])
    const query = `${BOTH}&facets[stateid][]=CA&start=2026-02-01&end=2026-03`
    const { headers } = await answer(app, `${PATH}?${query}`)
    const { root = '', size = 0 } = dataset.snapshots[0]?.manifest ?? {}
    const proof = `/v1/series/table?route=electricity%2Fretail-sales&frequency=monthly&column=price&column=sales&facet.stateid=CA&period_from=2026-02&period_to=2026-03&sort=-period&index=0`
    expect(headersIn(headers)).toEqual([root, String(size), '0', '1795168726000', proof])
    expect(headers.get('x-casper-state-root')).toBeString()
    const { body } = await answerOf(app, proof)
    expect([body.root, body.total, body.row_proof]).toEqual([
      root,
      8,
      expect.stringContaining('/v1/series/proof?'),
    ])
  })

  test('behavior: of one series, they name the proof of the range', async () => {
    using dataset = await inventRetail()
    const app = apiOf([dataset])
    const { headers } = await answer(
      app,
      `${PATH}?data[]=sales&facets[stateid][]=CA&facets[sectorid][]=RES&start=2026-02`,
    )
    const proof = headers.get('x-wattfeed-proof') ?? ''
    expect(proof).toBe(
      '/v1/series/history/proof?route=electricity/retail-sales&frequency=monthly&column=sales&facet.sectorid=RES&facet.stateid=CA&period_from=2026-02&index=0',
    )
    const { status, body } = await answerOf(app, proof)
    expect([status, body.range.period_from]).toEqual([200, '2026-02'])
  })

  test.each([
    ['the last period is before the first', 'start=2026-02-09&end=2026-02-01'],
    ['hours have no offset', 'start=2026-02-02&end=2026-02-02T20'],
  ])('behavior: the path is that of an answer if %s', async (_, bounds) => {
    const hours = Array.from({ length: 5_040 }, (_, hour) =>
      new Date(Date.UTC(2026, 1, 1, hour)).toISOString(),
    )
    const leaves = hours.map((iso): Leaf => {
      const facets = { respondent: 'CISO', type: 'D' }
      const of = { route: 'electricity/rto/region-data', frequency: 'local-hourly', column: 'value', facets }
      return { ...of, period: `${iso.slice(0, 13)}-08`, value: '1', unit: 'megawatthours' }
    })
    using dataset = await inventDataset([leaves])
    const app = apiOf([dataset])
    const path =
      '/eia/v2/electricity/rto/region-data/data?data[]=value&facets[respondent][]=CISO&facets[type][]=D'
    const { headers, response } = await answer(app, `${path}&${bounds}`)
    const { status, body } = await answerOf(app, headers.get('x-wattfeed-proof') ?? '')
    const values = body.rows ?? body.leaves
    expect([status, values.length]).toEqual([200, Number(response.total)])
  })

  test('behavior: many codes do not make a header that proxies refuse', async () => {
    using dataset = await inventRetail()
    const codes = Array.from({ length: 400 }, (_, at) => `&facets[stateid][]=${at}`).join('')
    const { headers } = await answer(apiOf([dataset]), `${PATH}?data[]=sales${codes}`)
    expect(headers.get('x-wattfeed-proof')).toBe(
      '/v1/series/table?route=electricity%2Fretail-sales&frequency=monthly&sort=-period&index=0',
    )
  })

  test('behavior: /eia/as-of/{date} answers by the root of that day, and by no other', async () => {
    using dataset = await inventRetail([retailLeaves(3), retailLeaves(4)])
    const app = apiOf([dataset])
    const [older, newer] = dataset.readings
    const path = PATH.replace('/v2', `/as-of/${older?.updated_at}/v2`)
    const then = await answer(app, `${path}?data[]=sales&length=1`)
    const now = await answer(app, `${PATH}?data[]=sales&length=1`)
    expect([then, now].map(({ headers }) => headersIn(headers).slice(0, 3))).toEqual([
      [older?.source_hash ?? '', '17', '0'],
      [newer?.source_hash ?? '', '23', '1'],
    ])
    expect([then, now].map(({ response }) => response.data[0].period)).toEqual(['2026-03', '2026-04'])
    expect(then.body.request.command).toBe(`/v2/${RETAIL}/data/`)
    // The end of the day.
    const day = await answer(app, `${PATH.replace('/v2', '/as-of/2026-11-20/v2')}?data[]=sales&length=1`)
    expect(day.response.data[0].period).toBe('2026-04')
    rmSync(dataset.snapshots[0]?.folder ?? '', { recursive: true })
    expect((await answer(app, path)).status).toBe(410)
    const before = await answer(app, PATH.replace('/v2', '/as-of/2026-11-19/v2'))
    expect([before.status, before.body.code, before.body.error]).toEqual([
      404,
      404,
      expect.stringContaining('had no root at 2026-11-19T23:59:59.999Z'),
    ])
    const wrong = await answer(app, PATH.replace('/v2', '/as-of/2026-02-30/v2'))
    expect([wrong.status, wrong.body.code]).toEqual([400, 400])
  })

  test('behavior: an earlier root without a record has the names and the shape of the newest one, and says so', async () => {
    using dataset = await inventRetail([retailLeaves(3), retailLeaves(4)])
    rmSync(join(dataset.snapshots[0]?.folder ?? '', EIA_RECORD))
    const app = apiOf([dataset])
    const path = PATH.replace('/v2', `/as-of/${dataset.readings[0]?.updated_at}/v2`)
    const { response } = await answer(app, `${path}?data[]=sales&facets[sectorid][]=RES&length=1`)
    expect(response.warnings.map(({ warning }: { warning: string }) => warning)).toEqual(['newer names'])
    const members = [
      'period',
      'stateid',
      'stateDescription',
      'sectorid',
      'sectorName',
      'sales',
      'sales-units',
    ]
    expect([response.data[0].period, Object.keys(response.data[0])]).toEqual(['2026-03', members])
  })

  test('behavior: an earlier root answers while the files of the newest are missing, with a warning', async () => {
    using dataset = await inventRetail([retailLeaves(3), retailLeaves(4)])
    rmSync(dataset.snapshots[1]?.folder ?? '', { recursive: true })
    const { headers, response } = await answer(apiOf([dataset]), PATH)
    expect([headers.get('x-wattfeed-index'), response.warnings[0].warning]).toEqual(['0', 'earlier root'])
  })
})
