import { describe, expect, test } from 'bun:test'
import { existsSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { acquireLock } from '@wattfeed/base/disk'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder } from '@wattfeed/testing/folder'
import fc from 'fast-check'
import builtIn from 'wattfeed/feeds.json' with { type: 'json' }
import type { SeriesConfig } from '../../../src/feeds/file/feedConfig.ts'
import { loadFeeds } from '../../../src/feeds/file/loadFeeds.ts'
import { appendFeed, insertUnits, writeFeed, writeUnits } from '../../../src/feeds/file/writeFeed.ts'
import { createConfig } from '../../operator/feeds/support/feedConfigs.ts'

const wti = createConfig()
const brent = createConfig({ feed_id: 'EIA.BRENT' })

describe('writeFeed', () => {
  test('default: adds an entry, keeps the permissions of the file, and leaves no other file behind', async () => {
    using folder = createFolder()
    const path = folder.write('feeds.json', `[\n  ${JSON.stringify(wti)}\n]\n`, 0o640)
    await writeFeed(path, brent)
    expect(await loadFeeds(path)).toEqual([wti, brent])
    expect(readFileSync(path, 'utf8')).toStartWith(`[\n  ${JSON.stringify(wti)},\n  {\n`)
    expect([statSync(path).mode & 0o777, readdirSync(folder.path)]).toEqual([0o640, ['feeds.json']])
  })

  test('behavior: makes the file, and its folder', async () => {
    using folder = createFolder()
    const path = `${folder.path}/deep/feeds.json`
    await writeFeed(path, wti)
    expect(await loadFeeds(path)).toEqual([wti])
    expect(statSync(path).mode & 0o777).toBe(0o644)
  })

  test('behavior: a link stays a link, and its target is written', async () => {
    using folder = createFolder()
    const path = folder.write('real.json', '[]')
    const link = `${folder.path}/feeds.json`
    symlinkSync(path, link)
    await writeFeed(link, wti)
    expect([lstatSync(link).isSymbolicLink(), await loadFeeds(path)]).toEqual([true, [wti]])
  })

  test('error: the id already exists', async () => {
    using folder = createFolder()
    const text = JSON.stringify([wti])
    const path = folder.write('feeds.json', text)
    expect(await errorOf(writeFeed(path, { ...brent, feed_id: wti.feed_id }))).toMatchObject({
      code: 'new_feed',
      message: `${wti.feed_id} is already in ${path}; choose another id with --id`,
    })
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  test.each(['', '{', '{}', '[{}]'])('error: %p is no feeds file, and stays as it is', async (text) => {
    using folder = createFolder()
    const path = folder.write('feeds.json', text)
    expect(await errorOf(writeFeed(path, wti))).toMatchObject({ code: 'feeds_file' })
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  test('error: another program writes it', async () => {
    using folder = createFolder()
    const path = folder.write('feeds.json', '[]')
    using _ = acquireLock(`${path}.lock`)
    expect(await errorOf(writeFeed(path, wti))).toMatchObject({ code: 'locked', holder: process.pid })
    expect(existsSync(`${path}.lock`)).toBeTrue()
  })
})

const feed = createConfig({ feed_id: 'EIA.NEW' })
const entry = (indent: string): string =>
  JSON.stringify(feed, null, indent)
    .split('\n')
    .map((line) => indent + line)
    .join('\n')

describe('appendFeed', () => {
  test('default: after the last entry, indented like the first one; the others stay exactly as written', () => {
    const before = '[\n    { "feed_id":   "A",\n"odd": true },\n\n    {"feed_id": "B"}\n]\n'
    expect(appendFeed(before, feed)).toBe(`${before.slice(0, -3)},\n${entry('    ')}\n]\n`)
  })

  test('default: the built-in file, as its formatter writes it', async () => {
    const path = Bun.resolveSync('wattfeed/feeds.json', import.meta.dir)
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

  test('behavior: for any entries in any layout, the result has them and the new one', () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))
    const entries = fc.array(fc.dictionary(fc.string(), fc.oneof(value, fc.array(value))))
    const space = fc.constantFrom('', ' ', '  ', '\t', '    ')
    fc.assert(
      fc.property(entries, space, fc.string({ unit: 'grapheme' }), (others, indent, title) => {
        const added: SeriesConfig = { ...feed, title }
        const after = appendFeed(JSON.stringify(others, null, indent), added)
        expect(JSON.parse(after)).toEqual([...others, added])
      }),
    )
  })
})

describe('writeUnits', () => {
  test('default: into entries that have none; everything else stays exactly as written', async () => {
    using folder = createFolder()
    const lines = [wti, { ...brent, upstream_unit: 'MWh' }].map((each) => JSON.stringify(each))
    const path = folder.write('feeds.json', `[\n${lines.join(',\n\n')} ]`, 0o640)
    const units = new Map([wti, brent].map(({ feed_id }) => [feed_id, '$/BBL']))
    await writeUnits(path, new Map([...units, ['EIA.GONE', 'x']]))
    const [first = '', second] = lines
    expect(readFileSync(path, 'utf8')).toBe(
      `[\n${first.slice(0, -1)}, "upstream_unit": "$/BBL"},\n\n${second} ]`,
    )
    expect([statSync(path).mode & 0o777, readdirSync(folder.path)]).toEqual([0o640, ['feeds.json']])
  })

  test('error: another program writes it', async () => {
    using folder = createFolder()
    const path = folder.write('feeds.json', JSON.stringify([wti]))
    using _ = acquireLock(`${path}.lock`)
    expect(await errorOf(writeUnits(path, new Map()))).toMatchObject({ code: 'locked' })
  })
})

describe('insertUnits', () => {
  test.each([
    [
      'on one line',
      '[{"a": 1},{"b":2 }]',
      '[{"a": 1, "upstream_unit": "°F"},{"b":2, "upstream_unit": "°F" }]',
    ],
    ['on lines', '[\n  {\n    "a": 1\n  }\n]\n', '[\n  {\n    "a": 1,\n    "upstream_unit": "°F"\n  }\n]\n'],
    [
      'behind an object, with lines of Windows',
      '[\r\n\t{\r\n\t\t"a": {\r\n\t\t\t"b": "x"\r\n\t\t}\r\n\t}\r\n]',
      '[\r\n\t{\r\n\t\t"a": {\r\n\t\t\t"b": "x"\r\n\t\t},\r\n\t\t"upstream_unit": "°F"\r\n\t}\r\n]',
    ],
  ])('default: %s', (_, before, after) => {
    expect(insertUnits(before, ['°F', '°F'])).toBe(after)
  })

  test('behavior: for any entries in any layout, the given units are at the end of their entries', () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))
    const nested = fc.oneof(value, fc.array(value), fc.dictionary(fc.string(), value))
    const entries = fc.array(fc.dictionary(fc.string(), nested, { minKeys: 1 }))
    const unit = fc.option(fc.string({ minLength: 1 }))
    fc.assert(
      fc.property(
        entries,
        fc.constantFrom('', ' ', '\t', '    '),
        fc.infiniteStream(unit),
        (all, indent, stream) => {
          const units = all.map(() => stream.next().value ?? null)
          const after: object[] = JSON.parse(insertUnits(JSON.stringify(all, null, indent), units))
          const expected = all.map((entry, index) =>
            units[index] === null ? entry : { ...entry, upstream_unit: units[index] },
          )
          expect(after).toEqual(expected)
        },
      ),
    )
  })
})
