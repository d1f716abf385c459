import { describe, expect, test } from 'bun:test'
import { encodeString } from '@wattfeed/base'
import fc from 'fast-check'
import { odraItemKey, string } from '../../../../tests/support/bytesrepr.ts'
import { anyText } from '../../../../tests/support/decoding.ts'
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
