import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { datasets } from '@wattfeed/eia/catalog'
import { formatCatalog } from '../../scripts/catalog/formatCatalog.ts'
import { parseCatalog } from '../../scripts/catalog/parseCatalog.ts'
import { datasetsFile, folder, sources } from './sources.ts'

const facts = join(folder, '..', '..', '..', 'shared', 'facts', 'catalog.tsv')

describe('the file of datasets', () => {
  test('behavior: they match the source files', () => {
    expect(datasets).toEqual(parseCatalog(sources))
  })

  test('behavior: datasets.json is up to date to the byte', () => {
    expect(readFileSync(datasetsFile, 'utf8')).toBe(formatCatalog(parseCatalog(sources)))
  })

  test.skipIf(!existsSync(facts))(
    'behavior: catalog.tsv is a faithful copy (skipped without ../shared/facts)',
    () => {
      expect(readFileSync(join(folder, 'catalog.tsv')).equals(readFileSync(facts))).toBe(true)
    },
  )
})
