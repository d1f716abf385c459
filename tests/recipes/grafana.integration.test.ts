import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createFolder } from '@wattfeed/testing/folder'
import { type DataServer, FEED, HOURLY_FEED, startDataServer } from '../python/dataServer.ts'
import { runToEnd } from '../support/program.ts'
import { hasTools, toolsFolder } from './otherPrograms.ts'

const readDeploy = (file: string): string =>
  readFileSync(join(import.meta.dir, '../../deploy/grafana', file), 'utf8')

/** A query of the Infinity plugin. */
interface Query {
  type: string
  source: string
  parser: string
  url: string
  columns: { selector: string; type: 'string' | 'number' | 'timestamp' }[]
}

interface Dashboard {
  panels: { title: string; datasource: { uid: string }; targets: Query[] }[]
  templating: { list: { name: string; type: string; query: unknown }[] }
}

const dashboard: Dashboard = JSON.parse(readDeploy('feeds.json'))
const [source] = Object(Bun.YAML.parse(readDeploy('infinity.yaml'))).datasources

/** The query that lists the choices of the variable `feed`. */
const choices: Query = Object(
  dashboard.templating.list.find(({ name }) => name === 'feed')?.query,
).infinityQuery

const queries: [title: string, query: Query][] = [
  ['the variable feed', choices],
  ...dashboard.panels.flatMap(({ title, targets }) =>
    targets.map((query): [string, Query] => [title, query]),
  ),
]

let server: DataServer

beforeAll(async () => {
  server = await startDataServer(40)
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
})

/** The address of a query: the data source's, then the query's with Grafana's variables replaced. */
const addressOf = ({ url }: Query, feed: string): string =>
  (source.url + url)
    .replace('https://wattfeed.example', server.url)
    .replace(/\$\{feed:percentencode\}/, encodeURIComponent(feed))
    .replace(/\$\{__from:date:YYYY-MM-DD\}/, '2025-11-24')
    .replace(/\$\{__to:date:YYYY-MM-DD\}/, '2026-11-24')

/** The header and the rows of a query's CSV. */
async function rowsOf(query: Query, feed: string): Promise<[header: string[], ...rows: string[][]]> {
  const answer = await fetch(addressOf(query, feed))
  const [header = [], ...rows] = (await answer.text())
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','))
  expect([answer.status, rows.length > 0]).toEqual([200, true])
  return [header, ...rows]
}

/** What the plugin's parser accepts as a type. @see https://pkg.go.dev/time#pkg-constants */
const formats: Readonly<Record<Query['columns'][number]['type'], RegExp>> = {
  string: /^/,
  number: /^-?\d+(\.\d+)?(e[+-]\d+)?$/,
  timestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/, // RFC 3339
}

describe.each([FEED, HOURLY_FEED])('the dashboard, for %s', (feed) => {
  test.each(queries)('default: the columns of %s exist and have its types', async (_, query) => {
    expect([query.type, query.source, query.parser]).toEqual(['csv', 'url', 'backend'])
    const [header, ...rows] = await rowsOf(query, feed)
    for (const { selector, type } of query.columns) {
      const column = header.indexOf(selector)
      expect(header).toContain(selector)
      expect(rows.filter((row) => !formats[type].test(row[column] ?? ''))).toEqual([])
    }
  })

  test('default: the newest value and the chart show the values of the server', async () => {
    const latest = Object(
      await (
        await fetch(`${server.url}/v1/feeds/${feed}/history?vintages=latest&limit=1000&order=desc`)
      ).json(),
    ).items
    const valuesOf = async (query: Query) => {
      const [header, ...rows] = await rowsOf(query, feed)
      return rows.map((row) => Number(row[header.indexOf('value')]))
    }
    const [newest = [], chart = []] = await Promise.all(
      dashboard.panels.slice(0, 2).flatMap(({ targets }) => targets.map(valuesOf)),
    )
    const values = latest.map(({ value }: { value: number }) => value)
    expect([newest, chart]).toEqual([values.slice(0, 1), values])
  })
})

test('default: the variable lists the feeds of the server', async () => {
  const [header, ...rows] = await rowsOf(choices, FEED)
  const { feeds } = Object(await (await fetch(`${server.url}/v1/feeds`)).json())
  expect(rows.map((row) => row[header.indexOf('feed_id')])).toEqual(
    feeds.map(({ feed_id }: { feed_id: string }) => feed_id),
  )
})

test('default: the data source may read its own address only, without credentials', () => {
  expect(source.jsonData).toEqual({ auth_method: 'none', allowedHosts: [source.url] })
  expect(source.url).not.toEndWith('/')
  for (const [, { url }] of queries) expect(url).toStartWith('/v1/')
})

test('default: every panel, query and variable uses the data source of the dashboard', () => {
  const [datasource] = dashboard.templating.list
  expect(datasource).toMatchObject({ name: 'datasource', type: 'datasource', query: source.type })
  const named: { type: string; uid: string }[] = []
  JSON.parse(readDeploy('feeds.json'), (key, value) => {
    if (key === 'datasource') named.push(value)
    return value
  })
  expect(named).toHaveLength(1 + 2 * dashboard.panels.length)
  for (const { type, uid } of named) {
    expect(type).toBe(source.type)
    expect(uid).toMatch(/^\$\{datasource\}$/)
  }
})

/** Types of dashboards in JSON, where the text of an enum is the text itself. */
const dashboardTypes = `import type { Dashboard as WithEnums } from '@grafana/schema'
import type { Options as Stat } from '@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen'
import type { Options as TimeSeries } from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen'
type Plain<T> = T extends string ? \`\${T}\` : T extends object ? { [K in keyof T]: Plain<T[K]> } : T
export type Dashboard = Plain<WithEnums>
export interface PanelOptions { stat: Plain<Partial<Stat>>; timeseries: Plain<TimeSeries> }`

interface AnyPanel {
  type: string
  options?: object
}

test.skipIf(!hasTools).each(['feeds.json', 'wattfeed.json'])(
  'default: %s has the types of Grafana’s own schema',
  async (name) => {
    using folder = createFolder()
    symlinkSync(join(toolsFolder, 'node_modules'), join(folder.path, 'node_modules'))
    folder.write('types.ts', dashboardTypes)
    const check = async (json: string) => {
      const ofTypes = ['stat', 'timeseries'].flatMap((type) =>
        (JSON.parse(json).panels as AnyPanel[])
          .filter((panel) => panel.type === type)
          .map(({ options }) => `const _: PanelOptions['${type}'] = ${JSON.stringify(options)}`),
      )
      const file = folder.write(
        'dashboard.ts',
        [
          "import type { Dashboard, PanelOptions } from './types'",
          `export const dashboard: Dashboard = ${json}`,
          ...ofTypes.map((line) => `{ ${line} }`),
        ].join('\n'),
      )
      const tsc = join(import.meta.dir, '../../node_modules/typescript/bin/tsc')
      const options = ['--strict', '--skipLibCheck', '--module', 'esnext', '--moduleResolution', 'bundler']
      const { stdout } = await runToEnd(
        [process.execPath, tsc, '--noEmit', ...options, file],
        {},
        folder.path,
      )
      return stdout
    }
    const json = readDeploy(name)
    expect(await check(json)).toBe('')
    expect(await check(json.replaceAll('"gridPos"', '"place"'))).toContain('does not exist in type')
    expect(await check(json.replaceAll('"showLegend"', '"hasLegend"'))).toContain('does not exist in type')
  },
)
