import { describe, expect, test } from 'bun:test'
import { datasets } from '../../src/catalog/datasets.ts'

describe('datasets', () => {
  test('default', () => {
    expect(datasets).toHaveLength(232)
    expect(datasets.at(-1)).toEqual({
      route: 'total-energy',
      name: 'Total Energy',
      frequencies: ['annual', 'monthly'],
      columns: ['value'],
      facets: ['msn'],
      description:
        'Overview of all US energy: production, consumption, trade, stocks, prices and emissions of every source and sector, by series, monthly and annual.',
    })
  })

  test('behavior: every dataset with facets is described by something', () => {
    const silent = datasets.filter(
      ({ facets, description }) => facets.length > 0 && !/\bby\b/.test(description),
    )
    expect(silent).toEqual([])
  })

  test('behavior: outlooks are described as projections of their edition', () => {
    const outlooks = datasets.filter(({ route }) => /^[ai]eo\//.test(route))
    expect(outlooks).toHaveLength(17)
    for (const { route, description } of outlooks) {
      const [year = 'none'] = /\d{4}/.exec(route) ?? []
      expect(description).toContain('projections')
      expect(description).toContain(year)
    }
  })
})
