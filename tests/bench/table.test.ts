import { describe, expect, test } from 'bun:test'
import { percentile } from '../../bench/percentile.ts'
import { formatTable } from '../../bench/table.ts'
import { parseWrk } from '../../bench/wrk.ts'

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
