import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { casperTest } from '../packages/wattfeed/src/client/networks.ts'
import { explorerPicture } from '../scripts/recordExplorer.ts'
import { readPage } from './support/snippets.ts'
import { listWebpDelays, MAX_ANIMATED_BYTES } from './support/webp.ts'

const text = readPage('README.md')
const lines = text.trimEnd().split('\n')

describe('README.md', () => {
  test('default: has at most 120 lines, and code within its first 20', () => {
    expect(lines.length).toBeLessThanOrEqual(120)
    expect(lines.findIndex((line) => line.startsWith('```'))).toBeWithin(0, 19)
  })

  test('default: its first three lines say what it is, for whom, and what is live', () => {
    expect(lines.slice(0, 3)).toEqual([
      expect.stringContaining('US energy statistics on the Casper blockchain'),
      expect.stringMatching(/^For .*contract authors/),
      expect.stringMatching(/^\*\*Live today:\*\* .*test network.* the original project's; .* ours/),
    ])
  })

  test("default: the registries that it calls live are the library's", () => {
    const hashes = [casperTest.feedRegistryPackageHash, casperTest.attestationRegistryPackageHash]
    const [first, second] = hashes.map((hash) => `\`${hash.slice(0, 8)}…\``)
    expect(text).toContain(`chain \`${casperTest.chainName}\`, packages ${first} and ${second}`)
  })

  test('behavior: the parts that it links to exist', () => {
    const links = [...text.matchAll(/\]\(([\w./-]*)#([\w-]+)\)/g)].map(([, page = '', part = '']) => ({
      page: page || 'README.md',
      part,
    }))
    expect(links.length).toBeGreaterThan(1)
    expect(links.filter(({ page, part }) => !partsOf(page).includes(part))).toEqual([])
  })
})

test('docs/verify.md > behavior: each claim about statistics on other chains has its source, and a date', () => {
  const [, section = ''] = readPage('docs/verify.md').split('### Official statistics on other chains\n')
  expect(section).toMatch(/^\nOthers .* November 2026/)
  const [, , ...rows] = section.split('\n').filter((line) => line.startsWith('|'))
  expect(rows).toHaveLength(4)
  expect(rows.filter((row) => !row.includes('](https://'))).toEqual([])
})

describe('the animated picture of README.md', () => {
  const file = readFileSync(explorerPicture)

  test('default: takes at most 1 MB', () => {
    expect(file.length).toBeLessThanOrEqual(MAX_ANIMATED_BYTES)
  })

  test('default: moves for some seconds', () => {
    const delays = listWebpDelays(file)
    expect(delays.length).toBeGreaterThan(5)
    expect(delays.reduce((sum, delay) => sum + delay, 0)).toBeWithin(5_000, 30_000)
  })

  test('default: its caption states that the figures are invented', () => {
    const [, caption = ''] =
      /src="docs\/pictures\/explorer\.webp">\n<\/picture>\n\n\*(.*)\*\n/.exec(text) ?? []
    expect(caption).toContain('All figures are invented.')
  })
})

/** The anchors of a page's headings, as code hosts name them. */
const partsOf = (page: string): string[] =>
  [...readPage(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  )
