import { describe, expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { runKeepAliveLoad } from '../../../bench/keepAliveLoad.ts'
import { percentile } from '../../../bench/percentile.ts'
import { formatTable } from '../../../bench/table.ts'
import { parseWrk } from '../../../bench/wrk.ts'
import { IS_SOAK } from '../../support/soak.ts'

const bench = fileURLToPath(new URL('../../../bench/index.ts', import.meta.url))

const cases = [
  'from start to listening',
  'memory while idle',
  'first request after start',
  'new root with 1 new value',
  'new root with 5 changes of metadata',
  'root unchanged, one after another',
  'requests at once',
  '`/v1/feeds/:id`, 8 connections, no delay',
  'bare Elysia endpoint',
  'synthetic feeds, new root with one new value',
  'pinned page of 1000 rows',
  'values of one feed, page by page',
]

describe('bench', () => {
  test.skipIf(!IS_SOAK)('default: prints one Markdown table with every case, and the machine', async () => {
    const run = Bun.spawn([process.execPath, bench, '--quick'], { stdio: ['ignore', 'pipe', 'pipe'] })
    const output = await new Response(run.stdout).text()
    expect(await new Response(run.stderr).text()).toBe('')
    expect(await run.exited).toBe(0)
    const table = output.split('\n').filter((line) => line.startsWith('|'))
    expect(new Set(table.map((line) => line.split(/(?<!\\)\|/).length))).toEqual(new Set([10]))
    for (const name of cases) expect(table.filter((line) => line.includes(name))).not.toBeEmpty()
    expect(output).not.toMatch(/NaN|undefined/)
    expect(output).toContain(`Bun ${Bun.version}`)
  })
})

describe('percentile', () => {
  test('default: the nearest rank', () => {
    const values = [5, 1, 4, 2, 3]
    expect([0, 0.2, 0.5, 0.99, 1].map((share) => percentile(values, share))).toEqual([1, 1, 3, 5, 5])
  })
})

describe('formatTable', () => {
  test('default: what was not measured stays empty', () => {
    const rows = [
      { name: 'a', rpcCalls: 1234, p50Ms: 1.25, p99Ms: 150.4, target: 't', reached: false },
      { name: 'b', perSecond: 20_000.4, other: 'o' },
    ]
    expect(formatTable(rows)).toBe(
      `| case | RPC calls | p50 | p99 | requests/s | other | to reach | reached |
| --- | --- | --- | --- | --- | --- | --- | --- |
| a | 1,234 | 1.3 ms | 150 ms |  |  | t | **no** |
| b |  |  |  | 20,000 | o |  |  |
`,
    )
  })
})

describe('parseWrk', () => {
  test('default', () => {
    const output = `Running 1s test @ http://127.0.0.1:1/
  Latency Distribution
     50%  586.00us
     75%    1.02ms
     99%    1.20s
  Non-2xx or 3xx responses: 12
Requests/sec: 100215.12
`
    expect(parseWrk(output)).toEqual({ perSecond: 100_215.12, p50Ms: 0.586, p99Ms: 1200, failures: 12 })
  })
})

describe('runKeepAliveLoad', () => {
  test('default: counts answers and failures', async () => {
    let requests = 0
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Response('x'.repeat(70_000), { status: requests++ % 2 === 0 ? 200 : 503 }),
    })
    const load = await runKeepAliveLoad({ url: server.url.href, connections: 3, seconds: 0.05 })
    await server.stop(true)
    expect(load.failures).toBe(Math.floor(requests / 2))
    expect(load.perSecond).toBeGreaterThan(0)
    expect(load.p99Ms).toBeGreaterThanOrEqual(load.p50Ms)
  })
})
