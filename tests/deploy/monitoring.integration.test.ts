import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createDevnetBench, type DevnetBench, dailyFeeds } from '../support/devnetBench.ts'
import { nextLook } from '../support/nextLook.ts'
import { freePort } from '../support/ports.ts'
import { ageState } from '../support/state.ts'
import { hasPrometheus, prometheusCommand, promtool, RULES_FILE, readRules } from './support/prometheus.ts'
import { readDeploy } from './support/proxies.ts'

interface Panel {
  title: string
  targets?: { expr: string; legendFormat: string }[]
}
const dashboard: { panels: Panel[] } = JSON.parse(readDeploy('grafana/wattfeed.json'))

/** The queries that return no number on a healthy system, and why. */
const emptyForReason: Readonly<Record<string, string>> = {
  'Age of state root and blocks: verified block {{instance}}': 'VERIFY is off',
  'Verified height: {{instance}}': 'VERIFY is off',
  'Failed calls: {{host}} {{code}}': 'no call failed',
  'Rejected answers: {{host}} {{code}}': 'no answer was rejected',
  'Events sent: closed: {{reason}}': 'the server closed no stream',
  'Errors: {{code}}': 'no feed failed',
  'Missing periods: {{feed_id}}': 'no period is missing',
  'Requests to EIA: {{route}} {{code}}': 'no request to EIA failed',
}

/** The dashboard's queries, each with its panel and legend, with variables replaced as in Grafana. */
const queries: [title: string, expr: string][] = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }): [string, string] => [
    `${title}: ${legendFormat}`,
    expr.replaceAll('$instance', '.+').replaceAll('$__rate_interval', '1m'),
  ]),
)

const metricsIn = (text: string): string[] => text.match(/\bwattfeed_\w+/g) ?? []

/** The names of the series that a metric of the text has. */
function seriesOf(exposition: string): string[] {
  const types = [...exposition.matchAll(/^# TYPE (\w+) (\w+)$/gm)]
  return types.flatMap(([, name = '', type]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  )
}

let bench: DevnetBench
let programs: AsyncDisposable[] = []
let urls: { server: string; agent: string }

beforeAll(async () => {
  bench = await createDevnetBench({ feeds: dailyFeeds.slice(0, 2) })
  const server = await bench.serve()
  const port = await freePort()
  const agent = bench.start('agent', ['--json'], { AGENT_PORT: String(port) })
  programs = [server, agent]
  await agent.line('"decision":"new-period"')
  urls = { server: server.url, agent: `http://127.0.0.1:${port}` }
})
afterAll(async () => {
  for (const program of programs) await program[Symbol.asyncDispose]()
  await bench?.[Symbol.asyncDispose]()
})

test('default: rules and dashboard name only metrics that the server and the agent print', async () => {
  const texts = await Promise.all(
    Object.values(urls).map(async (url) => (await fetch(`${url}/metrics`)).text()),
  )
  const printed = new Set(texts.flatMap(seriesOf))
  const named = [...readRules().map(({ expr }) => expr), ...queries.map(([, expr]) => expr)].flatMap(
    metricsIn,
  )
  expect(new Set(named).size).toBeGreaterThan(35)
  expect([...new Set(named)].filter((name) => !printed.has(name))).toEqual([])
})

describe.skipIf(!hasPrometheus)('Prometheus', () => {
  /** Writes the configuration to a folder, with the addresses of these programs. */
  async function configure(folder: string): Promise<string> {
    const config = Object(Bun.YAML.parse(readDeploy('prometheus/prometheus.yml')))
    const hosts = [urls.server, urls.agent].map((url) => new URL(url).host)
    for (const [index, job] of config.scrape_configs.entries())
      job.static_configs = [{ targets: [hosts[index]] }]
    config.global = { scrape_interval: '1s', evaluation_interval: '1s' }
    await Bun.write(join(folder, RULES_FILE), readDeploy(`prometheus/${RULES_FILE}`))
    await Bun.write(join(folder, 'prometheus.yml'), JSON.stringify(config))
    return join(folder, 'prometheus.yml')
  }

  async function startPrometheus() {
    const file = await configure(bench.folder.path)
    const port = await freePort()
    const child = Bun.spawn(
      [
        prometheusCommand,
        `--config.file=${file}`,
        `--web.listen-address=127.0.0.1:${port}`,
        `--storage.tsdb.path=${join(bench.folder.path, 'tsdb')}`,
      ],
      { stdout: 'ignore', stderr: 'pipe' },
    )
    const ask = async (path: string, parameters: Record<string, string> = {}) => {
      const url = `http://127.0.0.1:${port}/api/v1/${path}?${new URLSearchParams(parameters)}`
      if (child.exitCode !== null) throw new Error(await new Response(child.stderr).text())
      return Object(await (await fetch(url)).json())
    }
    return {
      ask,
      /** Polls until the answer is the expected one. */
      async until(path: string, holds: (data: Record<string, unknown>[]) => boolean, key: string) {
        for (;;) {
          const answer = await ask(path).catch(() => null)
          const data = answer?.data?.[key]
          if (Array.isArray(data) && holds(data)) return data
          if (child.exitCode !== null) throw new Error(await new Response(child.stderr).text())
          await nextLook()
        }
      },
      async [Symbol.asyncDispose]() {
        child.kill()
        await child.exited
      },
    }
  }

  /** Lists the queries that return no number, while the server answers and streams. Gives up after 60 scrapes. */
  async function emptyQueries({ ask }: Awaited<ReturnType<typeof startPrometheus>>): Promise<string[]> {
    const stream = await fetch(`${urls.server}/v1/stream`)
    ageState(join(bench.folder.path, 'other'))
    for (let price = 70; ; price++) {
      bench.publish(`${price}.5`, '2026-11-20')
      // The agent waits for the next release.
      await bench.attest({ AGENT_STATE_DIR: join(bench.folder.path, 'other') })
      for (const path of ['feeds', `feeds/${bench.feeds[0]?.feed_id}/history`])
        await fetch(`${urls.server}/v1/${path}`)
      const answers = await Promise.all(
        queries.map(async ([name, query]) => ({ name, query, ...(await ask('query', { query })) })),
      )
      expect(answers.filter(({ status }) => status !== 'success')).toEqual([])
      const isEmpty = ({ data }: { data: { result: { value: [number, string] }[] } }) =>
        data.result.every(({ value: [, text] }) => text === 'NaN')
      const empty = answers.filter(isEmpty).map(({ name }) => name)
      const { data } = await ask('query', { query: 'min(count_over_time(up[1h]))' })
      if (empty.every((name) => name in emptyForReason) || Number(data.result[0].value[1]) > 60) {
        await stream.body?.cancel()
        return empty
      }
    }
  }

  test('default: promtool accepts the configuration', async () => {
    const folder = join(import.meta.dir, '../../deploy/prometheus')
    const { exitCode, stdout, stderr } = await promtool(['check', 'config', 'prometheus.yml'], folder)
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(stdout).toContain(`${readRules().length} rules found`)
  })

  test('default: it scrapes server and agent, evaluates every rule, and answers every panel', async () => {
    await using prometheus = await startPrometheus()
    const isUp = (targets: Record<string, unknown>[]) =>
      targets.length === 2 && targets.every(({ health }) => health === 'up')
    const targets = await prometheus.until('targets', isUp, 'activeTargets')
    expect(targets.map(({ labels }) => Object(labels).job).sort()).toEqual([
      'wattfeed-agent',
      'wattfeed-server',
    ])
    const isEvaluated = (groups: Record<string, unknown>[]) =>
      groups.every(({ rules }) => Array.isArray(rules) && rules.every(({ health }) => health !== 'unknown'))
    const groups = await prometheus.until('rules', isEvaluated, 'groups')
    const rules = groups.flatMap((group) => group.rules as { name: string; health: string; state: string }[])
    expect(rules.map(({ name, health }) => `${name} ${health}`).sort()).toEqual(
      readRules()
        .map(({ alert }) => `${alert} ok`)
        .sort(),
    )
    expect((await emptyQueries(prometheus)).sort()).toEqual(Object.keys(emptyForReason).sort())
    const { data } = await prometheus.ask('query', { query: 'max(wattfeed_agent_feeds)' })
    expect(data.result[0].value[1]).toBe('2')
  })
})

test('the dashboard > behavior: each panel has a title, a place and a query of its own', () => {
  const panels = dashboard.panels as (Panel & { id: number; type: string })[]
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  for (const { title, type, targets = [] } of panels) {
    expect(title.length).toBeGreaterThan(3)
    if (type !== 'row') expect([title, targets.length > 0]).toEqual([title, true])
  }
})

test('the dashboard > behavior: its panels fill the width of 24 columns, row below row', () => {
  const panels = dashboard.panels as (Panel & { gridPos: Record<'x' | 'y' | 'w' | 'h', number> })[]
  let nextY = 0
  for (const [y, row] of Map.groupBy(panels, ({ gridPos }) => gridPos.y)) {
    let nextX = 0
    for (const { gridPos } of row) {
      expect([gridPos.y, gridPos.x, gridPos.h]).toEqual([nextY, nextX, Number(row[0]?.gridPos.h)])
      nextX += gridPos.w
    }
    expect([y, nextX]).toEqual([y, 24])
    nextY += Number(row[0]?.gridPos.h)
  }
})
