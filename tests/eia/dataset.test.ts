import { describe, expect, test } from 'bun:test'
import { parseDataset, parseFacets, parseFacetValues } from '../../src/eia/dataset.ts'
import { EiaUnexpectedError } from '../../src/eia/eiaErrors.ts'

describe('parseDataset', () => {
  test('default: what EIA says, what it leaves out null', () => {
    const frequency = [{ id: 'monthly' }, { id: 'annual' }]
    const data = { generation: { alias: 'Net', units: 'MWh' }, cost: { alias: 'Cost' } }
    expect(parseDataset({ response: { frequency, data, facets: [{ id: 'state' }] } }, 'a/b', 200)).toEqual({
      route: 'a/b',
      name: '',
      frequencies: ['monthly', 'annual'],
      columns: ['generation', 'cost'],
      facets: ['state'],
      defaultFrequency: null,
      units: { generation: 'MWh' },
      startPeriod: null,
      endPeriod: null,
    })
  })

  test('error: a family of datasets', () => {
    expect(() => parseDataset({ response: { routes: [] } }, 'electricity', 200)).toThrow(EiaUnexpectedError)
  })
})

describe('parseFacets and parseFacetValues', () => {
  test('default: ids as EIA lists them today, or as objects', () => {
    expect(parseFacets({ response: { totalFacetOptions: 2, facetOptions: ['a', 'b'] } }, '', 200)).toEqual([
      'a',
      'b',
    ])
    expect(parseFacets({ response: { facets: [{ id: 'a' }, 'b'] } }, '', 200)).toEqual(['a', 'b'])
  })

  test('behavior: a value has an id, and a name where EIA gives one', () => {
    const facets = [{ id: 'US', name: 'U.S. Total', alias: '(US) U.S. Total' }, { id: '99' }]
    expect(parseFacetValues({ response: { facets } }, '', 200)).toEqual([
      { id: 'US', name: 'U.S. Total', alias: '(US) U.S. Total' },
      { id: '99', name: '99' },
    ])
  })

  test('error: no list, or a value without an id', () => {
    for (const body of [null, {}, { response: {} }, { response: { facets: {} } }]) {
      expect(() => parseFacets(body, '', 200)).toThrow(EiaUnexpectedError)
      expect(() => parseFacetValues(body, '', 200)).toThrow(EiaUnexpectedError)
    }
    expect(() => parseFacetValues({ response: { facets: [{}] } }, '', 200)).toThrow(EiaUnexpectedError)
  })
})
