import { describe, expect, test } from 'bun:test'
import { decidedOutcome, failedOutcome } from '../../../src/agent/feedOutcome.ts'
import { createAgentMetrics } from '../../../src/agent/monitor/agentMetrics.ts'
import { createHealth, startMonitor } from '../../../src/agent/monitor/monitor.ts'
import { FeedBackfillingError } from '../../../src/agent/outbox/feedLocks.ts'
import { errorOf } from '../../support/errorOf.ts'
import { rowOf } from '../loop/fakes.ts'

const start = (port = 0) =>
  startMonitor({
    host: '127.0.0.1',
    port,
    metrics: createAgentMetrics(),
    health: createHealth(36).current,
  })

describe('startMonitor', () => {
  test('default: /metrics and /health, and nothing else', async () => {
    await using monitor = start()
    const url = `http://127.0.0.1:${monitor.port}`
    const metrics = await fetch(`${url}/metrics`)
    expect([metrics.status, metrics.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ])
    expect(await metrics.text()).toContain('wattfeed_agent_balance_motes Nan\n')
    const health = await fetch(`${url}/health`)
    expect([health.status, await health.json()]).toEqual([
      200,
      { status: 'ok', service: 'wattfeed-agent', feeds: 36, failing: 0, last_cycle_at: null },
    ])
    expect([
      (await fetch(`${url}/health`, { method: 'HEAD' })).status,
      (await fetch(`${url}/`)).status,
      (await fetch(`${url}/health`, { method: 'POST' })).status,
    ]).toEqual([200, 404, 405])
  })

  test('error: an address that is taken', async () => {
    await using first = start()
    const error = await errorOf(Promise.resolve().then(() => start(first.port)))
    expect<unknown>([{ ...error }, error.message]).toEqual([
      { code: 'listen', retryable: false, host: '127.0.0.1', port: first.port, reason: 'EADDRINUSE' },
      `cannot listen on 127.0.0.1:${first.port} (EADDRINUSE): set AGENT_PORT or HOST to a free address, AGENT_PORT=0 takes a free port`,
    ])
  })
})

test('default: health counts feeds whose last try failed', () => {
  const health = createHealth(3)
  const failed = (feedId: string) => failedOutcome(feedId, new Error('no'), { row: null, result: null })
  const decided = decidedOutcome('EIA.A', {
    row: rowOf(),
    result: { decision: 'withheld', period: 1, amount: null, unit: 'x', sourceHash: null },
  })
  health.update([failed('EIA.A'), failed('EIA.B')], 1_000)
  expect(health.current()).toEqual({ feeds: 3, failing: 2, last_cycle_at: 1_000 })
  health.update([decided, failed('EIA.B')], 2_000)
  expect(health.current()).toEqual({ feeds: 3, failing: 1, last_cycle_at: 2_000 })
  const backfilling = new FeedBackfillingError('EIA.B', { id: 7, host: null, purpose: 'backfill' })
  health.update([failedOutcome('EIA.B', backfilling, { row: null, result: null })], 3_000)
  expect(health.current()).toEqual({ feeds: 3, failing: 0, last_cycle_at: 3_000 })
})
