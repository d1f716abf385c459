import { describe, expect, test } from 'bun:test'
import { EiaUnexpectedError } from '../src/eiaErrors.ts'
import { parseFacetValues } from '../src/facetValue.ts'

describe('parseFacetValues', () => {
  test('default: a value has an id, and a name where EIA gives one', () => {
    const facets = [{ id: 'US', name: 'U.S. Total', alias: '(US) U.S. Total' }, { id: '99' }]
    expect(parseFacetValues({ response: { facets } }, '', 200)).toEqual([
      { id: 'US', name: 'U.S. Total', alias: '(US) U.S. Total' },
      { id: '99', name: '99' },
    ])
  })

  test('error: no list, or a value without an id', () => {
    for (const body of [null, {}, { response: {} }, { response: { facets: {} } }])
      expect(() => parseFacetValues(body, '', 200)).toThrow(EiaUnexpectedError)
    expect(() => parseFacetValues({ response: { facets: [{}] } }, '', 200)).toThrow(EiaUnexpectedError)
  })
})
