import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { modelRows } from 'wattfeed/testing/plainModel'
import { snippetsOf } from '../support/snippets.ts'
import { type DataServer, FEED, HOURLY_FEED, OTHER_FEED, startDataServer } from './dataServer.ts'
import { hasPython, openPython, type Python } from './python.ts'

const PAGE = 'docs/data.md'
const TUTORIAL = 'docs/read-a-feed.md'
/** The section about data sets, whose programs read the files of an export. */
const EXPORT = 'Export a data set'
const HOST = 'http://localhost:4030'
const VALUES = 130

const partColumns = [
  'index',
  'period',
  'period_start',
  'period_end',
  'value',
  'amount',
  'revision',
  'source_hash',
  'attester',
  'attested_at',
]

const columns = ['feed_id', 'unit', ...partColumns]

/** Installs DuckDB's extension, which it would download otherwise; the other programs make a table. */
const isInstallation = (program: string): boolean => program.includes('INSTALL')

let server: DataServer
let python: Python

beforeAll(async () => {
  if (!hasPython) return
  python = await openPython()
  server = await startDataServer(VALUES)
  const [installation = ''] = snippetsOf(PAGE, 'python').filter(isInstallation)
  expect(await python.run(['-c', installation])).toEqual({ exitCode: 0, stdout: '', stderr: '' })
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

/** The server's answers apart from attested values, because other tests compare its JSON with the chain. */
async function stamps(): Promise<readonly { attester: string; attested_at: number }[]> {
  const body = await (await fetch(`${server.url}/v1/feeds/${FEED}/history?from=0&to=${VALUES}`)).json()
  return Object(body).items
}

/** The rows of a plain model, of every attestation or of the first of each period. */
async function modelTable(vintages: 'all' | 'first', to = VALUES) {
  const served = await stamps()
  const history = server.attested.slice(0, to).map(({ sourceHash, ...value }, index) => ({
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
    dayOf(period),
    dayOf(period),
    Number(`${amount}e-6`),
    String(amount),
    revision,
    source_hash,
    attester,
    timestamp,
  ])
}

const dayOf = (period: number): number => Date.parse(String(period).replace(/(....)(..)/, '$1-$2-'))

/** The number of values to which a program pins its file. */
const toOf = (program: string): number => Number(/[?&]to=(\d+)/.exec(program)?.[1] ?? VALUES)

const nameOf = (program: string): string => program.split('\n')[1] ?? ''

describe.skipIf(!hasPython)(TUTORIAL, () => {
  test('default: the Python program reads the model’s table', async () => {
    const [program = ''] = snippetsOf(TUTORIAL, 'python')
    const rows = (await modelTable('all')).map((row) => [FEED, '$/bbl', ...row])
    expect(await tableOf(program)).toEqual([columns, rows])
  })

  test('default: the SQL reads the first print of each period', async () => {
    const [query = ''] = snippetsOf(TUTORIAL, 'sql')
    const [names, rows] = await tableOf(`import duckdb\ntable = duckdb.sql("""${query}""")`)
    const prints = (await modelTable('first', toOf(query))).map(([, , start, , value]) => [start, value])
    expect([names, rows]).toEqual([['period_start', 'value'], prints])
  })
})

describe.skipIf(!hasPython)('docs/data.md', () => {
  const ofExport = new Set(['python', 'sh'].flatMap((language) => snippetsOf(PAGE, language, EXPORT)))
  const snippets = (language: string) => snippetsOf(PAGE, language).filter((each) => !ofExport.has(each))
  const programs = snippets('python').filter((program) => !isInstallation(program))
  const ofFeed = programs.filter((program) => !program.includes('/v1/history.'))
  const ofSeveral = programs.filter((program) => program.includes('/v1/history.'))
  const withFeed = (rows: unknown[][]) => rows.map((row) => [FEED, '$/bbl', ...row])

  test.each(ofFeed.map((program) => [nameOf(program), program] as const))(
    'default: %s reads the model’s table',
    async (_, program) => {
      const vintages = program.includes('vintages=first') ? 'first' : 'all'
      expect(await tableOf(program)).toEqual([columns, withFeed(await modelTable(vintages, toOf(program)))])
    },
  )

  test('default: several feeds are in one table, row after row or column beside column', async () => {
    const [[names, rows], [pivoted, days]] = await Promise.all(
      ofSeveral.map(tableOf) as [ReturnType<typeof tableOf>, ReturnType<typeof tableOf>],
    )
    expect(names).toEqual(columns)
    expect(rows.slice(0, -1)).toEqual(withFeed(await modelTable('all')))
    expect(rows.at(-1)?.slice(0, 4)).toEqual([OTHER_FEED, '$/bbl', 0, 20_261_001])
    expect(pivoted).toEqual(['period_start', OTHER_FEED, FEED])
    expect(days).toHaveLength(new Set(rows.map(([, , , period]) => period)).size)
  })

  test.each([
    ['Polars', 'import polars as pl\ntable = pl.read_parquet("URL")'],
    ['DuckDB', `import duckdb\ntable = duckdb.sql("FROM read_parquet('URL')")`],
  ])('behavior: %s reads several feeds from one address, too', async (_, program) => {
    const url = `${HOST}/v1/history.parquet?id=${FEED}&id=${OTHER_FEED}`
    const [names, rows] = await tableOf(program.replace('URL', url))
    expect([names, rows.length]).toEqual([columns, VALUES + 1])
  })

  test('default: days are dates, hours and block times are timestamps, in Parquet and in CSV', async () => {
    const typesOf = async (feed: string, read: string) => {
      const path = `${HOST}/v1/feeds/${feed}/history.${read.includes('csv') ? 'csv' : 'parquet'}`
      const program = `import duckdb, polars as pl
t = ${read.replace('URL', path)}
types = t.schema if hasattr(t, "schema") else dict(zip(t.columns, t.types))
table = pl.DataFrame([str(types[name]) for name in ("period_start", "period_end", "attested_at")])`
      const [, types] = await tableOf(program)
      return types.flat()
    }
    const utc = "Datetime(time_unit='ms', time_zone='UTC')"
    const withZone = 'TIMESTAMP WITH TIME ZONE'
    expect(await typesOf(FEED, 'pl.read_parquet("URL")')).toEqual(['Date', 'Date', utc])
    expect(await typesOf(HOURLY_FEED, 'pl.read_parquet("URL")')).toEqual([utc, utc, utc])
    for (const read of [`duckdb.sql("FROM 'URL'")`, `duckdb.sql("FROM read_csv('URL')")`]) {
      expect([read, await typesOf(FEED, read)]).toEqual([read, ['DATE', 'DATE', withZone]])
      expect([read, await typesOf(HOURLY_FEED, read)]).toEqual([read, [withZone, withZone, withZone]])
    }
  })

  test('default: pandas, Polars and DuckDB read CSV and Parquet in one line each', () => {
    const kinds = programs
      .slice(0, 6)
      .map((program) => [/import (\w+)/.exec(program)?.[1], /csv|parquet/.exec(program)?.[0]])
    expect(kinds.map(String)).toEqual(
      ['pandas', 'polars', 'duckdb'].flatMap((library) => [`${library},csv`, `${library},parquet`]),
    )
    for (const program of programs.slice(0, 6)) expect(program.trim().split('\n')).toHaveLength(2)
  })

  test('default: the lines that read with ranges, and only these, pin the file with `to`', () => {
    const pages = [PAGE, 'docs/recipes.md', TUTORIAL]
    const all = pages.flatMap((page) => [...snippetsOf(page, 'python'), ...snippetsOf(page, 'sql')])
    const read = all.filter((program) => /\/history\.(csv|parquet)/.test(program))
    const isPinned = (program: string) => /[?&]to=\d+/.test(program)
    const isRanged = (program: string) => /polars|duckdb|^ *(SELECT|FROM|PIVOT)/m.test(program)
    expect(read.filter(isRanged).length).toBeGreaterThan(6)
    expect(read.filter((program) => isPinned(program) !== isRanged(program))).toEqual([])
  })

  test('error: a file that changes between two requests gives the errors that the page names', async () => {
    const script = new URL('changing.py', import.meta.url).pathname
    const { exitCode, stdout } = await python.run([script])
    expect([exitCode, JSON.parse(stdout)]).toEqual([
      0,
      {
        'DuckDB, CSV': 'HTTPException',
        'DuckDB, Parquet': 'UnicodeDecodeError',
        Polars: 'PanicException',
        files: [1, 2],
      },
    ])
    const page = await Bun.file(new URL(`../../${PAGE}`, import.meta.url)).text()
    const { files: _, ...errors } = JSON.parse(stdout)
    for (const [reader, error] of Object.entries<string>(errors))
      expect(page).toMatch(new RegExp(`^\\| ${reader} \\| .*\`${error}\``, 'm'))
  })

  test('default: every line of curl answers, and names the file', async () => {
    const lines = snippets('sh').flatMap((block) => block.trim().split('\n'))
    expect(lines).toHaveLength(5)
    for (const line of lines) {
      const { exitCode, stdout } = await python.shell(
        here(line).replace(/^curl/, '$& --fail --silent --show-error'),
      )
      expect([line, exitCode]).toEqual([line, 0])
      if (line.includes('jq .count')) expect(stdout).toBe(`${VALUES}\n`)
      if (line.includes('feeds.csv')) expect(stdout).toStartWith('feed_id,decimals,value,amount,')
    }
    const saved = await Bun.file(`${python.folder}/${FEED}.history.csv`).text()
    expect(saved.trim().split('\r\n')).toHaveLength(VALUES + 1)
    expect(await Bun.file(`${python.folder}/wti.parquet`).slice(0, 4).text()).toBe('PAR1')
  })
})

describe.skipIf(!hasPython)(`${PAGE}, ${EXPORT}`, () => {
  const programs = snippetsOf(PAGE, 'python', EXPORT)

  beforeAll(async () => {
    if (!hasPython) return
    const commands = snippetsOf(PAGE, 'sh', EXPORT).join('\n')
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
      const rowsOf = (id: string): unknown[][] =>
        rows.flatMap((row) => (row.at(-1) === id ? [row.slice(0, -1)] : []))
      expect(names).toEqual([...partColumns, 'feed_id'])
      expect(rowsOf(FEED).sort(([a], [b]) => Number(a) - Number(b))).toEqual(await modelTable('all'))
      // EIA dates an hour by its end.
      const hours = program.includes('prices') ? [] : [[1_795_147_200_000, 1_795_150_800_000]]
      expect(rowsOf(HOURLY_FEED).map(([, , start, end]) => [start, end])).toEqual(hours)
      expect([rowsOf(OTHER_FEED).length, rows.length]).toEqual([1, VALUES + 1 + hours.length])
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

// The last one, because it attests a value that the model of the others does not have.
describe.skipIf(!hasPython)('the address of a history', () => {
  test('default: a file that is pinned with `to` stays the same, and another does not', async () => {
    const etags = (query: string) =>
      Promise.all(
        [`feeds/${FEED}/history.parquet?`, `feeds/${FEED}/history.csv?`, `history.parquet?id=${FEED}&`].map(
          async (path) => (await fetch(`${server.url}/v1/${path}${query}`)).headers.get('etag'),
        ),
      )
    const before = [await etags(`to=${VALUES}`), await etags('')]
    await server.attest()
    const after = [await etags(`to=${VALUES}`), await etags('')]
    expect(after[0]).toEqual(before[0])
    expect(after[1]?.filter((etag) => before[1]?.includes(etag))).toEqual([])
  })
})
