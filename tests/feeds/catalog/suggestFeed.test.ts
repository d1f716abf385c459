import { describe, expect, test } from 'bun:test'
import { datasets, findDataset } from '@wattfeed/eia/catalog'
import builtIn from 'wattfeed/feeds.json' with { type: 'json' }
import {
  type SelectedSeries,
  suggestDecimals,
  suggestDescription,
  suggestId,
  suggestTitle,
  suggestUnit,
} from '../../../src/feeds/catalog/suggestFeed.ts'

const selectionOf = (route: string, changes: Partial<SelectedSeries> = {}): SelectedSeries => {
  const dataset = findDataset(route)
  if (dataset === null) throw new Error(`no dataset ${route}`)
  return { dataset, frequency: 'monthly', column: 'value', facets: {}, names: {}, ...changes }
}

describe('ids', () => {
  test.each<[string, Partial<SelectedSeries>, string]>([
    ['petroleum/pri/spt', { frequency: 'daily', facets: { series: 'RWTC' } }, 'EIA.PET.PRI.SPT.RWTC.DAILY'],
    [
      'electricity/retail-sales',
      { column: 'price', facets: { stateid: 'US', sectorid: 'ALL' } },
      'EIA.ELEC.RETAIL_SALES.PRICE.US.ALL.MONTHLY',
    ],
    [
      'crude-oil-imports',
      { column: 'quantity', facets: { originId: 'CTY_SA' } },
      'EIA.PET.IMPORTS.QUANTITY.CTY_SA.MONTHLY',
    ],
    ['petroleum/cons/wpsup', { frequency: 'four-week-average' }, 'EIA.PET.CONS.WPSUP.FOUR_WEEK_AVERAGE'],
    ['steo', { facets: { seriesId: 'WTIPUUS' } }, 'EIA.STEO.WTIPUUS.MONTHLY'],
  ])('default: of %s', (route, changes, id) => {
    expect(suggestId(selectionOf(route, changes))).toBe(id)
  })

  test('behavior: capitals, digits and _ in parts that dots join, for every dataset of the catalog', () => {
    for (const dataset of datasets)
      for (const column of dataset.columns)
        for (const frequency of dataset.frequencies) {
          const facets = Object.fromEntries(dataset.facets.map((facet) => [facet, 'A b-c°']))
          const id = suggestId({ dataset, column, frequency, facets, names: {} })
          expect(id).toMatch(/^EIA(\.[A-Z0-9_]+)+$/)
        }
  })
})

describe('titles and descriptions', () => {
  test('default: what EIA calls the dataset and the facet values', () => {
    const facets = { stateid: 'US', sectorid: 'ALL' }
    const names = { stateid: 'U.S. Total' }
    const selection = selectionOf('electricity/retail-sales', { column: 'price', facets, names })
    expect(suggestTitle(selection)).toBe('Electricity Sales to Ultimate Customers: price, U.S. Total, ALL')
    expect(suggestDescription(selection)).toBe(
      "EIA's Electricity Sales to Ultimate Customers (electricity/retail-sales): column price, monthly, stateid US (U.S. Total), sectorid ALL.",
    )
  })

  test('behavior: two columns of one series have different titles; the only column is not named', () => {
    const titles = findDataset('electricity/retail-sales')?.columns.map((column) =>
      suggestTitle(selectionOf('electricity/retail-sales', { column, facets: { stateid: 'US' } })),
    )
    expect(new Set(titles).size).toBe(4)
    const facets = { series: 'RWTC' }
    expect(suggestTitle(selectionOf('petroleum/pri/spt', { facets }))).toBe('Spot Prices: RWTC')
  })

  test('behavior: a description names no frequency, column or facet that the feed does not have', () => {
    for (const dataset of datasets) {
      const [facet] = dataset.facets
      const [column = ''] = dataset.columns
      const facets = facet === undefined ? {} : { [facet]: 'X' }
      const selection = { dataset, frequency: 'quarterly', column, facets, names: {} }
      const [title, said] = suggestDescription(selection).split(`(${dataset.route}): `)
      expect(title).toBe(`EIA's ${dataset.name} `)
      expect(said).toBe(`column ${column}, quarterly${facet === undefined ? '' : `, ${facet} X`}.`)
    }
  })
})

describe('units and decimals', () => {
  test.each([
    ['$/BBL', '$/bbl'],
    ['cents per kilowatt-hour', 'cents/kWh'],
    ['megawatthours', 'MWh'],
    ['Trillion Btu', 'Trillion Btu'],
  ])('default: %s is shown as %s', (stated, unit) => {
    expect(suggestUnit(stated)).toBe(unit)
  })

  test.each<[string, string | null, number]>([
    ['$/bbl', '59.91', 6],
    ['cents/kWh', null, 6],
    ['percent', '.306', 4],
    ['count', '142874311', 0],
    ['MWh', '447121', 3],
    ['million kWh', '354702.33918', 5],
    ['Mbbl/d', '83514.20273972602739726', 6],
    ['MWh', 'w', 3],
  ])('default: %s with %p keeps %p decimals', (unit, value, decimals) => {
    expect(suggestDecimals(unit, [value])).toBe(decimals)
    expect(suggestDecimals(unit, [])).toBeLessThanOrEqual(decimals)
  })

  test('behavior: the value with the most digits decides, not the newest', () => {
    expect(suggestDecimals('MWh', ['12', '12.34567', null, 'w', '12.3'])).toBe(5)
    expect(suggestDecimals('MWh', ['12', '12.3'])).toBe(3)
    expect(suggestDecimals('MWh', ['12', '12.3456789'])).toBe(6)
  })

  test('behavior: as many as the built-in feeds have, for nearly all of their units', () => {
    const other = builtIn.filter(({ unit, decimals }) => suggestDecimals(unit, []) !== decimals)
    expect(other.map(({ unit }) => unit)).toEqual(['MMT CO2'])
  })
})
