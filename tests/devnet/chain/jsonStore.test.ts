import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createJsonStore } from '../../../src/devnet/chain/jsonStore.ts'

describe('createJsonStore', () => {
  test('default: every value comes back by what it was kept as', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (values) => {
        const store = createJsonStore()
        const indexes = values.map((value) => store.add(value))
        expect(indexes.map((index) => store.get(index))).toEqual(JSON.parse(JSON.stringify(values)))
      }),
    )
  })

  test('behavior: values that do not fit behind each other, and one that is larger than a piece', () => {
    const store = createJsonStore()
    // What does not repeat does not shrink.
    const texts = [300_000, 300_000, 300_000, 1_500_000, 10].map((bytes) =>
      Array.from({ length: bytes / 10 }, (_, index) => Bun.hash(`${bytes} ${index}`).toString(36)).join(''),
    )
    const indexes = texts.map((text) => store.add({ text }))
    for (const [index, text] of texts.entries()) expect(store.get(indexes[index] ?? -1)).toEqual({ text })
  })

  test('error: a value that was never kept', () => {
    expect(() => createJsonStore().get(0)).toThrow('there is no value 0')
  })
})
