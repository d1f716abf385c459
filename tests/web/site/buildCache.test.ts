import { describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFolder } from '@wattfeed/testing/folder'
import { cachedText, hashInputs } from '../../../src/web/site/buildCache.ts'

const unwanted = (): string => {
  throw new Error('it was built again')
}

describe('the cache of a build', () => {
  test('default: a text is built once for its key, in a folder that it creates', () => {
    using folder = createFolder()
    const file = join(folder.path, 'cache', 'page')
    expect(
      cachedText(
        file,
        () => 'a',
        () => 'a page\nof ⚡ lines',
      ),
    ).toBe('a page\nof ⚡ lines')
    expect(cachedText(file, () => 'a', unwanted)).toBe('a page\nof ⚡ lines')
    expect(readdirSync(join(folder.path, 'cache'))).toEqual(['page'])
  })

  test('behavior: another key replaces it', () => {
    using folder = createFolder()
    const file = join(folder.path, 'page')
    cachedText(
      file,
      () => 'a',
      () => 'of a',
    )
    expect(
      cachedText(
        file,
        () => 'b',
        () => 'of b',
      ),
    ).toBe('of b')
    expect(cachedText(file, () => 'b', unwanted)).toBe('of b')
    expect(
      cachedText(
        file,
        () => 'a',
        () => 'of a again',
      ),
    ).toBe('of a again')
  })

  test.each([
    ['changed', (kept: string) => kept.replace('whole', 'other')],
    ['cut', (kept: string) => kept.slice(0, -1)],
    ['empty', () => ''],
  ])('error: a %s file is built again', (_, damage) => {
    using folder = createFolder()
    const file = join(folder.path, 'page')
    cachedText(
      file,
      () => 'a',
      () => 'the whole page',
    )
    writeFileSync(file, damage(readFileSync(file, 'utf8')))
    expect(
      cachedText(
        file,
        () => 'a',
        () => 'built again',
      ),
    ).toBe('built again')
    expect(cachedText(file, () => 'a', unwanted)).toBe('built again')
  })

  test('behavior: a process that builds at the same time reads a whole text, and its own replaces it', () => {
    using folder = createFolder()
    const file = join(folder.path, 'page')
    const slow = cachedText(
      file,
      () => 'a',
      () =>
        `slow, after ${cachedText(
          file,
          () => 'a',
          () => 'fast',
        )}`,
    )
    expect([slow, cachedText(file, () => 'a', unwanted)]).toEqual(['slow, after fast', 'slow, after fast'])
    expect(readdirSync(folder.path)).toEqual(['page'])
  })

  test('error: where nothing can be written, each process builds the text', () => {
    using folder = createFolder()
    const file = join(folder.write('file', ''), 'page')
    expect(
      cachedText(
        file,
        () => 'a',
        () => 'first',
      ),
    ).toBe('first')
    expect(
      cachedText(
        file,
        () => 'a',
        () => 'second',
      ),
    ).toBe('second')
  })

  test('error: what was written in vain is removed', () => {
    using folder = createFolder()
    const file = join(folder.path, 'page')
    // Nothing can replace a folder.
    mkdirSync(file)
    expect(
      cachedText(
        file,
        () => 'a',
        () => 'a page',
      ),
    ).toBe('a page')
    expect(readdirSync(folder.path)).toEqual(['page'])
  })

  test('behavior: if an input changes while the text is built, it is not kept', () => {
    using folder = createFolder()
    const file = join(folder.path, 'page')
    let input = 'a'
    const readKey = (): string => input
    const changed = cachedText(file, readKey, () => {
      input = 'b'
      return 'of b'
    })
    expect(changed).toBe('of b')
    input = 'a'
    expect(cachedText(file, readKey, () => 'of a')).toBe('of a')
    expect(cachedText(file, readKey, unwanted)).toBe('of a')
  })

  test('error: while an input cannot be read, the text is built and not kept', () => {
    using folder = createFolder()
    const file = join(folder.path, 'page')
    const unreadable = (): string => {
      throw new Error('no such file')
    }
    expect(cachedText(file, unreadable, () => 'a page')).toBe('a page')
    expect(readdirSync(folder.path)).toEqual([])
  })
})

describe('the inputs of a build', () => {
  test('default: a change, a new file, another name and another version of a package change their hash', () => {
    using folder = createFolder()
    for (const name of ['bun.lock', 'package.json', 'tsconfig.json']) folder.write(name, name)
    for (const name of [
      'src/web/site',
      'packages/casper/src',
      'node_modules/preact',
      'node_modules/@noble/hashes',
    ])
      mkdirSync(join(folder.path, name), { recursive: true })
    const hashes = [
      () => {},
      () => folder.write('src/web/site/a.ts', 'a'),
      () => folder.write('src/web/site/a.ts', 'b'),
      () => folder.write('src/b.css', ''),
      () => folder.write('packages/casper/src/a.ts', 'a'),
      () => folder.write('packages/casper/package.json', '{}'),
      () => folder.write('bun.lock', 'other versions'),
      () => folder.write('node_modules/preact/package.json', 'installed later'),
      () => folder.write('node_modules/@noble/hashes/package.json', 'installed later'),
    ].map((change) => {
      change()
      return hashInputs(folder.path)
    })
    expect(new Set(hashes).size).toBe(hashes.length)
    expect(hashInputs(folder.path)).toBe(hashes.at(-1) ?? '')
  })

  test('behavior: the packages that are installed below src are no inputs', () => {
    using folder = createFolder()
    for (const name of ['bun.lock', 'package.json', 'tsconfig.json']) folder.write(name, name)
    const before = hashInputs(folder.path)
    mkdirSync(join(folder.path, 'src/prover/node_modules/a'), { recursive: true })
    folder.write('src/prover/node_modules/a/index.js', 'a')
    expect(hashInputs(folder.path)).toBe(before)
    folder.write('src/prover/package.json', '{}')
    expect(hashInputs(folder.path)).not.toBe(before)
  })
})
