import { describe, expect, test } from 'bun:test'
import { createCursor, DecodeError } from '@wattfeed/base'
import { decodeField } from '@wattfeed/casper'
import { list, string, u8 } from '@wattfeed/testing/bytesrepr'
import { anyBytes, anyText, assertTyped, fromHex } from '@wattfeed/testing/decoding'
import fc from 'fast-check'
import { type Feed, readFeedStruct } from '../../src/registry/feed.ts'
import { recordedItem } from '../support/recordedItems.ts'

const read = (hex: string): Feed => decodeField(fromHex(list(hex)), 'Feed', readFeedStruct)

describe('readFeed', () => {
  test('default: a recorded feed, in its order on chain', () => {
    const feed = decodeField(recordedItem('FeedRegistry.feeds[TEST.ZERO.ANNUAL]'), 'Feed', readFeedStruct)
    expect(Object.entries(feed)).toEqual([
      ['decimals', 0],
      ['unit', 'count'],
      ['title', 'Zero amount'],
      ['source', 'EIA'],
      ['route', 'test/zero'],
      ['frequency', 'annual'],
      ['description', 'amount is zero'],
    ])
  })

  test('error: a text is missing', () => {
    expect(() => read(u8(6) + 'abcde'.split('').map(string).join(''))).toThrow(DecodeError)
  })

  test('error: something follows', () => {
    expect(() => read(`${u8(6)}${'abcdef'.split('').map(string).join('')}00`)).toThrow(
      new DecodeError('Feed', '1 trailing bytes'),
    )
  })

  test('behavior: written values are read back', () => {
    const texts = fc.tuple(anyText, anyText, anyText, anyText, anyText, anyText)
    fc.assert(
      fc.property(
        fc.nat({ max: 255 }),
        texts,
        (decimals, [unit, title, source, route, frequency, description]) => {
          const feed = { decimals, unit, title, source, route, frequency, description }
          const fields = [unit, title, source, route, frequency, description]
          expect(read(u8(decimals) + fields.map(string).join(''))).toEqual(feed)
        },
      ),
    )
  })

  test('behavior: any bytes give a feed or a typed error', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => assertTyped(() => readFeedStruct(createCursor(bytes, 'Feed')))),
    )
  })
})
