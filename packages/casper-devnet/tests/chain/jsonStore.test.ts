import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createJsonStore } from '../../src/chain/jsonStore.ts'

describe('createJsonStore', () => {
  test('default: every value is returned by its index, for any number of later values', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 100, size: 'max' }), (values) => {
        const store = createJsonStore()
        const indexes = values.map((value) => store.add(value))
        expect(indexes.map((index) => store.get(index))).toEqual(JSON.parse(JSON.stringify(values)))
      }),
    )
  })

  test('error: an index out of range', () => {
    expect(() => createJsonStore().get(0)).toThrow('no value has the index 0')
  })
})
