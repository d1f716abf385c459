import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { modelRows } from '../history/plainModel.ts'
import { readPage, snippetsOf } from '../support/snippets.ts'
import { type DataServer, FEED, OTHER_FEED, startDataServer } from './dataServer.ts'
import { hasPython, openPython, type Python } from './python.ts'

setDefaultTimeout(300_000)

const PAGE = 'docs/data.md'
const EXPORT_PAGE = 'docs/export.md'
const HOST = 'http://localhost:4030'
const VALUES = 130

const columns = [
  'index',
  'period',
  'period_start',
  'value',
  'amount',
  'revision',
  'source_hash',
  'attester',
  'attested_at',
]

let server: DataServer
let python: Python

beforeAll(async () => {
  if (!hasPython) return
  python = await openPython()
  server = await startDataServer(VALUES)
})

afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
  await python?.[Symbol.asyncDispose]()
})

/** Returns the columns and rows of the `table` that a program makes. */
async function tableOf(program: string): Promise<[string[], unknown[][]]> {
  const script = new URL('rows.py', import.meta.url).pathname
  const { exitCode, stdout, stderr } = await python.run([script], here(program))
  expect([exitCode, stderr]).toEqual([0, ''])
  return JSON.parse(stdout)
}

const here = (text: string): string => text.replaceAll(HOST, server.url)

/** What the server says besides what was attested: its JSON is held against the chain elsewhere. */
async function stamps(): Promise<readonly { attester: string; attested_at: number }[]> {
  const body = await (await fetch(`${server.url}/v1/feeds/${FEED}/history?from=0&to=${VALUES}`)).json()
  return Object(body).items
}

/** The rows of a plain model, of every attestation or of the first of each period. */
async function modelTable(vintages: 'all' | 'first') {
  const served = await stamps()
  const history = server.attested.map(({ sourceHash, ...value }, index) => ({
    ...value,
    source_hash: sourceHash,
    attester: served[index]?.attester ?? '',
    timestamp: served[index]?.attested_at ?? 0,
  }))
  const rows = modelRows(history)
  const seen = new Set<number>()
  const first = rows.filter(({ period }) => seen.size < seen.add(period).size)
  const wanted = vintages === 'all' ? rows : first.sort((a, b) => a.period - b.period)
  return wanted.map(({ index, period, amount, revision, source_hash, attester, timestamp }) => [
    index,
    period,
    String(period).replace(/(....)(..)/, '$1-$2-'),
    Number(`${amount}e-6`),
    String(amount),
    revision,
    source_hash,
    attester,
    timestamp,
  ])
}

const nameOf = (program: string): string => program.split('\n')[1] ?? ''

describe.skipIf(!hasPython)('docs/data.md', () => {
  const programs = snippetsOf(PAGE, 'python')

  test.each(programs.map((program) => [nameOf(program), program] as const))(
    'default: %s reads the model’s table',
    async (_, program) => {
      const vintages = program.includes('vintages=first') ? 'first' : 'all'
      expect(await tableOf(program)).toEqual([columns, await modelTable(vintages)])
    },
  )

  test('default: pandas, Polars and DuckDB read CSV and Parquet in one line each', () => {
    const kinds = programs
      .slice(0, 6)
      .map((program) => [/import (\w+)/.exec(program)?.[1], /csv|parquet/.exec(program)?.[0]])
    expect(kinds.map(String)).toEqual(
      ['pandas', 'polars', 'duckdb'].flatMap((library) => [`${library},csv`, `${library},parquet`]),
    )
    for (const program of programs.slice(0, 6)) expect(program.trim().split('\n')).toHaveLength(2)
  })

  test('default: every line of curl answers, and names the file', async () => {
    const lines = snippetsOf(PAGE, 'sh').flatMap((block) => block.trim().split('\n'))
    expect(lines).toHaveLength(4)
    for (const line of lines) {
      const { exitCode, stdout } = await python.shell(
        here(line).replace(/^curl/, '$& --fail --silent --show-error'),
      )
      expect([line, exitCode]).toEqual([line, 0])
      if (line.includes('feeds.csv')) expect(stdout).toStartWith('feed_id,decimals,value,amount,')
    }
    const saved = await Bun.file(`${python.folder}/${FEED}.history.csv`).text()
    expect(saved.trim().split('\r\n')).toHaveLength(VALUES + 1)
    expect(await Bun.file(`${python.folder}/wti.parquet`).slice(0, 4).text()).toBe('PAR1')
  })

  test('behavior: what is not run says so', () => {
    for (const language of ['r', 'text'])
      for (const block of snippetsOf(PAGE, language)) {
        const before = readPage(PAGE).split(block)[0] ?? ''
        expect(before.slice(before.lastIndexOf('**', before.lastIndexOf('**') - 1))).toContain(
          '(not run in CI)',
        )
      }
  })
})

describe.skipIf(!hasPython)('docs/export.md', () => {
  const programs = snippetsOf(EXPORT_PAGE, 'python')

  beforeAll(async () => {
    if (!hasPython) return
    const [commands = ''] = snippetsOf(EXPORT_PAGE, 'sh')
    const settings = Object.entries(server.chainSettings).map(([name, value]) => `export ${name}=${value}`)
    const program = new URL('../../src/index.ts', import.meta.url).pathname
    const wattfeed = `wattfeed() { bun ${program} "$@"; }`
    const { exitCode, stderr } = await python.shell([...settings, wattfeed, commands].join('\n'))
    expect([exitCode, stderr]).toEqual([0, expect.any(String)])
  })

  test.each(programs.map((program) => [nameOf(program), program] as const))(
    'default: %s opens the whole data set',
    async (_, program) => {
      const [names, rows] = await tableOf(program)
      const ofFeed = (id: string): unknown[][] =>
        rows.flatMap((row) => (row.at(-1) === id ? [row.slice(0, -1)] : []))
      expect(names).toEqual([...columns, 'feed_id'])
      expect(ofFeed(FEED).sort(([a], [b]) => Number(a) - Number(b))).toEqual(await modelTable('all'))
      expect([ofFeed(OTHER_FEED).length, rows.length]).toEqual([1, VALUES + 1])
    },
  )

  test('default: pandas, Polars and DuckDB in one line each', () => {
    expect(programs.map((program) => /^import (\w+).*\ntable = .*\n$/.exec(program)?.[1])).toEqual([
      'pandas',
      'polars',
      'duckdb',
      'duckdb',
    ])
  })
})
