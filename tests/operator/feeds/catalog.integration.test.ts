import { describe, expect, test } from 'bun:test'
import { datasets } from '@wattfeed/eia/catalog'
import { errorOf } from '@wattfeed/testing/errorOf'
import { readAgentSettings } from '../../../src/agent/settings/agentSettings.ts'
import { findDatasets, findFacetValues, listFacets } from '../../../src/operator/feeds/catalog.ts'
import { startTestUpstream } from '../../support/testUpstream.ts'

const all = { offset: 0, limit: 20 }

describe('datasets', () => {
  test('default: route, name, frequencies, columns and facets of datasets that match every word', () => {
    const { report, text } = findDatasets(['RETAIL', 'gasoline'], all)
    expect(text.split('\n')).toEqual([
      'petroleum/pri/allmg  Gasoline Prices by Formulation, Grade, Sales Type',
      '  frequencies  monthly, annual',
      '  columns      value',
      '  facets       duoarea, product, process, series',
      'petroleum/pri/gnd  Weekly Retail Gasoline and Diesel Prices',
      '  frequencies  monthly, weekly, annual',
      '  columns      value',
      '  facets       duoarea, product, process, series',
      '2 datasets',
    ])
    const routes = [{ route: 'petroleum/pri/allmg' }, { route: 'petroleum/pri/gnd', columns: ['value'] }]
    expect(findDatasets(['gasoline RETAIL'], all).text).toBe(text)
    expect(report).toMatchObject({ total: 2, offset: 0, more: 0, datasets: routes })
  })

  test('behavior: all pages together are the catalog, and each has the number of remaining datasets', () => {
    const pages = [0, 100, 200].map((offset) => findDatasets([], { offset, limit: 100 }))
    const reports = pages.map(({ report }) => report as { datasets: { route: string }[]; more: number })
    expect(reports.flatMap((page) => page.datasets.map(({ route }) => route))).toEqual(
      datasets.map(({ route }) => route),
    )
    expect(reports.map(({ more }) => more)).toEqual([132, 32, 0])
    expect(pages.map(({ text }) => text.split('\n').at(-1))).toEqual([
      '1 to 100 of 232 datasets; 132 more with --offset 100',
      '101 to 200 of 232 datasets; 32 more with --offset 200',
      '201 to 232 of 232 datasets',
    ])
    expect(findDatasets([], { offset: 232, limit: 1 }).text).toBe(
      'there are only 232 datasets; use an --offset below 232',
    )
    expect(findDatasets(['no such thing'], all).text).toBe('no dataset matches')
  })
})

describe('facets', () => {
  const route = 'electricity/retail-sales'
  const settingsOf = (url: string) =>
    readAgentSettings(
      { EIA_API_KEY: 'any', EIA_BASE_URL: url, EIA_RPS: '1000' },
      { writes: false, fetches: true },
    )

  test('default: those of a dataset, without network', () => {
    const { report, text } = listFacets(route, all)
    expect(report).toEqual({
      command: 'facets',
      route,
      total: 2,
      offset: 0,
      more: 0,
      facets: ['stateid', 'sectorid'],
    })
    expect(text.split('\n')).toEqual([
      'electricity/retail-sales  Electricity Sales to Ultimate Customers',
      '  stateid',
      '  sectorid',
      '2 facets',
      '"feeds facets electricity/retail-sales stateid" lists the values of one',
    ])
  })

  test('default: the values of one, requested from EIA, in pages', async () => {
    await using upstream = startTestUpstream()
    const find = (words: string[], section = all) =>
      findFacetValues(settingsOf(upstream.url), { route, facet: 'sectorid', words }, section)
    const { report, text } = await find(['RESID'])
    expect(report).toEqual({
      command: 'facets',
      route,
      facet: 'sectorid',
      total: 1,
      offset: 0,
      more: 0,
      values: [{ id: 'RES', name: 'residential' }],
    })
    expect(text.split('\n')).toEqual(['RES  residential', '1 value of sectorid'])
    const page = await find([], { offset: 1, limit: 1 })
    expect(page.text.split('\n')).toEqual(['RES  residential', '2 to 2 of 2 values of sectorid'])
    expect((await find(['ID  res'])).text.split('\n')).toEqual(['RES  residential', '1 value of sectorid'])
    expect((await find(['res', 'zz'])).text).toBe('no value of sectorid matches')
  })

  test('error: a dataset or facet that the catalog does not have, with similar ones', async () => {
    expect(() => listFacets('petroleum/pri/sp', all)).toThrow(
      'the catalog has no dataset petroleum/pri/sp; did you mean petroleum/pri/spt?',
    )
    expect(() => listFacets('nowhere', all)).toThrow('"feeds datasets" lists those that it has')
    const values = findFacetValues(settingsOf('http://127.0.0.1:1'), { route, facet: 'x', words: [] }, all)
    expect(await errorOf(values)).toMatchObject({
      code: 'not_in_catalog',
      message: `${route} has no facet x; it has stateid, sectorid`,
    })
  })
})
