import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasBrowser } from '@wattfeed/testing/browser'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { type DataServer, FEED, startDataServer } from '../python/dataServer.ts'
import { hasPython, openPython, type Python } from '../python/python.ts'
import { type Ended, runToEnd } from '../support/program.ts'
import { readPage, snippetsOf } from '../support/snippets.ts'
import { readNotebook } from './notebook.ts'
import { hasTools, homeAssistant, jq, libreOffice, r, toolsFolder } from './otherPrograms.ts'
import { type Cell, openInLibreOffice } from './spreadsheet.ts'

const PAGE = 'docs/recipes.md'
const HOST = 'https://wattfeed.example'
const VALUES = 130

let server: DataServer
let folder: Folder

beforeAll(async () => {
  folder = createFolder()
  server = await startDataServer(VALUES)
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const here = (text: string): string => text.replaceAll(HOST, server.url)

/** Returns the page's blocks in a language, with the address of the server of these tests. */
const recipes = (language: string): string[] => snippetsOf(PAGE, language).map(here)

/** The only recipe in a language. */
function recipeOf(language: string): string {
  const found = recipes(language)
  if (found[0] === undefined || found.length > 1) throw new Error(`${found.length} blocks of ${language}`)
  return found[0]
}

const readJson = async (path: string) => Object(await (await fetch(`${server.url}${path}`)).json())

interface Reading {
  feed_id: string
  value: number
  unit: string
  period: number
}

interface Row {
  period_start: string
  period_end: string
  value: number
  amount: string
  source_hash: string
  attested_at: number
}

/** What the server answers as JSON: the newest values. */
const listReadings = async (): Promise<Reading[]> => (await readJson('/v1/feeds')).feeds

/** What the server answers as JSON, of the first values or of all: one row for each period. */
const listRows = async (to?: number): Promise<Row[]> =>
  (
    await readJson(
      `/v1/feeds/${FEED}/history?vintages=latest&limit=1000${to === undefined ? '' : `&to=${to}`}`,
    )
  ).items

/** Runs a shell script in the folder. */
const shell = (script: string): Promise<Ended> =>
  runToEnd(
    ['bash', '-euo', 'pipefail', '-c', script],
    { PATH: process.env.PATH ?? '', HOME: folder.path },
    folder.path,
  )

async function outputOf(script: string): Promise<string> {
  const { exitCode, stdout, stderr } = await shell(script)
  expect([script, exitCode, stderr]).toEqual([script, 0, ''])
  return stdout
}

/** The rows of a CSV without quotes. */
async function readCsv(address: string): Promise<string[][]> {
  const answer = await fetch(address)
  expect([address, answer.status]).toEqual([address, 200])
  return (await answer.text())
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','))
}

describe('the page', () => {
  const versionOf = (pattern: RegExp): string => pattern.exec(readPage(PAGE))?.[1] ?? ''

  test('default: names the pinned versions of what CI runs', () => {
    const { dependencies } = JSON.parse(readFileSync(join(toolsFolder, 'package.json'), 'utf8'))
    const packages = readFileSync(join(import.meta.dir, '../python/requirements.txt'), 'utf8')
    expect(packages).toContain(`\nduckdb==${versionOf(/\| DuckDB ([\d.]+\d)/)}\n`)
    expect(versionOf(/ Plot ([\d.]+\d)/)).toBe(dependencies['@observablehq/plot'])
    expect(versionOf(/Notebook Kit ([\d.]+\d)/)).toBe(dependencies['@observablehq/notebook-kit'])
    expect(versionOf(/parser of Power Query ([\d.]+\d)/)).toBe(dependencies['@microsoft/powerquery-parser'])
  })

  test('default: says of each program how it was checked', () => {
    const rows = [...readPage(PAGE).matchAll(/^\| \[([^\]]+)\]\(#[\w-]+\) \| (.+) \|$/gm)]
    const kinds = rows.map(([, program, how = '']) => [program, /in CI$|untested|by hand/.exec(how)?.[0]])
    expect(Object.fromEntries(kinds)).toEqual({
      Shell: 'in CI',
      DuckDB: 'in CI',
      R: 'in CI',
      'LibreOffice Calc': 'in CI',
      Excel: 'untested',
      'Google Sheets': 'untested',
      Observable: 'in CI',
      Grafana: 'untested',
      'Home Assistant': 'by hand',
    })
  })
})

describe.skipIf(!jq.isInstalled)('the shell', () => {
  const lines = () =>
    recipes('sh')
      .flatMap((block) => block.trim().split('\n'))
      .filter((line) => line.startsWith('curl'))

  test('default: jq prints one value, and all as a table', async () => {
    const [one = '', all = ''] = lines()
    const readings = await listReadings()
    expect(Number(await outputOf(one))).toBe(readings.find(({ feed_id }) => feed_id === FEED)?.value ?? NaN)
    const table = (await outputOf(all)).trimEnd().split('\n')
    expect(
      table.map((line) => line.split('\t')).map(([id, value, unit]) => [id, Number(value), unit]),
    ).toEqual(readings.map(({ feed_id, value, unit }) => [feed_id, value, unit]))
  })

  test('default: awk prints the values of the CSV', async () => {
    const printed = (await outputOf(lines()[2] ?? '')).trimEnd().split('\n')
    expect(
      printed.map((line) => line.split(' ')).map(([id, value, unit]) => [id, Number(value), unit]),
    ).toEqual((await listReadings()).map(({ feed_id, value, unit }) => [feed_id, value, unit]))
  })

  test('behavior: curl downloads an unchanged history once', async () => {
    const command = `${lines()[3] ?? ''} --write-out '%{http_code} %{size_download}'`
    const file = join(folder.path, 'wti.csv')
    expect(await outputOf(command)).toStartWith('200 ')
    const first = readFileSync(file, 'utf8')
    expect(await outputOf(command)).toBe('304 0')
    expect(readFileSync(file, 'utf8')).toBe(first)
    expect(first.trimEnd().split('\r\n')).toHaveLength(1 + (await listRows()).length)
  })

  test('error: a feed that does not exist ends the pipe with an error', async () => {
    const { exitCode } = await shell((lines()[0] ?? '').replace(FEED, 'NOPE'))
    expect(exitCode).not.toBe(0)
  })
})

describe.skipIf(!hasPython)('DuckDB', () => {
  let python: Python

  beforeAll(async () => {
    if (!hasPython) return
    python = await openPython()
    const [installation = ''] = snippetsOf('docs/data.md', 'python').filter((block) =>
      block.includes('INSTALL'),
    )
    expect(await python.run(['-c', installation])).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  })

  afterAll(async () => {
    await python?.[Symbol.asyncDispose]()
  })

  /** Returns the columns and rows of a query. */
  async function query(sql: string): Promise<[string[], unknown[][]]> {
    const script = new URL('../python/rows.py', import.meta.url).pathname
    const { exitCode, stdout, stderr } = await python.run(
      [script],
      `import duckdb\ntable = duckdb.sql("""${sql}""")`,
    )
    expect([exitCode, stderr]).toEqual([0, ''])
    return JSON.parse(stdout)
  }

  test('default: reads the history as CSV', async () => {
    const [names, rows] = await query(recipes('sql')[0] ?? '')
    const read = rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]])))
    expect(read).toMatchObject(
      (await listRows(40)).map((row) => ({
        ...row,
        period_start: Date.parse(row.period_start),
        period_end: Date.parse(row.period_end),
      })),
    )
  })

  test('default: shows several feeds side by side', async () => {
    const [names, rows] = await query(recipes('sql')[1] ?? '')
    expect(names).toEqual(['period_start', 'EIA.NG.PRICE.HENRYHUB.DAILY', FEED])
    expect(rows.map(([start, , value]) => [start, value])).toEqual(
      (await listRows(40)).map(({ period_start, value }) => [Date.parse(period_start), value]),
    )
  })

  test('default: reads the newest values with their units', async () => {
    const [, rows] = await query(recipes('sql')[2] ?? '')
    expect(rows).toEqual(
      (await listReadings()).map(({ feed_id, unit, value, period }) => [feed_id, unit, value, period]),
    )
  })
})

describe.skipIf(!r.isInstalled)('R', () => {
  test('default: reads numbers, dates, times and exact amounts', async () => {
    const program = `${recipeOf('r')}
stopifnot(inherits(prices$period_start, "Date"), inherits(prices$attested_at, "POSIXct"))
cat(sprintf("%s %.17g %s %s %.3f\\n", prices$period_start, prices$value, prices$amount, prices$source_hash,
  as.numeric(prices$attested_at)), sep = "")`
    const path = folder.write('recipe.R', program)
    const printed = (await outputOf(`${r.path} --vanilla ${path}`)).trimEnd().split('\n')
    expect(printed.map((line) => line.split(' '))).toEqual(
      (await listRows()).map((row) => [
        row.period_start,
        expect.any(String),
        row.amount,
        row.source_hash,
        (row.attested_at / 1000).toFixed(3),
      ]),
    )
    expect(printed.map((line) => Number(line.split(' ')[1]))).toEqual(
      (await listRows()).map(({ value }) => value),
    )
  })
})

/** The languages of two spreadsheets: the second writes decimal commas. */
const LANGUAGES = ['en-US', 'de-DE']

/** The recipe of LibreOffice. */
const calcCommand = (): string => recipes('sh').find((block) => block.startsWith('soffice')) ?? ''

/** The page's formulas that use a function. */
const formulasWith = (name: string): string[] =>
  recipes('text')
    .flatMap((block) => block.trim().split('\n'))
    .filter((formula) => formula.includes(name))

describe.skipIf(!libreOffice.isInstalled)('LibreOffice', () => {
  /** Opens the history in a folder, by name of the column. */
  async function openHistory(command: string, language: string): Promise<Record<string, Cell>[]> {
    using own = createFolder()
    const [header = [], ...rows] = await openInLibreOffice(command, own.path, language)
    return rows.map((row) =>
      Object.fromEntries(header.map(({ value }, index) => [value, row[index] as Cell] as const)),
    )
  }

  const tables: Record<string, Record<string, Cell>[]> = {}

  beforeAll(async () => {
    if (!libreOffice.isInstalled) return
    const open = async (name: string, command: string, language: string) => {
      tables[name] = await openHistory(command, language)
    }
    await Promise.all([
      ...LANGUAGES.map((language) => open(language, calcCommand(), language)),
      open('without a language', calcCommand().replace(',1033,', ',,'), 'de-DE'),
    ])
  })

  test.each(LANGUAGES)('default: reads numbers, dates and exact amounts in %s', async (language) => {
    const read = tables[language]?.map(({ period_start, period_end, value, amount, source_hash }) => ({
      period_start: [period_start?.type, period_start?.value],
      period_end: [period_end?.type, period_end?.value],
      value: [value?.type, Number(value?.value)],
      amount: [amount?.type, amount?.value],
      source_hash: [source_hash?.type, source_hash?.value],
    }))
    expect(read as unknown).toEqual(
      (await listRows()).map((row) => ({
        period_start: ['date', row.period_start],
        period_end: ['date', row.period_end],
        value: ['float', row.value],
        amount: ['string', row.amount],
        source_hash: ['string', row.source_hash],
      })),
    )
  })

  test('default: the formula makes times of attested_at', async () => {
    using own = createFolder()
    const [formula = ''] = formulasWith('DATEVALUE')
    const [header = [], row = []] = await readCsv(`${server.url}/v1/feeds/${FEED}/history.csv?limit=1`)
    const file = own.write('times.csv', `${header},time\r\n${row},${formula}\r\n`)
    const command = calcCommand().replace(/'http[^']*'/, file)
    const [, cells = []] = await openInLibreOffice(command, own.path, 'de-DE')
    // Spreadsheets count days from this one.
    const time = Date.UTC(1899, 11, 30) + Number(cells.at(-1)?.value) * 86_400_000
    const attestedAt = Date.parse(row[header.indexOf('attested_at')] ?? '')
    expect(Math.round(time / 1000)).toBe(Math.floor(attestedAt / 1000))
  })

  test('behavior: without a language, a German spreadsheet takes the values for text', () => {
    const fractions = (tables['without a language'] ?? []).filter(({ value }) => value?.value === '1.5')
    expect(new Set(fractions.map(({ value }) => value?.type))).toEqual(new Set(['string']))
  })

  test('behavior: Excel’s query gives the columns the types that LibreOffice finds', () => {
    const cellTypes: Readonly<Record<string, string>> = {
      'Int64.Type': 'float',
      'type number': 'float',
      'type date': 'date',
      'type text': 'string',
    }
    const [row = {}] = tables['en-US'] ?? []
    const typed = [...recipeOf('powerquery').matchAll(/\{"(\w+)", ([\w. ]+)\}/g)]
    const { attested_at, ...types } = Object.fromEntries(
      typed.map(([, name = '', type = '']) => [name, type]),
    )
    expect(attested_at).toBe('type datetimezone')
    expect(Object.keys(types).map((name) => [name, row[name]?.type ?? ''])).toEqual(
      Object.entries(types).map(([name, type]) => [name, cellTypes[type] ?? '']),
    )
    expect(Object.keys(types)).toHaveLength(8)
  })
})

describe('Excel', () => {
  test.skipIf(!hasTools)('default: Microsoft’s parser accepts the query', async () => {
    const { DefaultSettings, TaskUtils } = await importTool('@microsoft/powerquery-parser')
    const parse = async (text: string) => (await TaskUtils.tryLexParse(DefaultSettings, text)).resultKind
    const query = recipeOf('powerquery')
    expect(await parse(query)).toBe('Ok')
    expect(await parse(query.replace('in\n', ''))).toBe('Error')
  })

  test('default: the query names the language of the numbers', () => {
    expect(recipeOf('powerquery')).toMatch(/\},\s*"en-US"\s*\)\s*in\s/)
  })

  test('default: the query reads the address of LibreOffice’s recipe', () => {
    const [, address, key, value] =
      /Web\.Contents\("([^"]+)", \[Query = \[(\w+) = "(\w+)"\]\]\)/.exec(recipeOf('powerquery')) ?? []
    expect(calcCommand()).toContain(`'${address}?${key}=${value}'`)
  })
})

/** Loads a package of scripts/recipes. */
async function importTool(name: string) {
  const module = await import(Bun.resolveSync(name, toolsFolder))
  return module.default ?? module
}

describe('Google Sheets', () => {
  const formulas = () =>
    formulasWith('IMPORTDATA').map((formula) => ({
      formula,
      address: /IMPORTDATA\("([^"]+)", ",", "en_US"\)/.exec(formula)?.[1] ?? '',
    }))

  test('default: each address is a table with a header', async () => {
    const columns = await Promise.all(formulas().map(async ({ address }) => (await readCsv(address))[0]?.[0]))
    expect(columns).toEqual(['feed_id', 'feed_id', 'feed_id'])
  })

  test('default: the looked-up column is the value', async () => {
    const { formula = '', address = '' } = formulas()[2] ?? {}
    const [, id, column] = /VLOOKUP\("([^"]+)", IMPORTDATA\(.*\), (\d+), FALSE\)/.exec(formula) ?? []
    const [header = [], ...rows] = await readCsv(address)
    expect(header[Number(column) - 1]).toBe('value')
    const found = rows.find(([first]) => first === id)?.[Number(column) - 1]
    expect(Number(found)).toBe((await listReadings()).find(({ feed_id }) => feed_id === id)?.value ?? NaN)
  })
})

describe.skipIf(!hasTools || !hasBrowser)('Observable', () => {
  test('default: the notebook reads dates and values, and draws them', async () => {
    const [cells, rows] = [recipes('js'), await listRows()]
    expect(cells).toHaveLength(2)
    // Shows the test the value of the first cell.
    const copy = 'document.body.dataset.prices = JSON.stringify(prices)\n'
    const [prices, line] = await readNotebook([...cells, copy], async (page) => [
      await page.locator('body[data-prices]').getAttribute('data-prices'),
      await page.locator('[aria-label="line"] path').getAttribute('d'),
    ])
    expect(JSON.parse(prices ?? '')).toEqual(
      rows.map(({ period_start, value }) => ({ date: new Date(period_start).toISOString(), value })),
    )
    expect(line?.match(/[ML]/g)).toHaveLength(rows.length)
  })
})

describe.skipIf(homeAssistant === undefined)('Home Assistant', () => {
  /** Returns the states of the sensors of a configuration. */
  async function sensorsOf(
    configuration: string,
  ): Promise<Record<string, [string, Record<string, unknown>]>> {
    using own = createFolder()
    own.write('configuration.yaml', configuration)
    const script = join(import.meta.dir, 'homeAssistant.py')
    const { exitCode, stdout, stderr } = await runToEnd(
      [homeAssistant ?? '', script, own.path],
      { HOME: own.path },
      own.path,
    )
    expect([exitCode, stderr]).toEqual([0, expect.any(String)])
    return JSON.parse(stdout)
  }

  test('default: the sensor has the newest value, its unit and its period', async () => {
    const reading = await readJson(`/v1/feeds/${FEED}`)
    const { 'sensor.wti_spot_price': sensor } = await sensorsOf(recipeOf('yaml'))
    const [state, attributes] = sensor ?? []
    const { period, amount, decimals, updated_at } = reading
    expect(Number(state)).toBe(reading.value)
    expect(attributes).toMatchObject({
      period,
      amount,
      decimals,
      updated_at,
      unit_of_measurement: reading.unit,
    })
  })

  test('behavior: the sensor is unavailable if the feed has another unit', async () => {
    const configuration = recipeOf('yaml').replace("== '$/bbl'", "== '$/gal'")
    const { 'sensor.wti_spot_price': sensor } = await sensorsOf(configuration)
    expect(sensor?.[0]).toBe('unavailable')
  })
})
