import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { WattfeedError } from '../../errors.ts'
import type { FeedOutcome } from '../feedOutcome.ts'

/** One finished request to EIA. */
export interface UpstreamEvent {
  route: string
  durationMs: number
  /** The `code` of its error, or null. */
  error: string | null
}

/** One transaction that was executed, successfully or not. */
export interface ChargedEvent {
  /** How many attestations it carried. */
  attestations: number
  /** What the account was charged, in motes. */
  chargedMotes: bigint
}

/** The agent's metrics. */
export interface AgentMetrics {
  outcome(outcome: FeedOutcome): void
  upstream(event: UpstreamEvent): void
  charged(event: ChargedEvent): void
  /** Records the account's balance, in motes. */
  balance(balanceMotes: bigint): void
  readonly contentType: string
  /** Returns all metrics in the Prometheus text format. */
  text(): Promise<string>
}

// EIA usually answers in tenths of a second.
const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/**
 * Creates the metrics of one agent, in a separate registry.
 *
 * @param now epoch milliseconds
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function createAgentMetrics(now: () => number = Date.now): AgentMetrics {
  const registry = new Registry()
  return {
    outcome: observeOutcomes(registry, now),
    upstream: observeUpstream(registry),
    charged: observeCharges(registry),
    balance: observeBalance(registry),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  }
}

function observeOutcomes(registry: Registry, now: () => number): AgentMetrics['outcome'] {
  const registers = [registry]
  const decisions = new Counter({
    name: 'wattfeed_agent_decisions_total',
    help: 'Feeds decided, by decision: new-period and revision were attested, the others were left alone.',
    labelNames: ['decision'],
    registers,
  })
  const errors = new Counter({
    name: 'wattfeed_agent_errors_total',
    help: 'Feeds that failed, by the code of the error.',
    labelNames: ['code'],
    registers,
  })
  const lastSuccess = new Gauge({
    name: 'wattfeed_agent_last_success_timestamp_seconds',
    help: 'When a feed was last decided, and attested where that was due.',
    labelNames: ['feed_id'],
    registers,
  })
  return ({ feedId, decision, error }) => {
    if (error !== null) return errors.inc({ code: error instanceof WattfeedError ? error.code : 'internal' })
    if (decision !== null) decisions.inc({ decision })
    lastSuccess.set({ feed_id: feedId }, now() / 1000)
  }
}

function observeUpstream(registry: Registry): AgentMetrics['upstream'] {
  const registers = [registry]
  // Its `_count` is the number of requests.
  const duration = new Histogram({
    name: 'wattfeed_eia_request_duration_seconds',
    help: 'From a request to EIA to the end of its answer; _count is the number of requests.',
    buckets: SECONDS,
    registers,
  })
  const errors = new Counter({
    name: 'wattfeed_eia_errors_total',
    help: 'Requests to EIA that failed, by route and the code of the error.',
    labelNames: ['route', 'code'],
    registers,
  })
  return ({ route, durationMs, error }) => {
    duration.observe(durationMs / 1000)
    if (error !== null) errors.inc({ route, code: error })
  }
}

function observeCharges(registry: Registry): AgentMetrics['charged'] {
  const registers = [registry]
  const charged = new Counter({
    name: 'wattfeed_agent_charged_motes_total',
    help: 'What executed transactions cost, those that failed included.',
    registers,
  })
  const attestations = new Counter({
    name: 'wattfeed_agent_executed_attestations_total',
    help: 'Attestations in executed transactions.',
    registers,
  })
  const cost = new Gauge({
    name: 'wattfeed_agent_attestation_cost_motes',
    help: 'What the newest executed transaction cost for each of its attestations; NaN before the first.',
    registers,
  })
  cost.set(Number.NaN)
  return (event) => {
    charged.inc(Number(event.chargedMotes))
    attestations.inc(event.attestations)
    cost.set(Number(event.chargedMotes) / event.attestations)
  }
}

function observeBalance(registry: Registry): AgentMetrics['balance'] {
  const gauge = new Gauge({
    name: 'wattfeed_agent_balance_motes',
    help: 'What the account can spend, as last read; NaN before.',
    registers: [registry],
  })
  gauge.set(Number.NaN)
  return (balanceMotes) => gauge.set(Number(balanceMotes))
}
