import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EIA_RECORD, readEiaRecord } from '@wattfeed/dataset'
import { checkSnapshot, folderFiles } from '@wattfeed/dataset/disk'
import { apiKey } from '@wattfeed/eia/testing/eiaClientOf'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder } from '@wattfeed/testing/folder'
import type { UpstreamRow } from '../../../packages/eia/src/answerEia.ts'
import type { SnapshotStep } from '../../../src/agent/datasets/snapshotInput.ts'
import { upstreamDatasets } from '../../../src/demo/standIn/upstreamDatasets.ts'
import { spot, spotRow, spotRows, startDatasetApi, takeFrom } from './datasetApi.ts'

const states = { CA: 'California', US: 'U.S. Total' }
const sectors = { ALL: 'all sectors', RES: 'residential' }

/** Rows of retail sales as EIA sends them. */
const salesRows = Object.entries(states).flatMap(([stateid, stateDescription]) =>
  Object.entries(sectors).map(
    ([sectorid, sectorName], index): UpstreamRow => ({
      ...{ period: '2026-09', stateid, stateDescription, sectorid, sectorName },
      ...{ sales: `${index}.5`, price: null, 'sales-units': 'MWh', 'price-units': 'cents' },
    }),
  ),
)

const sales = {
  dataset: {
    route: 'electricity/retail-sales',
    frequency: 'monthly',
    columns: ['sales', 'price'],
    periods: null,
  },
  facets: ['stateid', 'sectorid'],
}

const recordIn = (folder: string) => readEiaRecord(folderFiles(folder))

/** What is said that is not recorded. */
function createHearing() {
  const heard: string[] = []
  const onProgress = (step: SnapshotStep) => void (step.step === 'not_recorded' && heard.push(step.why))
  return { heard, onProgress }
}

describe('the record of a snapshot', () => {
  test('default: what EIA says of the route, of the levels above it, and beside the values of rows', async () => {
    using out = createFolder()
    await using api = startDatasetApi(salesRows, { route: sales.dataset.route })
    const { folder } = await takeFrom(api, out.path, sales)
    const { metadata, data } = Object(
      upstreamDatasets.find(({ route }) => route === 'electricity/retail-sales'),
    )
    expect(await recordIn(folder)).toEqual({
      metadata: metadata.response,
      levels: [
        { id: '', name: null, description: null },
        { id: 'electricity', name: 'electricity', description: 'electricity' },
      ],
      description: data.response.description,
      dateFormat: 'YYYY-MM',
      apiVersion: '2.1.8',
      members: Object.keys(salesRows[0] ?? {}),
      unitMembers: new Map([
        ['price', 'price-units'],
        ['sales', 'sales-units'],
      ]),
      names: [
        { member: 'stateDescription', facet: 'stateid', texts: new Map(Object.entries(states)) },
        { member: 'sectorName', facet: 'sectorid', texts: new Map(Object.entries(sectors)) },
      ],
    })
    expect(await checkSnapshot(folderFiles(folder))).toMatchObject({ size: 8 })
  })

  test('behavior: the key, which EIA echoes, is not in it', async () => {
    using out = createFolder()
    await using api = startDatasetApi(salesRows, { route: sales.dataset.route })
    api.answerMetadata = (url) =>
      Response.json({ response: { description: `for ${apiKey}` }, request: { url: url.href } })
    const { folder } = await takeFrom(api, out.path, sales)
    const text = readFileSync(join(folder, EIA_RECORD), 'utf8')
    expect(text).toContain('for [api_key]')
    for (const secret of [apiKey, encodeURIComponent(apiKey), 'S3cr']) expect(text).not.toContain(secret)
  })

  test('behavior: the facet whose values a member names determines it, or that with the fewest values', async () => {
    using out = createFolder()
    const rows = spotRows([20, 19], ['A', 'B', 'CC', 'D']).map((row, index): UpstreamRow => {
      const { series = '' } = row
      const isLong = series === 'CC'
      return {
        ...row,
        ...{ duoarea: isLong ? 'R10' : 'NUS', 'area-name': isLong ? 'PADD 1' : 'U.S.' },
        ...{ kind: isLong ? 'long' : 'short', row: String(index) },
        // A name that is not the same in all rows.
        'process-name': `Spot ${row.period}`,
      }
    })
    await using api = startDatasetApi(rows)
    const { folder } = await takeFrom(api, out.path)
    const record = await recordIn(folder)
    expect(record?.members.slice(-2)).toEqual(['kind', 'row'])
    expect(record?.unitMembers).toEqual(new Map([['value', 'units']]))
    expect(record?.names?.map(({ member, facet }) => [member, facet])).toEqual([
      ['area-name', 'duoarea'],
      ['product-name', 'product'],
      ['series-description', 'series'],
      ['kind', 'duoarea'],
    ])
    expect(record?.names?.[3]?.texts).toEqual(new Map(Object.entries({ NUS: 'short', R10: 'long' })))
  })

  test('behavior: a unit that no leaf has is one of the other members', async () => {
    using out = createFolder()
    const rows = ['2026-09', '2026-08'].map((period) => ({
      ...{
        period,
        seriesId: 'WTIPUUS',
        seriesDescription: 'WTI',
        value: '1',
        unit: '$',
        'value-units': 'USD',
      },
    }))
    await using api = startDatasetApi(rows, { route: 'steo' })
    const dataset = { ...spot, route: 'steo', frequency: 'monthly' }
    const { folder } = await takeFrom(api, out.path, { dataset, facets: ['seriesId'] })
    const record = await recordIn(folder)
    expect([record?.unitMembers, record?.levels.length]).toEqual([new Map(), 1])
    expect(record?.names).toEqual([
      { member: 'seriesDescription', facet: 'seriesId', texts: new Map([['WTIPUUS', 'WTI']]) },
      { member: 'unit', facet: 'seriesId', texts: new Map([['WTIPUUS', '$']]) },
      { member: 'value-units', facet: 'seriesId', texts: new Map([['WTIPUUS', 'USD']]) },
    ])
  })

  test('behavior: a run that resumes has the names of the pages before', async () => {
    using out = createFolder()
    const rows = ['A', 'B', 'CC', 'D', 'E'].map((id) => ({
      ...spotRow('2026-11-20', id),
      'series-description': `series ${id}`,
    }))
    let isDown = true
    await using api = startDatasetApi(rows, {
      before: (number) => (number > 1 && isDown ? new Response('', { status: 404 }) : undefined),
    })
    expect(await errorOf(takeFrom(api, out.path))).toMatchObject({ status: 404 })
    isDown = false
    const { folder, said } = await takeFrom(api, out.path)
    expect(said[0]).toBe('resume')
    const names = (await recordIn(folder))?.names?.find(({ member }) => member === 'series-description')
    expect(names?.texts).toEqual(new Map(['A', 'B', 'CC', 'D', 'E'].map((id) => [id, `series ${id}`])))
  })
})

describe('a snapshot that is there already', () => {
  test('behavior: it gets a record if it has none, or one that cannot be read; a good one is not read again', async () => {
    using out = createFolder()
    await using api = startDatasetApi(spotRows([20], ['A']))
    const asked: string[] = []
    api.answerMetadata = ({ pathname }) => void asked.push(pathname)
    const { folder } = await takeFrom(api, out.path)
    const text = readFileSync(join(folder, EIA_RECORD), 'utf8')
    expect(asked.splice(0)).toEqual(['/v2/petroleum/pri/spt', '/v2/', '/v2/petroleum', '/v2/petroleum/pri'])
    expect([(await takeFrom(api, out.path)).isNew, asked]).toEqual([false, []])
    rmSync(join(folder, EIA_RECORD))
    expect([(await takeFrom(api, out.path)).isNew, asked.splice(0).length]).toEqual([false, 4])
    expect(readFileSync(join(folder, EIA_RECORD), 'utf8')).toBe(text)
    writeFileSync(join(folder, EIA_RECORD), '{')
    expect([(await takeFrom(api, out.path)).isNew, asked.length]).toEqual([false, 4])
    expect(readFileSync(join(folder, EIA_RECORD), 'utf8')).toBe(text)
  })
})

describe('an API that does not send metadata', () => {
  const failing = (pathname: string, status: number) => (url: URL) =>
    url.pathname === pathname ? new Response('', { status }) : undefined

  test('behavior: a level above the route is left out', async () => {
    using out = createFolder()
    await using api = startDatasetApi(spotRows([20], ['A']))
    api.answerMetadata = failing('/v2/petroleum', 500)
    const { heard, onProgress } = createHearing()
    const { folder } = await takeFrom(api, out.path, { onProgress })
    expect((await recordIn(folder))?.levels.map(({ id }) => id)).toEqual(['', 'pri'])
    expect(heard).toEqual([])
  })

  test.each([
    [404, 1],
    [500, 4],
  ])(
    'error: without that of the route (HTTP %i), the snapshot has no record, and it is said',
    async (status, requests) => {
      using out = createFolder()
      await using api = startDatasetApi(spotRows([20], ['A']))
      let asked = 0
      api.answerMetadata = () => {
        asked += 1
        return new Response('', { status })
      }
      const { heard, onProgress } = createHearing()
      const { folder, isNew } = await takeFrom(api, out.path, { onProgress })
      expect([isNew, existsSync(join(folder, EIA_RECORD)), asked]).toEqual([true, false, requests])
      expect(heard).toEqual([expect.stringContaining(`EIA petroleum/pri/spt: `)])
      expect(await checkSnapshot(folderFiles(folder))).toMatchObject({ size: 1 })
    },
  )

  test('error: an answer of another form counts as none', async () => {
    using out = createFolder()
    await using api = startDatasetApi(spotRows([20], ['A']))
    api.answerMetadata = () => Response.json({ response: [] })
    const { heard, onProgress } = createHearing()
    await takeFrom(api, out.path, { onProgress })
    expect(heard).toEqual([expect.stringContaining('the answer lacks response')])
  })

  test('error: the reason of a signal is thrown', async () => {
    using out = createFolder()
    await using api = startDatasetApi(spotRows([20], ['A']))
    const abort = new AbortController()
    api.answerMetadata = ({ pathname }) => {
      if (pathname === '/v2/') abort.abort(new Error('enough'))
      return undefined
    }
    await expect(takeFrom(api, out.path, { signal: abort.signal })).rejects.toThrow('enough')
  })
})
