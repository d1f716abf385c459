import { describe, expect, test } from 'bun:test'
import { decidedOutcome, failedOutcome } from '../../../src/agent/feedOutcome.ts'
import { type AgentMetrics, createAgentMetrics } from '../../../src/agent/monitor/agentMetrics.ts'
import { EiaNoRowsError } from '../../../src/eia/eiaErrors.ts'
import { rowOf } from '../loop/fakes.ts'

const samples = async (metrics: AgentMetrics, name: string): Promise<string[]> =>
  (await metrics.text()).split('\n').filter((line) => line.startsWith(name) && !line.includes('_bucket'))

const withheld = decidedOutcome('EIA.A', {
  row: rowOf({ value: null }),
  result: { decision: 'withheld', period: 20261116, amount: null, unit: 'x', sourceHash: null },
})

describe('createAgentMetrics', () => {
  test('default: nothing is known before anything happened', async () => {
    expect(await samples(createAgentMetrics(), 'wattfeed_')).toEqual([
      'wattfeed_eia_request_duration_seconds_sum 0',
      'wattfeed_eia_request_duration_seconds_count 0',
      'wattfeed_agent_charged_motes_total 0',
      'wattfeed_agent_executed_attestations_total 0',
      'wattfeed_agent_attestation_cost_motes Nan',
      'wattfeed_agent_balance_motes Nan',
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
    metrics.upstream({ route: 'seds', durationMs: 500, error: 'eia_throttled' })
    expect(await samples(metrics, 'wattfeed_eia')).toEqual([
      'wattfeed_eia_request_duration_seconds_sum 0.75',
      'wattfeed_eia_request_duration_seconds_count 2',
      'wattfeed_eia_errors_total{route="seds",code="eia_throttled"} 1',
    ])
  })

  test('default: balance, what was paid, and what an attestation costs', async () => {
    const metrics = createAgentMetrics()
    metrics.balance(1_000_000_000_000n)
    metrics.charged({ attestations: 4, chargedMotes: 4_100_000_000n })
    metrics.charged({ attestations: 1, chargedMotes: 1_460_000_000n })
    expect(await samples(metrics, 'wattfeed_agent')).toEqual([
      'wattfeed_agent_charged_motes_total 5560000000',
      'wattfeed_agent_executed_attestations_total 5',
      'wattfeed_agent_attestation_cost_motes 1460000000',
      'wattfeed_agent_balance_motes 1000000000000',
    ])
  })
})
