// cspell:ignore WORL TETCBUS
import { expect, test } from 'bun:test'
import { findNameMembers, isFacetName } from '../src/facetNames.ts'

test.each([
  [{ stateid: 'AK', stateDescription: 'Alaska' }],
  [{ sectorid: 'RES', sectorName: 'residential' }],
  [{ product: 'EPD2', 'product-name': 'Diesel' }],
  [{ respondent: 'PACW', 'respondent-name': 'PacifiCorp West' }],
  [{ series: 'RWTC', 'series-description': 'WTI' }],
  [{ seriesId: 'WTIPUUS', seriesDescription: 'WTI' }],
  [{ countryRegionId: 'WORL', countryRegionName: 'World', countryRegionTypeName: 'Region' }],
  [{ plantCode: '6761', plantName: 'Rawhide' }],
  [{ unit: 'TBPD', unitName: 'thousand barrels per day' }],
  // Where EIA's name for the facet is another.
  [{ duoarea: 'NUS', 'area-name': 'U.S.' }],
  [{ fueltypeid: 'NG', fuelTypeDescription: 'natural gas' }],
  [{ fuel2002: 'ALL', fuelTypeDescription: 'Total' }],
  [{ fueltype: 'NG', 'type-name': 'Natural Gas' }],
  [{ location: 'CO', stateDescription: 'Colorado' }],
  [{ msn: 'TETCBUS', seriesDescription: 'Total Primary Energy' }],
])('default: the name in %j', (row) => {
  const [facet = '', member = ''] = Object.keys(row)
  expect(findNameMembers(facet, Object.keys(row))).toEqual([member])
})

test('behavior: the likeliest member is first, and a facet may have none', () => {
  const members = [
    'stateDescription',
    'locationDescription',
    'location-name',
    'plantName',
    'stateid',
    'state',
  ]
  expect(findNameMembers('location', members)).toEqual([
    'location-name',
    'locationDescription',
    'stateDescription',
  ])
  expect(findNameMembers('primeMover', members)).toEqual([])
})

test('behavior: an empty text and `NA` are no names', () => {
  expect(['Alaska', '', 'NA', null, undefined].map(isFacetName)).toEqual([true, false, false, false, false])
})
