import { describe, expect, test } from 'bun:test'
import { EiaNoRowsError } from '@wattfeed/eia'
import { decidedOutcome, failedOutcome } from '../../../src/agent/feedOutcome.ts'
import { type AgentMetrics, createAgentMetrics } from '../../../src/agent/monitor/agentMetrics.ts'
import { rowOf } from '../run/fakes.ts'

const samples = async (metrics: AgentMetrics, name: string): Promise<string[]> =>
  (await metrics.text()).split('\n').filter((line) => line.startsWith(name) && !line.includes('_bucket'))

const withheld = decidedOutcome('EIA.A', {
  row: rowOf({ value: null }),
  result: { decision: 'withheld', period: 20261116, amount: null, unit: 'x', source_hash: null },
})

describe('createAgentMetrics', () => {
  test('default: all values are unknown at the start', async () => {
    expect((await samples(createAgentMetrics(), 'wattfeed_')).toSorted()).toEqual([
      'wattfeed_agent_attestation_cost_motes Nan',
      'wattfeed_agent_balance_days Nan',
      'wattfeed_agent_balance_motes Nan',
      'wattfeed_agent_charged_motes_total 0',
      'wattfeed_agent_executed_attestations_total 0',
      'wattfeed_agent_feeds 0',
      'wattfeed_agent_feeds_file_faulty 0',
      'wattfeed_agent_feeds_file_loaded_timestamp_seconds Nan',
      'wattfeed_agent_last_cycle_duration_seconds Nan',
      'wattfeed_agent_last_cycle_timestamp_seconds Nan',
      'wattfeed_agent_other_writer_attestations_total 0',
      'wattfeed_agent_pending_transactions 0',
      'wattfeed_committee_proposals_total 0',
      'wattfeed_eia_request_duration_seconds_count 0',
      'wattfeed_eia_request_duration_seconds_sum 0',
      'wattfeed_eia_throttled_total 0',
      'wattfeed_eia_throttled_until_timestamp_seconds Nan',
    ])
  })

  test('default: decisions, and errors by code', async () => {
    const metrics = createAgentMetrics()
    metrics.outcome(withheld)
    metrics.outcome(withheld)
    const known = { row: null, result: null }
    metrics.outcome(
      failedOutcome('EIA.A', new EiaNoRowsError({ route: 'petroleum/pri/spt', status: 200 }), known),
    )
    metrics.outcome(failedOutcome('EIA.B', new TypeError('a bug'), known))
    expect(await samples(metrics, 'wattfeed_agent')).toEqual(
      expect.arrayContaining([
        'wattfeed_agent_decisions_total{decision="withheld"} 2',
        'wattfeed_agent_errors_total{code="eia_no_rows"} 1',
        'wattfeed_agent_errors_total{code="internal"} 1',
      ]),
    )
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

  test('default: charges, altogether and by feed', async () => {
    const metrics = createAgentMetrics()
    metrics.charged({ feedIds: ['EIA.A', 'EIA.B', 'EIA.C', 'EIA.D'], chargedMotes: 4_100_000_000n })
    metrics.charged({ feedIds: ['EIA.A'], chargedMotes: 1_460_000_000n })
    expect(
      (await samples(metrics, 'wattfeed_agent')).filter((line) => /charged|executed/.test(line)),
    ).toEqual([
      'wattfeed_agent_charged_motes_total 5560000000',
      'wattfeed_agent_feed_charged_motes_total{feed_id="EIA.A"} 2485000000',
      'wattfeed_agent_feed_charged_motes_total{feed_id="EIA.B"} 1025000000',
      'wattfeed_agent_feed_charged_motes_total{feed_id="EIA.C"} 1025000000',
      'wattfeed_agent_feed_charged_motes_total{feed_id="EIA.D"} 1025000000',
      'wattfeed_agent_executed_attestations_total 5',
    ])
  })
})
