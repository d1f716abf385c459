import { describe, expect, test } from 'bun:test'
import { encodeHex } from '@wattfeed/base'
import { ArgumentError } from '@wattfeed/casper/types'
import fc from 'fast-check'
import { registerArguments } from '../../../src/library/registry/calls.ts'
import { string, u8 } from '../../support/bytesrepr.ts'

const text = fc.string({ unit: 'binary' })
const feed = fc.record({
  decimals: fc.integer({ min: 0, max: 255 }),
  unit: text,
  title: text,
  source: text,
  route: text,
  frequency: text,
  description: text,
})

describe('register_feed', () => {
  test('default: the arguments that the contract names, in its order', () => {
    fc.assert(
      fc.property(text, feed, (feedId, each) => {
        const hex = Object.entries(registerArguments(feedId, each)).map(([name, value]) => [
          name,
          value?.clType,
          encodeHex(value?.bytes ?? new Uint8Array()),
        ])
        expect(hex).toEqual([
          ['feed_id', 'String', string(feedId)],
          ['decimals', 'U8', u8(each.decimals)],
          ['unit', 'String', string(each.unit)],
          ['title', 'String', string(each.title)],
          ['source', 'String', string(each.source)],
          ['route', 'String', string(each.route)],
          ['frequency', 'String', string(each.frequency)],
          ['description', 'String', string(each.description)],
        ])
      }),
    )
  })

  test('behavior: the names are those of the contract', async () => {
    const rust = new URL('../../../contracts/src/feed_registry.rs', import.meta.url)
    const source = await Bun.file(rust).text()
    const parameters = /pub fn register_feed\(\s*&mut self,([^)]*)\)/.exec(source)?.[1] ?? ''
    const names = [...parameters.matchAll(/(\w+): \w+/g)].map(([, name]) => name)
    const empty = { decimals: 0, unit: '', title: '', source: '', route: '', frequency: '', description: '' }
    expect(Object.keys(registerArguments('', empty))).toEqual(names as string[])
  })

  test.each([-1, 256, 1.5])('error: %p decimals do not fit', (decimals) => {
    const metadata = { decimals, unit: '', title: '', source: '', route: '', frequency: '', description: '' }
    expect(() => registerArguments('X', metadata)).toThrow(ArgumentError)
  })
})
