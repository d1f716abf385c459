import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { datasets } from '@wattfeed/eia/catalog'
import { formatCatalog } from '../../scripts/catalog/formatCatalog.ts'
import { parseCatalog } from '../../scripts/catalog/parseCatalog.ts'
import { datasetsFile, folder, sources } from '../scripts/sources.ts'

const facts = join(folder, '..', '..', '..', 'shared', 'facts', 'catalog.tsv')

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

  test('behavior: they match the source files', () => {
    expect(datasets).toEqual(parseCatalog(sources))
  })

  test('behavior: datasets.json is up to date to the byte', () => {
    expect(readFileSync(datasetsFile, 'utf8')).toBe(formatCatalog(parseCatalog(sources)))
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

  test.skipIf(!existsSync(facts))(
    'behavior: catalog.tsv is a faithful copy (skipped without ../shared/facts)',
    () => {
      expect(readFileSync(join(folder, 'catalog.tsv')).equals(readFileSync(facts))).toBe(true)
    },
  )
})
