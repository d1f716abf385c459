import { describe, expect, test } from 'bun:test'
import { decidedOutcome, failedOutcome } from '../../../src/agent/feedOutcome.ts'
import { type AgentMetrics, createAgentMetrics } from '../../../src/agent/monitor/agentMetrics.ts'
import { EiaNoRowsError } from '../../../src/eia/eiaErrors.ts'
import { rowOf } from '../run/fakes.ts'

const samples = async (metrics: AgentMetrics, name: string): Promise<string[]> =>
  (await metrics.text()).split('\n').filter((line) => line.startsWith(name) && !line.includes('_bucket'))

const withheld = decidedOutcome('EIA.A', {
  row: rowOf({ value: null }),
  result: { decision: 'withheld', period: 20261116, amount: null, unit: 'x', source_hash: null },
})

describe('createAgentMetrics', () => {
  test('default: all values are unknown at the start', async () => {
    expect(await samples(createAgentMetrics(), 'wattfeed_')).toEqual([
      'wattfeed_eia_request_duration_seconds_sum 0',
      'wattfeed_eia_request_duration_seconds_count 0',
      'wattfeed_agent_charged_motes_total 0',
      'wattfeed_agent_executed_attestations_total 0',
      'wattfeed_agent_attestation_cost_motes Nan',
      'wattfeed_eia_throttled_total 0',
      'wattfeed_eia_throttled_until_timestamp_seconds Nan',
      'wattfeed_agent_balance_motes Nan',
      'wattfeed_agent_balance_days Nan',
      'wattfeed_agent_last_cycle_timestamp_seconds Nan',
      'wattfeed_agent_last_cycle_duration_seconds Nan',
      'wattfeed_agent_pending_transactions 0',
      'wattfeed_agent_feeds 0',
      'wattfeed_agent_feeds_file_loaded_timestamp_seconds Nan',
      'wattfeed_agent_feeds_file_faulty 0',
      'wattfeed_agent_other_writer_attestations_total 0',
    ])
  })

  test('default: decisions, errors by code, and when a feed last succeeded', async () => {
    let now = 1_000
    const metrics = createAgentMetrics(() => now)
    metrics.outcome(withheld)
    now = 2_500
    metrics.outcome(withheld)
    const known = { row: null, result: null }
    now = 9_000
    metrics.outcome(failedOutcome('EIA.A', new EiaNoRowsError('petroleum/pri/spt', 200), known))
    metrics.outcome(failedOutcome('EIA.B', new TypeError('a bug'), known))
    expect(await samples(metrics, 'wattfeed_agent')).toEqual(
      expect.arrayContaining([
        'wattfeed_agent_decisions_total{decision="withheld"} 2',
        'wattfeed_agent_errors_total{code="eia_no_rows"} 1',
        'wattfeed_agent_errors_total{code="internal"} 1',
        'wattfeed_agent_last_success_timestamp_seconds{feed_id="EIA.A"} 2.5',
      ]),
    )
    expect((await samples(metrics, 'wattfeed_agent_last_success')).length).toBe(1)
  })

  test('default: requests to EIA, how long they took, and their errors', async () => {
    const metrics = createAgentMetrics()
    metrics.upstream({ route: 'seds', durationMs: 250, error: null })
    metrics.upstream({ route: 'seds', durationMs: 500, error: 'throttled' })
    expect(await samples(metrics, 'wattfeed_eia')).toEqual([
      'wattfeed_eia_request_duration_seconds_sum 0.75',
      'wattfeed_eia_request_duration_seconds_count 2',
      'wattfeed_eia_errors_total{route="seds",code="throttled"} 1',
      'wattfeed_eia_throttled_total 0',
      'wattfeed_eia_throttled_until_timestamp_seconds Nan',
    ])
  })

  test('default: balance, charges, and the cost of an attestation', async () => {
    const metrics = createAgentMetrics()
    metrics.balance(1_000_000_000_000n, 12.5)
    metrics.charged({ feedIds: ['EIA.A', 'EIA.B', 'EIA.C', 'EIA.D'], chargedMotes: 4_100_000_000n })
    metrics.charged({ feedIds: ['EIA.A'], chargedMotes: 1_460_000_000n })
    const text = await samples(metrics, 'wattfeed_agent')
    expect(text.filter((line) => /motes|balance|attestations/.test(line))).toEqual([
      'wattfeed_agent_charged_motes_total 5560000000',
      'wattfeed_agent_feed_charged_motes_total{feed_id="EIA.A"} 2485000000',
      'wattfeed_agent_feed_charged_motes_total{feed_id="EIA.B"} 1025000000',
      'wattfeed_agent_feed_charged_motes_total{feed_id="EIA.C"} 1025000000',
      'wattfeed_agent_feed_charged_motes_total{feed_id="EIA.D"} 1025000000',
      'wattfeed_agent_executed_attestations_total 5',
      'wattfeed_agent_attestation_cost_motes 1460000000',
      'wattfeed_agent_balance_motes 1000000000000',
      'wattfeed_agent_balance_days 12.5',
      'wattfeed_agent_other_writer_attestations_total 0',
    ])
  })

  test('default: the last cycle, the rate limit, pending transactions, and the feeds file', async () => {
    const metrics = createAgentMetrics(() => 90_000)
    metrics.cycle(2_500)
    metrics.throttled({ untilMs: 120_000 })
    metrics.pending(2)
    metrics.feeds(36, { loaded_at: 60_000, error: 'it is not JSON' })
    const text = await metrics.text()
    for (const line of [
      'wattfeed_agent_last_cycle_timestamp_seconds 90',
      'wattfeed_agent_last_cycle_duration_seconds 2.5',
      'wattfeed_eia_throttled_total 1',
      'wattfeed_eia_throttled_until_timestamp_seconds 120',
      'wattfeed_agent_pending_transactions 2',
      'wattfeed_agent_feeds 36',
      'wattfeed_agent_feeds_file_loaded_timestamp_seconds 60',
      'wattfeed_agent_feeds_file_faulty 1',
    ])
      expect(text).toContain(`${line}\n`)
  })

  test('default: which feeds fail, and which have gaps; a feed that is forgotten has no series', async () => {
    const metrics = createAgentMetrics(() => 0)
    metrics.outcome(Object.assign({ ...withheld }, { missing: 3, gaps: [20261110, 20261112] }))
    metrics.outcome(failedOutcome('EIA.B', new TypeError('a bug'), { row: null, result: null }))
    metrics.charged({ chargedMotes: 1n, feedIds: ['EIA.A', 'EIA.B'] })
    const byFeed = async () => (await metrics.text()).split('\n').filter((line) => line.includes('feed_id='))
    expect(await byFeed()).toEqual([
      'wattfeed_agent_last_success_timestamp_seconds{feed_id="EIA.A"} 0',
      'wattfeed_agent_feed_failing{feed_id="EIA.A"} 0',
      'wattfeed_agent_feed_failing{feed_id="EIA.B"} 1',
      'wattfeed_agent_missing_periods{feed_id="EIA.A"} 3',
      'wattfeed_agent_missing_periods{feed_id="EIA.B"} 0',
      'wattfeed_agent_gap_periods{feed_id="EIA.A"} 2',
      'wattfeed_agent_feed_charged_motes_total{feed_id="EIA.A"} 0.5',
      'wattfeed_agent_feed_charged_motes_total{feed_id="EIA.B"} 0.5',
    ])
    metrics.forget('EIA.A')
    metrics.forget('EIA.B')
    expect(await byFeed()).toEqual([])
  })
})
