import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { entries as folders, libraryPages } from '../../../src/web/docs/library.ts'
import { entries, exportsOf } from '../../support/publicExports.ts'

const pages = new Map(libraryPages(join(import.meta.dir, '../../..')).map(({ name, text }) => [name, text]))
const page = (name: string): string => pages.get(`library/${name}`) ?? ''

test('default: the entries are those of the packages', () => {
  const names: Record<string, string> = Object.fromEntries(folders.map(([entry, folder]) => [folder, entry]))
  expect(names).toEqual(entries)
})

describe.each(Object.entries(entries))('%s/index.ts', (folder, entry) => {
  test('default: its page lists each export, with a link to the page of it', () => {
    const listed = [...page(entry).matchAll(/^\| \[(\w+)\]\((\S+)\) \|/gm)]
    expect(listed.map(([, name]) => name).sort()).toEqual(
      exportsOf(folder)
        .map(({ name }) => name)
        .sort(),
    )
    expect(listed.filter(([, , address = '']) => !pages.has(address.replace('/docs/', '')))).toEqual([])
  })
})

test('default: the page of a function has its signature, its example, and what it throws', () => {
  const text = page('wattfeed/createClient')
  expect(text).toStartWith(
    '# createClient()\n\nFrom [wattfeed](/docs/library/wattfeed).\n\n```ts\nfunction createClient(',
  )
  expect(text).toContain("## Example\n\n```ts\nimport { createClient } from 'wattfeed'\n")
  expect(text).toContain('| `options?` | [`ClientOptions`](/docs/library/wattfeed/ClientOptions) |')
  expect(text).toContain(
    '## Throws\n\n- [InvalidArgumentError](/docs/library/wattfeed/InvalidArgumentError) when an option is invalid',
  )
})

test('default: the page of an interface has a section for each method, and a row for each property', () => {
  expect(page('wattfeed/Reads')).toContain(
    '### getReading()\n\n```ts\ngetReading(feedId: string, options?: ReadOptions)',
  )
  expect(page('wattfeed/Reading')).toContain('| <a id="amount"></a>`amount` | `bigint` | ')
})

test('behavior: the page of an error has the meaning of inherited fields, and not its name', () => {
  const text = page('wattfeed/AllNodesFailedError')
  expect(text).toContain("`code` | `'all_nodes_failed'` | Code of the error, for programs. |")
  expect(text).not.toContain('`name` |')
})

test('behavior: what several entries export has one page', () => {
  expect(pages.has('library/wattfeed/WattfeedError')).toBeTrue()
  expect(pages.has('library/wattfeed/live/WattfeedError')).toBeFalse()
  expect(page('wattfeed/live')).toContain('[WattfeedError](/docs/library/wattfeed/WattfeedError)')
})

test('behavior: no link of a comment is left as it is in the source', () => {
  expect([...pages].filter(([, text]) => text.includes('{@link')).map(([name]) => name)).toEqual([])
})
