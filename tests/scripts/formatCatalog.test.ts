import { describe, expect, test } from 'bun:test'
import type { Dataset } from '@wattfeed/eia/catalog'
import { anyCharacter } from '@wattfeed/testing/anyCharacter'
import fc from 'fast-check'
import { formatCatalog } from '../../scripts/catalog/formatCatalog.ts'

const dataset: Dataset = {
  route: 'a/b',
  name: 'Exports\\Imports "now"',
  frequencies: ['weekly', 'annual'],
  columns: ['value'],
  facets: [],
  description: 'All of it.',
}

describe('formatCatalog', () => {
  test('default', () => {
    expect(formatCatalog([dataset])).toBe(`[
  {
    "route": "a/b",
    "name": "Exports\\\\Imports \\"now\\"",
    "frequencies": ["weekly", "annual"],
    "columns": ["value"],
    "facets": [],
    "description": "All of it."
  }
]
`)
  })

  test('behavior: a list is wrapped if it and its comma exceed 110 characters', () => {
    const lines = (id: string) =>
      formatCatalog([{ ...dataset, columns: [id] }])
        .split('\n')
        .slice(5, 8)
    expect(lines('x'.repeat(90))).toEqual([
      `    "columns": ["${'x'.repeat(90)}"],`,
      '    "facets": [],',
      '    "description": "All of it."',
    ])
    expect(lines('x'.repeat(91))).toEqual(['    "columns": [', `      "${'x'.repeat(91)}"`, '    ],'])
  })

  test('behavior: any catalog reads back as it was', () => {
    const list = fc.array(fc.string({ unit: anyCharacter }))
    const any = fc.record({
      route: fc.string(),
      name: fc.string({ unit: anyCharacter }),
      frequencies: list,
      columns: list,
      facets: list,
      description: fc.string(),
    })
    fc.assert(
      fc.property(fc.array(any, { minLength: 1 }), (datasets) => {
        expect(JSON.parse(formatCatalog(datasets))).toEqual(datasets)
      }),
    )
  })
})
