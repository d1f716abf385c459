import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { FeedConfig } from '../../../src/agent/feeds/feedConfig.ts'
import builtIn from '../../../src/agent/feeds.json' with { type: 'json' }
import { appendFeed } from '../../../src/operator/feeds/writeFeed.ts'
import { createConfig } from './support/feedConfigs.ts'

const feed = createConfig({ feed_id: 'EIA.NEW' })
const entry = (indent: string): string =>
  JSON.stringify(feed, null, indent)
    .split('\n')
    .map((line) => indent + line)
    .join('\n')

describe('appendFeed', () => {
  test('default: after the last entry, indented as the first one, and the others to the character as they were', () => {
    const before = '[\n    { "feed_id":   "A",\n"odd": true },\n\n    {"feed_id": "B"}\n]\n'
    expect(appendFeed(before, feed)).toBe(`${before.slice(0, -3)},\n${entry('    ')}\n]\n`)
  })

  test('default: the built-in file, as its formatter writes it', async () => {
    const path = new URL('../../../src/agent/feeds.json', import.meta.url)
    const text = await Bun.file(path).text()
    const after = appendFeed(text, feed)
    expect(after).toBe(`${JSON.stringify([...builtIn, feed], null, 2)}\n`)
    expect(after.startsWith(text.trimEnd().slice(0, -2))).toBeTrue()
  })

  test.each([
    ['an empty array', '[]', `[\n${entry('  ')}\n]`],
    ['an empty array with room', ' [ \n ]\n', ` [\n${entry('  ')}\n]\n`],
    ['entries on one line', '[{"feed_id":"A"}]\n', `[{"feed_id":"A"}, ${JSON.stringify(feed)}]\n`],
    ['tabs', '[\n\t{}\n]', `[\n\t{},\n${entry('\t')}\n]`],
    [
      'lines of Windows',
      '[\r\n  {}\r\n]\r\n',
      `[\r\n  {},\r\n${entry('  ').replaceAll('\n', '\r\n')}\r\n]\r\n`,
    ],
  ])('behavior: %s', (_, before, after) => {
    expect(appendFeed(before, feed)).toBe(after)
  })

  test('behavior: whatever the entries and however they are written, the result holds them and the new one', () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))
    const entries = fc.array(fc.dictionary(fc.string(), fc.oneof(value, fc.array(value))))
    const space = fc.constantFrom('', ' ', '  ', '\t', '    ')
    fc.assert(
      fc.property(entries, space, fc.string({ unit: 'grapheme' }), (others, indent, title) => {
        const added: FeedConfig = { ...feed, title }
        const after = appendFeed(JSON.stringify(others, null, indent), added)
        expect(JSON.parse(after)).toEqual([...others, added])
      }),
    )
  })
})
