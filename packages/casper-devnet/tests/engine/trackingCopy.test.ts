import { describe, expect, test } from 'bun:test'
import { createTrackingCopy } from '../../src/engine/trackingCopy.ts'

const value = Uint8Array.of(1)
const keyOf = (last: number): Uint8Array => Uint8Array.of(19, 2, last)

describe('createTrackingCopy', () => {
  test('default: it lists committed and written keys, except pruned ones', () => {
    const committed = [3, 1].map((last) => keyOf(last).toHex())
    const state = createTrackingCopy({ read: () => value, listKeys: () => committed })
    for (const last of [2, 1, 4]) state.write(keyOf(last), value)
    for (const last of [3, 4]) state.prune(keyOf(last))
    expect(state.listKeys('1302')).toEqual([1, 2].map((last) => keyOf(last).toHex()))
  })
})
