import { describe, expect, test } from 'bun:test'
import { encodeString } from '@wattfeed/base'
import { itemKey } from '@wattfeed/casper'
import fc from 'fast-check'
import { odraItemKey, string } from '../support/bytesrepr.ts'
import { anyText } from '../support/decoding.ts'

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
