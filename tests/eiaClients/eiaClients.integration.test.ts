import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Leaf } from '@wattfeed/dataset'
import { hasPython, openPython, type Python } from '../python/python.ts'
import { type Ended, runToEnd } from '../support/program.ts'
import { readPage, snippetsOf } from '../support/snippets.ts'
import { type DemoDatasetsServer, startDemoDatasetsServer } from './demoDatasetsServer.ts'

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** The Python that has the packages of `requirements.txt`. */
const executable = pathOf('../../.venv.eia/bin/python')
const isPythonThere = existsSync(executable) || process.env.REQUIRE_PYTHON === '1'

if (!isPythonThere) console.warn(`skipped: public clients of EIA's API, because ${executable} does not exist`)

/** A library of R that has the package `eia`. Nothing requires it, because Debian does not have this package. */
const rLibrary = process.env.EIA_R_LIBRARY

const isRThere = rLibrary !== undefined

if (!isRThere)
  console.warn('skipped: EIA’s API with R; set EIA_R_LIBRARY to a library that has the package eia')

const PAGE = 'docs/eia-api.md'
const RETAIL = 'electricity/retail-sales'
const GASOLINE = 'petroleum/pri/gnd'
const HOUSEHOLDS = { stateid: 'CA', sectorid: 'RES' }
/** An id of the demo's invented series. */
const SERIES = 'PTE_EPC0_NUS'

describe.skipIf(!isPythonThere && !isRThere && !hasPython)(
  'public clients, of which only the base URL is changed',
  () => {
    let server: DemoDatasetsServer
    let python: Python

    beforeAll(async () => {
      server = await startDemoDatasetsServer()
      python = await openPython(executable)
    })

    afterAll(async () => {
      await python?.[Symbol.asyncDispose]()
      await server?.[Symbol.asyncDispose]()
    })

    /** Leaves of a column, newest first. */
    const leavesOf = (route: string, column: string, facets: Leaf['facets']): Leaf[] =>
      server
        .leavesOf(route)
        .filter((leaf) => leaf.column === column)
        .filter((leaf) => Object.entries(facets).every(([id, code]) => leaf.facets[id] === code))
        .sort((a, b) => (a.period < b.period ? 1 : -1))

    const rowsOf = (leaves: readonly Leaf[]) => leaves.map(({ period, value }) => [period, Number(value)])

    /** What the snapshot answers to the questions. */
    function expected({ isEarlier = false } = {}) {
      const newestOnes = isEarlier ? 1 : 0
      const prices = leavesOf(RETAIL, 'price', HOUSEHOLDS).slice(newestOnes)
      const sales = leavesOf(RETAIL, 'sales', HOUSEHOLDS).slice(newestOnes)
      const weeks = leavesOf(GASOLINE, 'value', { series: SERIES }).slice(newestOnes)
      const all = leavesOf(RETAIL, 'price', {})
      const [start = '', end = ''] = [prices[20]?.period, prices[7]?.period]
      const isIn = ({ period }: Leaf) => period >= start && period <= end
      return {
        asked: {
          ...{ state: HOUSEHOLDS.stateid, sector: HOUSEHOLDS.sectorid, series: SERIES },
          ...{ start, end, week: weeks[5]?.period },
        },
        newest: rowsOf(prices).slice(0, 3),
        history: rowsOf(prices.filter(isIn)),
        historyOfBoth: rowsOf(prices.filter(isIn)).map((row, at) => [
          ...row,
          ...(rowsOf(sales.filter(isIn))[at]?.slice(1) ?? []),
        ]),
        weeks: rowsOf(weeks).slice(0, 6),
        rows: all.filter(({ period }) => period <= (prices[0]?.period ?? '')).length,
        codes: [
          ['ALL', 'all sectors'],
          ['COM', 'commercial'],
          ['IND', 'industrial'],
          ['OTH', 'other'],
          ['RES', 'residential'],
          ['TRA', 'transportation'],
        ],
        metadata: {
          name: 'Electricity Sales to Ultimate Customers',
          columns: ['price', 'sales'],
          facets: ['sectorid', 'stateid'],
          frequencies: ['monthly'],
          periods: [prices.at(-1)?.period, prices[0]?.period],
        },
      }
    }

    /** What a client in Python returns. */
    const read = async (client: string, base: string, asked: object) =>
      parse(await python.run([pathOf('clients.py'), client, base, JSON.stringify(asked)]))

    function parse({ exitCode, stdout, stderr }: Ended) {
      if (exitCode !== 0) throw new Error(`the client failed: ${stderr}`)
      return JSON.parse(stdout)
    }

    describe.skipIf(!isPythonThere)('in Python', () => {
      test('default: openeia reads rows, pages, codes, metadata and the levels of routes', async () => {
        const { asked, newest, historyOfBoth, weeks, rows, codes, metadata } = expected()
        expect([newest.length, historyOfBoth.length, weeks.length, rows > 5_000]).toEqual([3, 14, 6, true])
        expect(await read('openeia', server.base, asked)).toEqual({
          ...{ newest, weeks, rows, codes, metadata },
          history: historyOfBoth,
          routes: [RETAIL, GASOLINE],
        })
      })

      test('default: python-eia reads rows, pages, codes and metadata', async () => {
        const { asked, newest, history, weeks, rows, codes, metadata } = expected()
        expect(await read('python-eia', server.base, asked)).toEqual({
          ...{ newest, history, weeks, rows, codes, metadata },
        })
      })

      test('default: myeia reads rows by facets and by an id of API version 1', async () => {
        const { asked, newest, history, weeks } = expected()
        expect(await read('myeia', server.base, asked)).toEqual({ newest, history, weeks, by_id: weeks })
      })

      test('default: eia-client reads rows by the header X-Params', async () => {
        const { asked, newest, historyOfBoth } = expected()
        expect(await read('eia-client', server.base, asked)).toEqual({ newest, history: historyOfBoth })
      })

      test('behavior: with a date in the base URL, a client reads what was attested up to then', async () => {
        const { asked, newest, historyOfBoth, weeks, rows, codes, metadata } = expected({ isEarlier: true })
        expect(newest).not.toEqual(expected().newest)
        expect(await read('openeia', server.earlierBase, asked)).toEqual({
          ...{ newest, weeks, rows, codes, metadata },
          history: historyOfBoth,
          routes: [RETAIL, GASOLINE],
        })
      })
    })

    test.skipIf(!hasPython)(
      'default: the scripts of the page read rows, and verify them offline',
      async () => {
        const [read = '', , verify = ''] = snippetsOf(PAGE, 'python')
        const settings = `import os, sys
os.environ.update(${JSON.stringify(server.trust)})
sys.path.insert(0, ${JSON.stringify(pathOf('../../clients/python/src'))})
`
        const script = `${settings}${read}${verify}`.replaceAll(
          'http://localhost:4030',
          new URL(server.base).origin,
        )
        await using other = await openPython()
        const { exitCode, stdout, stderr } = await other.run(['-c', script])
        expect([exitCode, stderr]).toEqual([0, ''])
        const prices = leavesOf(RETAIL, 'price', { stateid: 'CA', sectorid: 'COM' })
        expect(stdout.trimEnd().split('\n')).toEqual([
          ...prices.slice(0, 24).map(({ period, value, unit }) => `${period} ${value} ${unit}`),
          expect.stringMatching(
            /^electricity\/retail-sales monthly price .* has 60 values \(of 37440, root 1\)$/,
          ),
        ])
      },
    )

    test.skipIf(!isRThere)('default: the R package eia reads rows, codes and metadata', async () => {
      const { asked, newest, historyOfBoth, weeks, codes, metadata } = expected()
      const command = ['Rscript', pathOf('eia.R'), server.base, JSON.stringify(asked)]
      const env = { R_LIBS: rLibrary ?? '', HOME: python.folder, NO_PROXY: '*' }
      expect(parse(await runToEnd(command, env, python.folder))).toEqual({
        ...{ newest, weeks, codes, metadata },
        history: historyOfBoth,
      })
    })
  },
)

test('default: the page names the versions that are tested', () => {
  const pinned = readFileSync(pathOf('requirements.txt'), 'utf8')
  const shown = [...readPage(PAGE).matchAll(/^\| `([\w-]+)` ([\d.]+) \|/gm)].slice(0, 4)
  expect(shown.map(([, name, version]) => pinned.includes(`\n${name}==${version}\n`))).toEqual(
    Array(4).fill(true),
  )
})
