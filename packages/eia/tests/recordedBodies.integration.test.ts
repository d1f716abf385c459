import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { EiaClient } from '../src/createEiaClient.ts'
import { encodePeriod } from '../src/period/period.ts'
import { readValue } from '../src/readValue.ts'
import { scaleDecimal } from '../src/scaleDecimal.ts'
import type { EiaRow, Series } from '../src/series.ts'
import { clientOf } from './support/eiaClientOf.ts'
import { answerWith } from './support/eiaServer.ts'
import { startFixtureEia } from './support/fixtureEia.ts'

/** Bodies of the real API, which we may not publish: in a folder next to the repository, if it exists. */
const folder = fileURLToPath(new URL('../../../../shared/upstream/', import.meta.url))
const isThere = existsSync(folder)
const title = isThere ? 'recorded bodies' : 'recorded bodies: skipped, ../shared/upstream is not there'

/** The client's result for a body: rows or another result, or facts of its error; the warnings; the numbers of rows. */
async function read(file: string, status: number, ask: (client: EiaClient) => Promise<unknown>) {
  await using upstream = startFixtureEia()
  const body = readFileSync(`${folder}${file}`, 'utf8')
  upstream.fail(answerWith(body, { status }))
  const warnings: string[] = []
  const observe = { warning: ({ warning }: { warning: string }) => warnings.push(warning) }
  const result = await ask(clientOf({ baseUrl: upstream.url, observe })).catch((error: unknown) => ({
    error,
  }))
  return { result, warnings }
}

interface Body {
  response: { total: string; frequency?: string; data: Record<string, string>[] }
}

const facetIds = [
  'location',
  'sectorid',
  'fueltypeid',
  'plantCode',
  'fuel2002',
  'state',
  'primeMover',
  'stateid',
]
const rtoFacetIds = ['respondent', 'fueltype', 'type']

/** The series of a body, each with EIA's answer for it alone, newest first. */
function seriesOf(file: string, frequency: string, column: string): [Series, Body][] {
  const body: Body = JSON.parse(readFileSync(`${folder}${file}`, 'utf8'))
  const facetsOf = (row: Record<string, string>) =>
    [...facetIds, ...rtoFacetIds].flatMap((id) => (row[id] === undefined ? [] : [[id, row[id]] as const]))
  const groups = Map.groupBy(body.response.data, (row) => JSON.stringify(facetsOf(row)))
  return [...groups.values()].map((rows) => {
    const facets = Object.fromEntries(facetsOf(rows[0] ?? {}))
    const data = rows.toSorted((a, b) => ((a.period ?? '') < (b.period ?? '') ? 1 : -1))
    const response = { ...body.response, total: String(data.length), data }
    return [{ route: 'electricity', frequency, column, facets }, { response }]
  })
}

/** The client's result for a body that it did not request. */
async function readAsIs(file: string, series: Series) {
  const { result, warnings } = await read(file, 200, (eia) => eia.listNewestRows(series, { length: 5000 }))
  return { result, warnings }
}

/** Reads the rows of one answer, and checks each. */
async function readRows(series: Series, body: Body): Promise<EiaRow[]> {
  const fetch = async () => new Response(JSON.stringify(body))
  const rows = await clientOf({ baseUrl: 'https://eia.invalid', fetch }).listNewestRows(series, {
    length: 5000,
  })
  for (const { period, value } of rows) {
    expect(encodePeriod(series.frequency, period)).toBeGreaterThan(2000)
    const decimal = readValue(value)
    if (decimal !== null && !decimal.startsWith('-'))
      expect(scaleDecimal(decimal, 6)).toBeGreaterThanOrEqual(0n)
  }
  return rows
}

const MWH = { unit: 'megawatthours', statedUnit: 'megawatthours' }
const MCF = { unit: 'thousand Mcf', statedUnit: 'thousand Mcf' }
const data: [string, string, string, EiaRow, string[]][] = [
  [
    'data-electricity-electric-power-operational-data-annual.json',
    'annual',
    'consumption-for-eg',
    { period: '2020', value: '47834.384', ...MCF },
    [],
  ],
  [
    'data-electricity-electric-power-operational-data-monthly-warning.json',
    'monthly',
    'generation',
    {
      period: '2021-03',
      value: '8.53051',
      unit: 'thousand megawatthours',
      statedUnit: 'thousand megawatthours',
    },
    ['incomplete return'],
  ],
  [
    'data-electricity-electric-power-operational-data-quarterly.json',
    'quarterly',
    'consumption-for-eg',
    { period: '2023-Q3', value: '38922.149', ...MCF },
    [],
  ],
  [
    'data-electricity-facility-fuel-monthly-warning.json',
    'monthly',
    'generation',
    { period: '2022-12', value: '188961', ...MWH },
    ['incomplete return'],
  ],
  [
    'data-electricity-retail-sales-monthly-multicol.json',
    'monthly',
    'price',
    { period: '2014-01', value: '17.49', unit: null, statedUnit: null },
    [],
  ],
  [
    'data-rto-fuel-type-data-pacw-2023.json',
    'hourly',
    'value',
    { period: '2023-01-01T00', value: expect.any(String), ...MWH },
    [],
  ],
  [
    'data-rto-fuel-type-data-pacw-2024.json',
    'hourly',
    'value',
    { period: '2024-01-01T00', value: expect.any(String), ...MWH },
    [],
  ],
  [
    'data-rto-region-data-pacw-demand.json',
    'hourly',
    'value',
    { period: '2023-01-01T00', value: expect.any(String), ...MWH },
    [],
  ],
]

const asRecorded: [string, string, string, string[], object][] = [
  [
    'data-electricity-electric-power-operational-data-annual.json',
    'annual',
    'consumption-for-eg',
    ['location', 'sectorid', 'fueltypeid'],
    { code: 'eia_row_order', period: '2021', precededBy: '2020' },
  ],
  [
    'data-electricity-electric-power-operational-data-monthly-warning.json',
    'monthly',
    'generation',
    ['location', 'sectorid', 'fueltypeid'],
    { code: 'eia_open_facet', facet: 'fueltypeid', values: expect.arrayContaining(['NGO', 'SUN']) },
  ],
  [
    'data-electricity-facility-fuel-monthly-warning.json',
    'monthly',
    'generation',
    [],
    { code: 'eia_doubled_period', period: '2022-12' },
  ],
  [
    'data-electricity-retail-sales-monthly-multicol.json',
    'monthly',
    'price',
    ['stateid', 'sectorid'],
    { code: 'eia_open_facet', facet: 'stateid' },
  ],
  [
    'data-rto-fuel-type-data-pacw-2023.json',
    'hourly',
    'value',
    ['respondent', 'fueltype'],
    { code: 'eia_open_facet', facet: 'fueltype', values: expect.arrayContaining(['NG']) },
  ],
  [
    'data-rto-region-data-pacw-demand.json',
    'hourly',
    'value',
    ['respondent', 'type'],
    { code: 'eia_row_order', period: '2023-01-01T01', precededBy: '2023-01-01T00' },
  ],
]

const errors: [string, number, object][] = [
  [
    'error-api_key_invalid-403.json',
    403,
    {
      code: 'eia_key',
      status: 403,
      eiaCode: 'API_KEY_INVALID',
      eiaMessage: 'An invalid api_key was supplied. Get one at https://api.eia.gov:443',
      retryable: false,
    },
  ],
  [
    'error-invalid-data-column-400.json',
    200,
    { code: 'eia_error', status: 200, eiaCode: '400', retryable: false },
  ],
  [
    'error-invalid-frequency-400.json',
    400,
    { code: 'eia_error', status: 400, eiaCode: '400', retryable: false },
  ],
  [
    'error-unknown-route-500.json',
    500,
    { code: 'eia_error', status: 500, eiaCode: '404', eiaMessage: 'Not found.', retryable: false },
  ],
  ['data-electricity-facility-fuel-empty.json', 200, { code: 'eia_no_rows', status: 200 }],
  ['meta-electricity.json', 200, { code: 'eia_unexpected', missing: 'response.data' }],
]

const facetValues: [string, { id: string; name: string; alias?: string }][] = [
  [
    'facet_values-electricity-electric-power-operational-data-fueltypeid.json',
    { id: 'NGO', name: 'natural gas & other gases' },
  ],
  [
    'facet_values-electricity-electric-power-operational-data-location.json',
    { id: 'US', name: 'U.S. Total', alias: 'Total: (US) U.S. Total' },
  ],
  [
    'facet_values-electricity-electric-power-operational-data-sectorid.json',
    { id: '99', name: 'All Sectors', alias: '(99) All Sectors' },
  ],
  ['facet_values-electricity-facility-fuel-fuel2002.json', { id: 'NG', name: 'Natural Gas' }],
]

describe.skipIf(!isThere)(title, () => {
  test.each(data)('default: %s', async (file, frequency, column, row, expectedWarnings) => {
    const all = seriesOf(file, frequency, column)
    const rows = (await Promise.all(all.map(([series, body]) => readRows(series, body)))).flat()
    expect(rows).toContainEqual(row)
    expect(rows).toHaveLength(all.flatMap(([, body]) => body.response.data).length)
    expect(rows.length).toBeGreaterThan(3)
    const [[series] = []] = all
    if (series === undefined) throw new Error('no series')
    // None of them is the answer to a feed's request, whose rows are newest first.
    const { warnings } = await readAsIs(file, series)
    expect(warnings).toEqual(expectedWarnings)
  })

  const others = data.flatMap(([file, frequency, column]) => {
    const all = isThere ? seriesOf(file, frequency, column) : []
    return all.slice(1).map(([series]) => [file, series] as const)
  })
  test('error: no series gets the row of another', async () => {
    expect(others.length).toBeGreaterThan(10)
    for (const [file, series] of others)
      expect((await readAsIs(file, series)).result).toMatchObject({ error: { code: 'eia_wrong_facet' } })
  })

  test.each(asRecorded)('error: as recorded, %s', async (file, frequency, column, openFacets, facts) => {
    const series = { route: 'electricity', frequency, column, facets: {}, openFacets }
    expect((await readAsIs(file, series)).result).toMatchObject({ error: facts })
  })

  test.each(data)('error: another frequency than that of %s', async (file, frequency, column) => {
    const series = { route: 'electricity', frequency: 'daily', column, facets: {} }
    const { result } = await readAsIs(file, series)
    const body: Body = JSON.parse(readFileSync(`${folder}${file}`, 'utf8'))
    const facts = { code: 'eia_wrong_frequency', asked: 'daily', came: frequency }
    // One body has been published without it.
    if (body.response.frequency !== undefined) expect(result).toMatchObject({ error: facts })
    else expect(result).toMatchObject({ error: { code: 'eia_doubled_period' } })
  })

  test.each(errors)('error: %s', async (file, status, facts) => {
    const series = { route: 'electricity', frequency: 'monthly', column: 'generation', facets: {} }
    const { result } = await read(file, status, (eia) => eia.listNewestRows(series))
    expect(result).toMatchObject({ error: facts })
  })

  test.each(facetValues)('default: %s', async (file, value) => {
    const { result } = await read(file, 200, (eia) => eia.listFacetValues('electricity', 'any'))
    expect(result).toContainEqual(value)
  })

  test('behavior: every body is read here', () => {
    // Nothing here reads EIA's metadata.
    const isRead = (name: string): boolean => name.endsWith('.json') && !name.startsWith('meta-')
    const tables = [data, errors, facetValues].flatMap((table) => table.map(([file]) => file))
    expect([...new Set(tables)].filter(isRead).sort()).toEqual(readdirSync(folder).filter(isRead).sort())
  })
})
