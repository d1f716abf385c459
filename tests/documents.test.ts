import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readValue, scaleDecimal } from '@wattfeed/eia'
import manifest from '../package.json' with { type: 'json' }

const root = join(import.meta.dir, '..')
const read = (name: string): string => readFileSync(join(root, name), 'utf8')

/** The distinct matches of a pattern's first group. */
const found = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, group = '']) => group)),
]

const pages = readdirSync(join(root, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`)

describe.each(['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', ...pages])('%s', (name) => {
  const text = read(name)

  test('behavior: every script that it names exists', () => {
    const scripts = found(text, /bun(?:@[\d.]+)? run ([\w-]+)/g)
    expect(scripts.filter((script) => !Object.keys(manifest.scripts).includes(script))).toEqual([])
  })

  test('behavior: every file that it names exists', () => {
    const links = found(text, /\]\((?!https?:)([^)#]+)\)/g)
    const paths = found(text, /`((?:src|packages|tests|bench|scripts|contracts|fixtures|\.ci)\/[\w./-]+)`/g)
    expect(links.filter((path) => !existsSync(join(root, dirname(name), path)))).toEqual([])
    expect(paths.filter((path) => !path.includes('*') && !existsSync(join(root, path)))).toEqual([])
  })
})

describe.each(read('docs/architecture.md').split(/^##+ /m).slice(1))('docs/architecture.md', (section) => {
  const [title = ''] = section.split('\n')

  test(`behavior: the short paths of "${title}" are below the folders that it names`, () => {
    const folders = ['', ...found(section, /(?:below|Below|^) ?`((?:src|packages)(?:\/[\w/-]+)?)`/gm)]
    const paths = found(section, /`([\w/-]+\.tsx?)`/g)
    const isThere = (path: string) => folders.some((folder) => existsSync(join(root, folder, path)))
    expect(paths.filter((path) => !isThere(path))).toEqual([])
  })
})

test.each(['packages', 'src'])(
  'docs/architecture.md > behavior: the folders that it lists below %s exist',
  (folder) => {
    const [, table = ''] = read('docs/architecture.md').split(`Below \`${folder}\`:\n\n`)
    const [rows = ''] = table.split('\n\n')
    const names = found(rows, /^\| (`[^|]*)/gm).flatMap((cell) => found(cell, /`([^`]+)`/g))
    expect(names.length).toBeGreaterThan(10)
    expect(names.filter((name) => !existsSync(join(root, folder, name)))).toEqual([])
  },
)

test('CONTRIBUTING.md > behavior: every room it names is there', () => {
  const [, section = ''] = read('CONTRIBUTING.md').split(/^## (?:Where things go|House rules)$/m)
  const rooms = found(section, /`([a-z]+(?:\/\w+)?)`/g)
  const above = [
    '',
    'src',
    'src/feeds',
    'packages',
    'packages/wattfeed/src',
    'src/web',
    'packages/casper/src',
    'packages/base/src',
  ]
  const isThere = (room: string) => above.some((folder) => existsSync(join(root, folder, room)))
  expect(rooms.length).toBeGreaterThan(15)
  expect(rooms.filter((room) => !isThere(room))).toEqual([])
})

test('CHANGELOG.md > behavior: has the version of package.json, below the unreleased changes', () => {
  expect(found(read('CHANGELOG.md'), /^## \[([^\]]+)\]/gm).slice(0, 2)).toEqual([
    'Unreleased',
    manifest.version,
  ])
})

test.each([
  ['agent.md', 'bun run doctor', 'bun run agent'],
  ['install.md', 'wattfeed doctor', 'systemctl enable --now wattfeed-agent'],
  ['committee.md', 'bun run doctor', 'bun run agent'],
])('docs/%s > behavior: the doctor comes before the first start of an agent', (name, doctor, start) => {
  const commands = [...read(`docs/${name}`).matchAll(/^```(?:sh|console)\n([\s\S]*?)^```$/gm)].join('\n')
  expect(commands.indexOf(doctor)).toBeWithin(0, commands.indexOf(start))
})

test('docs/agent.md > behavior: the marks of a withheld value are those that the agent takes, and the other texts are errors', () => {
  const [, marks = '', others = ''] =
    /- `withheld` is null, or (.*?) Any other text (.*?)\n- /s.exec(read('docs/agent.md')) ?? []
  const examples = found(marks, /`([^`]+)`/g)
  expect(examples).toEqual(['W', 'D', 'Q', 'NA', 'N/A', 'NM', 'S', '(S)', '*', '.'])
  for (const mark of [...examples, '-', '--', '']) expect(readValue(mark)).toBeNull()
  const errors = found(others, /`([^`]+)`/g).filter((text) => text !== 'not_a_number')
  expect(errors).toEqual(['12%', '−5', '0x10', 'NaN', '1,234'])
  for (const text of errors) expect(() => readValue(text)).toThrow(JSON.stringify(text))
})

test.each([
  'docs/agent.md',
  'docs/data.md',
  'docs/provenance.md',
  'docs/commands.md',
  'packages/eia/README.md',
])('%s > behavior: says that further decimals are cut, not rounded', (name) => {
  expect(scaleDecimal('70.049', 2)).toBe(7004n)
  const text = read(name).replace(/\s+/g, ' ')
  expect(text).toMatch(/(cut|cuts)\b[^.:]*, (not rounded|and rounds none)/)
  if (text.includes('70.049')) expect(text).toMatch(/with 2 decimals, 70\.049 is (attested as )?70\.04\b/)
})
