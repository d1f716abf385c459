import { describe, expect, test } from 'bun:test'
import { encodeString } from '@wattfeed/base'
import { odraItemKey, string } from '@wattfeed/testing/bytesrepr'
import { anyText } from '@wattfeed/testing/decoding'
import fc from 'fast-check'
import { itemKey } from '../../src/odra/field.ts'

describe('itemKey', () => {
  test('behavior: any field and key', () => {
    fc.assert(
      fc.property(fc.nat(), anyText, (field, key) => {
        expect(itemKey(field)).toBe(odraItemKey(field))
        expect(itemKey(field, encodeString(key))).toBe(odraItemKey(field, string(key)))
      }),
    )
  })
})
