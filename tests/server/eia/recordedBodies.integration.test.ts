import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { datasetFeedId, type Manifest } from '@wattfeed/dataset'
import { folderFiles } from '@wattfeed/dataset/disk'
import { createEiaClient } from '@wattfeed/eia'
import { findDataset } from '@wattfeed/eia/catalog'
import { answerEia, type UpstreamDataset, type UpstreamRow } from '@wattfeed/eia/internal'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import type { AnyElysia } from 'elysia'
import { datasetFeed, rootOf } from 'wattfeed/testing/datasetSnapshot'
import { takeSnapshot } from '../../../src/agent/datasets/takeSnapshot.ts'
import { createFakeClient } from '../fakeClient.ts'
import { createTestApp } from '../testApp.ts'
import { answer } from './inventedApi.ts'

/** Bodies of the real API, which we may not publish: in a folder next to the repository, if it exists. */
const folder = fileURLToPath(new URL('../../../../shared/upstream/', import.meta.url))
const isThere = existsSync(folder)
const title = isThere
  ? 'recorded bodies of EIA'
  : 'recorded bodies of EIA: skipped, ../shared/upstream is not there'

const recorded = (name: string) => Object(JSON.parse(readFileSync(`${folder}${name}.json`, 'utf8')))

const POWER = 'electricity/electric-power-operational-data'
const PLANTS = 'electricity/facility-fuel'
const FUELS = 'electricity/rto/fuel-type-data'

/** What a body records, and the columns of its rows. Bodies are cut to 20 rows. */
interface Recording {
  readonly route: string
  readonly frequency: string
  readonly columns: readonly string[]
  readonly files: readonly string[]
  /** The parameters of the request, if the body does not echo those of its rows. */
  readonly params?: object
  /** A period in which rows are invented, so that more than 5,000 match as in the recording. */
  readonly inventedIn?: string
}

const recordings: readonly Recording[] = [
  {
    ...{ route: POWER, frequency: 'annual', columns: ['consumption-for-eg'] },
    files: ['data-electricity-electric-power-operational-data-annual'],
  },
  {
    ...{ route: POWER, frequency: 'quarterly', columns: ['consumption-for-eg'] },
    files: ['data-electricity-electric-power-operational-data-quarterly'],
    // The rows lack the other column of their request.
    params: {
      ...{ data: ['consumption-for-eg'], frequency: 'quarterly' },
      facets: { fueltypeid: ['NG'], location: ['CO'], sectorid: ['99'] },
      ...{ start: '2023-Q1', end: '2023-Q4' },
    },
  },
  {
    ...{ route: POWER, frequency: 'monthly', columns: ['generation'], inventedIn: '2001-01' },
    files: ['data-electricity-electric-power-operational-data-monthly-warning'],
  },
  {
    ...{ route: PLANTS, frequency: 'monthly', columns: ['generation', 'gross-generation'] },
    inventedIn: '2022-01',
    files: ['data-electricity-facility-fuel-monthly-warning', 'data-electricity-facility-fuel-empty'],
  },
  {
    ...{ route: 'electricity/retail-sales', frequency: 'monthly', columns: ['customers', 'price', 'sales'] },
    files: ['data-electricity-retail-sales-monthly-multicol'],
    params: {
      ...{ frequency: 'monthly', facets: { sectorid: ['RES'] }, data: ['price', 'sales', 'customers'] },
      start: '2014-01',
    },
  },
  {
    ...{ route: FUELS, frequency: 'hourly', columns: ['value'] },
    files: ['data-rto-fuel-type-data-pacw-2023', 'data-rto-fuel-type-data-pacw-2024'],
  },
  {
    ...{ route: 'electricity/rto/region-data', frequency: 'hourly', columns: ['value'] },
    files: ['data-rto-region-data-pacw-demand'],
  },
]

/** The recorded bodies of routes and levels. */
const metadataFiles: Readonly<Record<string, string>> = {
  '': 'meta-root',
  electricity: 'meta-electricity',
  'electricity/rto': 'meta-electricity-rto',
  [PLANTS]: 'meta-electricity-facility-fuel',
}

/** EIA's facets at the time of the recording: some have more now. */
const facetsOf = ({ route, files: [first = ''] }: Recording): readonly string[] =>
  findDataset(route)?.facets.filter((id) => id in recorded(first).response.data[0]) ?? []

function rowsOf(recording: Recording): UpstreamRow[] {
  const { files, inventedIn } = recording
  const rows: UpstreamRow[] = files.flatMap((file) => recorded(file).response.data)
  const [facet = ''] = facetsOf(recording)
  if (inventedIn === undefined) return rows
  const invented = rows.flatMap((row) =>
    Array.from({ length: 1 + 5_000 / rows.length }, (_, at) => ({
      ...row,
      period: inventedIn,
      [facet]: `${row[facet]}-${at}`,
    })),
  )
  return [...rows, ...invented]
}

/** What the recorded level above a route says of it. */
function textsOf(route: string): object {
  const at = route.lastIndexOf('/')
  const level = recorded(metadataFiles[route.slice(0, at)] ?? '').response
  return level.routes.find(({ id }: { id: string }) => id === route.slice(at + 1))
}

/** EIA with the rows and the texts of the recordings. Where no metadata of a route is recorded, it has ids and the texts of the level. */
function upstreamOf(recording: Recording): UpstreamDataset {
  const { route, frequency, columns, files } = recording
  const [first = ''] = files
  const { dateFormat = 'YYYY-MM', description = 'Not recorded.' } = recorded(first).response
  const file = metadataFiles[route]
  const metadata =
    file === undefined
      ? {
          response: {
            ...textsOf(route),
            ...{ frequency: [{ id: frequency }], defaultFrequency: frequency },
            facets: facetsOf(recording).map((id) => ({ id })),
            data: Object.fromEntries(columns.map((column) => [column, {}])),
          },
        }
      : recorded(file)
  const data = { response: { dateFormat, frequency, data: [], description } }
  return { route, metadata, facets: {}, data }
}

/** Takes a snapshot of a recording, as the agent does. */
async function take(recording: Recording, parent: string): Promise<Manifest> {
  const { route, frequency, columns } = recording
  const api = {
    datasets: new Map([[route, upstreamOf(recording)]]),
    rows: new Map([[route, rowsOf(recording)]]),
    ...{ apiKey: null, maxRows: 5_000 },
  }
  const eia = createEiaClient({
    ...{ baseUrl: 'https://eia.invalid', apiKey: 'any', requestsPerSecond: 1_000 },
    fetch: async (request) => {
      const url = new URL(String(request))
      const file = metadataFiles[url.pathname.replace(/^\/v2\/?|\/$/g, '')]
      if (file !== undefined) return Response.json(recorded(file))
      const { status, body } = answerEia(api, url)
      return Response.json(body, { status })
    },
  })
  const { manifest } = await takeSnapshot({
    eia,
    dataset: { route, frequency, columns, periods: null },
    facets: facetsOf(recording),
    ...{ out: join(parent, datasetFeedId(route, frequency).toLowerCase()), now: Date.now },
  })
  return manifest
}

/** The query of a request that a body echoes. */
function queryOf(params: object): string {
  const pairs = (value: unknown, name: string): [string, string][] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, each]) => pairs(each, name === '' ? key : `${name}[${key}]`))
      : [[name, String(value)]]
  return String(new URLSearchParams(pairs(params, '')))
}

/** The form of a value: members in their order, and kinds of values. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.entries(value).map(([member, each]) => [member, shapeOf(each)])
}

describe.skipIf(!isThere)(title, () => {
  let snapshots: Folder
  let app: AnyElysia

  beforeAll(async () => {
    snapshots = createFolder()
    const manifests: Manifest[] = []
    for (const recording of recordings) manifests.push(await take(recording, snapshots.path))
    const readings = manifests.map((manifest) => {
      const { amount, ...root } = rootOf(manifest)
      const feed_id = datasetFeedId(manifest.route, manifest.frequency)
      return { feed_id, ...datasetFeed(manifest), value: Number(amount), amount, ...root, updated_at: 1 }
    })
    const client = createFakeClient({ readings })
    app = createTestApp({ client, datasets: [folderFiles(snapshots.path)] })
  })

  afterAll(() => snapshots?.[Symbol.dispose]())

  const cases = recordings.flatMap((recording) => recording.files.map((file) => [file, recording] as const))

  test.each(cases)('default: the rows of %s, in the same form', async (file, { route, params: asked }) => {
    const { response: theirs, ...around } = recorded(file)
    const { api_key: _, ...params } = asked ?? around.request.params
    const { status, body, response } = await answer(app, `/eia/v2/${route}/data?${queryOf(params)}`)
    expect([status, typeof response.total]).toEqual([200, typeof theirs.total])
    const lines = response.data.map((row: object) => JSON.stringify(row))
    // Of this body, only the rows are recorded, without their units.
    const isCut = around.request === undefined
    for (const row of theirs.data) expect(lines).toContain(JSON.stringify(row))
    expect(body.request.params).toEqual(params)
    if (isCut) return
    expect(body.request.command).toBe(around.request.command)
    expect(shapeOf({ ...body, request: null })).toEqual(
      shapeOf({ response: theirs, ...around, request: null }),
    )
    const { data: _rows, total: _total, ...others } = theirs
    expect(response).toMatchObject(others)
  })

  test.each([
    ['the root', '', 'meta-root'],
    ['a level', 'electricity', 'meta-electricity'],
    ['a level below', 'electricity/rto', 'meta-electricity-rto'],
  ])('default: %s, with those of the routes that are attested', async (_, path, file) => {
    const { body, response } = await answer(app, `/eia/v2/${path}`)
    const theirs = recorded(file)
    expect(shapeOf(response)).toEqual(shapeOf(theirs.response))
    const { routes, ...texts } = response
    expect(theirs.response).toMatchObject(texts)
    for (const route of routes) expect(theirs.response.routes).toContainEqual(route)
    expect(routes.length).toBeGreaterThan(0)
    if (theirs.request !== undefined) expect(Object.keys(body)).toEqual(Object.keys(theirs))
  })

  test('default: the metadata of a route, with what is attested, and the periods of the snapshot', async () => {
    const { response } = await answer(app, `/eia/v2/${PLANTS}`)
    const theirs = recorded('meta-electricity-facility-fuel').response
    expect(shapeOf(response)).toEqual(
      shapeOf({
        ...theirs,
        data: { generation: theirs.data.generation, 'gross-generation': theirs.data['gross-generation'] },
      }),
    )
    const { frequency, data, startPeriod, endPeriod, ...others } = response
    expect(theirs).toMatchObject({ ...others, data })
    expect(theirs.frequency).toEqual(expect.arrayContaining(frequency))
    expect([startPeriod, endPeriod]).toEqual(['2022-01', '2022-12'])
  })

  test.each([
    [`${PLANTS}/facet/fuel2002`, 'facet_values-electricity-facility-fuel-fuel2002', []],
    // Rows do not have aliases, so that snapshots do not, either. The number of values is not in these recordings.
    [
      `${POWER}/facet/location`,
      'facet_values-electricity-electric-power-operational-data-location',
      ['alias'],
    ],
    [
      `${POWER}/facet/fueltypeid`,
      'facet_values-electricity-electric-power-operational-data-fueltypeid',
      ['alias'],
    ],
    [
      `${POWER}/facet/sectorid`,
      'facet_values-electricity-electric-power-operational-data-sectorid',
      ['alias'],
    ],
  ])('default: the values of %s', async (path, file, missing) => {
    const { response } = await answer(app, `/eia/v2/${path}`)
    const theirs = recorded(file).response
    const [first] = theirs.facets
    for (const member of missing) delete first[member]
    expect(shapeOf(response)).toEqual(shapeOf({ totalFacets: 1, facets: [first] }))
  })

  test.each([
    ['a column', `${POWER}/data/?frequency=annual&data[]=consumption&length=5`, 'invalid-data-column-400'],
    ['a frequency', `${POWER}/data/?frequency=yearly`, 'invalid-frequency-400'],
    ['a route', 'electricity/wholesale-prices/data/?data[0]=value', 'unknown-route-500'],
  ])('error: %s, in the same form', async (_, path, file) => {
    const { body } = await answer(app, `/eia/v2/${path}`)
    const theirs = recorded(`error-${file}`)
    expect(shapeOf(body)).toEqual(shapeOf(theirs))
    // After it are the valid ones, which are fewer here.
    const [start = ''] = theirs.error.split(" '", 1)
    expect([body.code, body.error.startsWith(start)]).toEqual([theirs.code, true])
  })
})
