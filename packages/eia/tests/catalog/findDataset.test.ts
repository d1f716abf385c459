import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { datasets, findDataset } from '../../src/catalog/datasets.ts'

describe('findDataset', () => {
  test('default', () => {
    expect(datasets.map(({ route }) => findDataset(route))).toEqual([...datasets])
  })

  test.each(['', 'electricity', 'STEO', 'steo/', ' steo', '__proto__', 'constructor'])(
    'behavior: null for %j',
    (route) => {
      expect(findDataset(route)).toBeNull()
    },
  )

  test('behavior: the result has the requested route', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.constantFrom(...datasets.map(({ route }) => route))), (route) => {
        expect(findDataset(route)).toEqual(datasets.find((dataset) => dataset.route === route) ?? null)
      }),
    )
  })
})
