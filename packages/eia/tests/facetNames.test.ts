// cspell:ignore WORL TETCBUS
import { expect, test } from 'bun:test'
import { readNames } from '../src/facetNames.ts'

/** The names of each facet's values, as pairs. */
const namesOf = (facets: readonly string[], ...rows: unknown[]) =>
  readNames(rows, facets).map((names) => [...names])

test.each([
  [{ stateid: 'AK', stateDescription: 'Alaska' }, 'Alaska'],
  [{ sectorid: 'RES', sectorName: 'residential' }, 'residential'],
  [{ product: 'EPD2', 'product-name': 'Diesel' }, 'Diesel'],
  [{ respondent: 'PACW', 'respondent-name': 'PacifiCorp West' }, 'PacifiCorp West'],
  [{ series: 'RWTC', 'series-description': 'WTI' }, 'WTI'],
  [{ seriesId: 'WTIPUUS', seriesDescription: 'WTI' }, 'WTI'],
  [{ countryRegionId: 'WORL', countryRegionName: 'World', countryRegionTypeName: 'Region' }, 'World'],
  [{ plantCode: '6761', plantName: 'Rawhide' }, 'Rawhide'],
  [{ unit: 'TBPD', unitName: 'thousand barrels per day' }, 'thousand barrels per day'],
  // Where EIA's name for the facet is another.
  [{ duoarea: 'NUS', 'area-name': 'U.S.' }, 'U.S.'],
  [{ fueltypeid: 'NG', fuelTypeDescription: 'natural gas' }, 'natural gas'],
  [{ fuel2002: 'ALL', fuelTypeDescription: 'Total' }, 'Total'],
  [{ fueltype: 'NG', 'type-name': 'Natural Gas' }, 'Natural Gas'],
  [{ location: 'CO', stateDescription: 'Colorado' }, 'Colorado'],
  [{ msn: 'TETCBUS', seriesDescription: 'Total Primary Energy' }, 'Total Primary Energy'],
])('default: the name in %j', (row, name) => {
  const [facet = '', value] = Object.entries(row)[0] ?? []
  expect(namesOf([facet], row)).toEqual([[[String(value), name]]])
})

test('behavior: the first name of each value counts, and each facet has its own', () => {
  const rows = [
    { type: 'D', 'type-name': 'Demand', respondent: 'US48', 'respondent-name': 'NA' },
    { type: 'DF', 'type-name': 'Forecast', respondent: 'PACW', 'respondent-name': 'PacifiCorp West' },
    { type: 'D', 'type-name': 'Other', respondent: 'ERCO', 'respondent-name': '' },
  ]
  expect(namesOf(['respondent', 'type', 'primeMover'], ...rows)).toEqual([
    [['PACW', 'PacifiCorp West']],
    [
      ['D', 'Demand'],
      ['DF', 'Forecast'],
    ],
    [],
  ])
})

test('behavior: rows may have their names in different members', () => {
  const rows = [
    { series: 'A', 'series-description': 'Alpha' },
    { series: 'B', 'series-name': 'Beta', 'series-description': 'other' },
  ]
  expect(namesOf(['series'], ...rows)).toEqual([
    [
      ['A', 'Alpha'],
      ['B', 'Beta'],
    ],
  ])
})

test('behavior: what is no text is no name, and what is no row has none', () => {
  const rows = [
    null,
    'x',
    [],
    { stateid: 'A', stateName: 5 },
    { stateid: null, stateName: 'B' },
    { stateName: 'C' },
  ]
  expect(namesOf(['stateid'], ...rows)).toEqual([[]])
  expect(namesOf(['stateid'])).toEqual([[]])
})
