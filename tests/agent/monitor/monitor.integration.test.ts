import { describe, expect, test } from 'bun:test'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createAgentMetrics } from '../../../src/agent/monitor/agentMetrics.ts'
import type { AgentHealth } from '../../../src/agent/monitor/health.ts'
import { startMonitor } from '../../../src/agent/monitor/monitor.ts'

const health: AgentHealth = {
  status: 'ok',
  service: 'wattfeed-agent',
  reasons: [],
  feeds: 36,
  failing: 0,
  last_cycle_at: null,
  last_success_at: null,
  pending_transactions: 0,
  balance_days: null,
  lost_periods: {},
  feeds_file: null,
}

const start = (port = 0, report = { isWorking: true, health }) =>
  startMonitor({
    host: '127.0.0.1',
    port,
    metrics: createAgentMetrics(),
    health: () => report,
    redact: (text) => text.replaceAll('s3cret', '[redacted]'),
  })

describe('startMonitor', () => {
  test('default: only /metrics and /health', async () => {
    await using monitor = start()
    const url = `http://127.0.0.1:${monitor.port}`
    const metrics = await fetch(`${url}/metrics`)
    expect([metrics.status, metrics.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ])
    expect(await metrics.text()).toContain('wattfeed_agent_balance_motes Nan\n')
    const answer = await fetch(`${url}/health`)
    expect<unknown>([answer.status, await answer.json()]).toEqual([200, health])
    expect([
      (await fetch(`${url}/health`, { method: 'HEAD' })).status,
      (await fetch(`${url}/`)).status,
      (await fetch(`${url}/health`, { method: 'POST' })).status,
    ]).toEqual([200, 404, 405])
  })

  test('behavior: 503 if nothing works, and no secret in the reasons', async () => {
    const reasons = [{ code: 'eia_error', message: 's3cret is no key', feed_ids: ['EIA.A'] }]
    await using monitor = start(0, { isWorking: false, health: { ...health, status: 'degraded', reasons } })
    const answer = await fetch(`http://127.0.0.1:${monitor.port}/health`)
    expect([answer.status, (await answer.json()).reasons]).toEqual([
      503,
      [{ code: 'eia_error', message: '[redacted] is no key', feed_ids: ['EIA.A'] }],
    ])
  })

  test('error: an address that is in use', async () => {
    await using first = start()
    const error = await errorOf(Promise.resolve().then(() => start(first.port)))
    expect<unknown>([{ ...error }, error.message]).toEqual([
      { code: 'listen', retryable: false, host: '127.0.0.1', port: first.port, reason: 'EADDRINUSE' },
      `cannot listen on 127.0.0.1:${first.port} (EADDRINUSE): set AGENT_PORT or AGENT_HOST to a free address; AGENT_PORT=0 takes a free port`,
    ])
  })
})
