import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { errorFields } from '../../runtime/errorFields.ts'
import type { FeedOutcome } from '../feedOutcome.ts'
import type { FeedsFileState } from '../feeds/feedsFile.ts'

/** One finished request to EIA. */
export interface UpstreamEvent {
  route: string
  durationMs: number
  /** The `code` of its error, or null. */
  error: string | null
}

/** One transaction that was executed, successfully or not. */
export interface ChargedEvent {
  /** The feed of each of its attestations. */
  feedIds: readonly string[]
  /** The account's charge, in motes. */
  chargedMotes: bigint
}

/** The agent's metrics. */
export interface AgentMetrics {
  outcome(outcome: FeedOutcome): void
  upstream(event: UpstreamEvent): void
  charged(event: ChargedEvent): void
  /** Records the account's balance in motes, and for how many days it lasts; null while the rate is unknown. */
  balance(balanceMotes: bigint, days: number | null): void
  /** Records that EIA limits the rate until a time in epoch milliseconds. */
  throttled(event: { untilMs: number }): void
  /** Records the end of a cycle. */
  cycle(durationMs: number): void
  /** Records how many transactions are signed and not settled. */
  pending(transactions: number): void
  /** Records the number of watched feeds and the state of their file; null for the built-in feeds. */
  feeds(count: number, file: FeedsFileState | null): void
  /** Records attestations that another program made with this account. */
  otherWriter(attestations: number): void
  /** Records whether a feed should have a newer value. */
  late(feedId: string, isLate: boolean): void
  /** Sets the source of the reason codes in `/health`. Each scrape reads it. */
  reasons(read: () => readonly string[]): void
  /** Records how far this machine's clock is ahead of a server's, in milliseconds. */
  clock(host: string, aheadMs: number): void
  /** Removes the series of a feed that is no longer watched. */
  forget(feedId: string): void
  readonly registry: Registry
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
  const { outcome, forget: forgetOutcomes } = observeOutcomes(registry, now)
  const upstream = observeUpstream(registry)
  const { charged, forget: forgetCharges } = observeCharges(registry)
  const { late, forget: forgetLate } = observeLateFeeds(registry)
  return {
    outcome,
    upstream,
    throttled: observeThrottling(registry),
    charged,
    balance: observeBalance(registry),
    cycle: observeCycles(registry, now),
    pending: observePending(registry),
    feeds: observeFeeds(registry),
    late,
    otherWriter: observeOtherWriter(registry),
    reasons: observeReasons(registry),
    clock: observeClocks(registry),
    forget(feedId) {
      forgetLate(feedId)
      forgetOutcomes(feedId)
      forgetCharges(feedId)
    },
    registry,
    text: () => registry.metrics(),
  }
}

/** A gauge that is NaN until it is set. */
function createGauge(registry: Registry, name: string, help: string): Gauge {
  const gauge = new Gauge({ name, help, registers: [registry] })
  gauge.set(Number.NaN)
  return gauge
}

function observeOutcomes(registry: Registry, now: () => number): Pick<AgentMetrics, 'outcome' | 'forget'> {
  const registers = [registry]
  const labelNames = ['feed_id'] as const
  const decisions = new Counter({
    name: 'wattfeed_agent_decisions_total',
    help: 'Decisions about feeds, by result: new-period and revision are attested, the others need no attestation.',
    labelNames: ['decision'],
    registers,
  })
  const errors = new Counter({
    name: 'wattfeed_agent_errors_total',
    help: 'Failures of feeds, by error code.',
    labelNames: ['code'],
    registers,
  })
  const lastSuccess = new Gauge({
    name: 'wattfeed_agent_last_success_timestamp_seconds',
    help: 'Time of the last success of a feed: it was decided, and attested if needed.',
    labelNames,
    registers,
  })
  const failing = new Gauge({
    name: 'wattfeed_agent_feed_failing',
    help: 'Whether the last attempt for a feed failed: 1 or 0. The sum is the number of failing feeds.',
    labelNames,
    registers,
  })
  const missing = new Gauge({
    name: 'wattfeed_agent_missing_periods',
    help: 'Periods of a feed that EIA has and the chain does not have yet.',
    labelNames,
    registers,
  })
  const gaps = new Gauge({
    name: 'wattfeed_agent_gap_periods',
    help: 'Periods that the chain lacks between the newest values of a feed, whether EIA has them or not.',
    labelNames,
    registers,
  })
  return {
    outcome(outcome) {
      const { feedId: feed_id, decision, error } = outcome
      failing.set({ feed_id }, error === null ? 0 : 1)
      missing.set({ feed_id }, outcome.missing)
      if (outcome.gaps !== null) gaps.set({ feed_id }, outcome.gaps.length)
      if (error !== null) return errors.inc({ code: errorFields(error).code })
      if (decision !== null) decisions.inc({ decision })
      lastSuccess.set({ feed_id }, now() / 1000)
    },
    forget(feed_id) {
      for (const gauge of [lastSuccess, failing, missing, gaps]) gauge.remove({ feed_id })
    },
  }
}

function observeUpstream(registry: Registry): AgentMetrics['upstream'] {
  const registers = [registry]
  // Its `_count` is the number of requests.
  const duration = new Histogram({
    name: 'wattfeed_eia_request_duration_seconds',
    help: 'Time from a request to EIA to the end of its answer. _count is the number of requests.',
    buckets: SECONDS,
    registers,
  })
  const errors = new Counter({
    name: 'wattfeed_eia_errors_total',
    help: 'Failed requests to EIA, by route and error code.',
    labelNames: ['route', 'code'],
    registers,
  })
  return ({ route, durationMs, error }) => {
    duration.observe(durationMs / 1000)
    if (error !== null) errors.inc({ route, code: error })
  }
}

function observeThrottling(registry: Registry): AgentMetrics['throttled'] {
  const count = new Counter({
    name: 'wattfeed_eia_throttled_total',
    help: 'Number of times that EIA limited the rate, which stops all requests.',
    registers: [registry],
  })
  const until = createGauge(
    registry,
    'wattfeed_eia_throttled_until_timestamp_seconds',
    'Time until which the rate limit stops requests to EIA; NaN before the first.',
  )
  return ({ untilMs }) => {
    count.inc()
    until.set(untilMs / 1000)
  }
}

function observeCharges(registry: Registry): Pick<AgentMetrics, 'charged' | 'forget'> {
  const registers = [registry]
  const charged = new Counter({
    name: 'wattfeed_agent_charged_motes_total',
    help: 'Charges of executed transactions, failed ones included.',
    registers,
  })
  const byFeed = new Counter({
    name: 'wattfeed_agent_feed_charged_motes_total',
    help: 'Share of a feed in the charges. The charge of a transaction is divided evenly among its attestations.',
    labelNames: ['feed_id'],
    registers,
  })
  const attestations = new Counter({
    name: 'wattfeed_agent_executed_attestations_total',
    help: 'Attestations in executed transactions.',
    registers,
  })
  const cost = createGauge(
    registry,
    'wattfeed_agent_attestation_cost_motes',
    'Charge per attestation of the newest executed transaction; NaN before the first.',
  )
  return {
    charged({ chargedMotes, feedIds }) {
      const each = Number(chargedMotes) / feedIds.length
      charged.inc(Number(chargedMotes))
      attestations.inc(feedIds.length)
      cost.set(each)
      for (const feed_id of feedIds) byFeed.inc({ feed_id }, each)
    },
    forget: (feed_id) => byFeed.remove({ feed_id }),
  }
}

function observeBalance(registry: Registry): AgentMetrics['balance'] {
  const balance = createGauge(
    registry,
    'wattfeed_agent_balance_motes',
    'Balance of the account at the last read; NaN before the first.',
  )
  const daysLeft = createGauge(
    registry,
    'wattfeed_agent_balance_days',
    'Days for which the balance lasts at the current rate; NaN while the rate is unknown.',
  )
  return (balanceMotes, days) => {
    balance.set(Number(balanceMotes))
    daysLeft.set(days ?? Number.NaN)
  }
}

function observeCycles(registry: Registry, now: () => number): AgentMetrics['cycle'] {
  const endedAt = createGauge(
    registry,
    'wattfeed_agent_last_cycle_timestamp_seconds',
    'End of the last cycle; NaN before the first.',
  )
  const duration = createGauge(
    registry,
    'wattfeed_agent_last_cycle_duration_seconds',
    'Duration of the last cycle; NaN before the first.',
  )
  return (durationMs) => {
    endedAt.set(now() / 1000)
    duration.set(durationMs / 1000)
  }
}

function observePending(registry: Registry): AgentMetrics['pending'] {
  const gauge = new Gauge({
    name: 'wattfeed_agent_pending_transactions',
    help: 'Signed and stored transactions that are not settled.',
    registers: [registry],
  })
  return (transactions) => gauge.set(transactions)
}

function observeLateFeeds(registry: Registry): Pick<AgentMetrics, 'late' | 'forget'> {
  const gauge = new Gauge({
    name: 'wattfeed_agent_feed_late',
    help: "Whether a feed should have a newer value by EIA's calendar, grace included: 1 or 0.",
    labelNames: ['feed_id'],
    registers: [registry],
  })
  return {
    late: (feed_id, isLate) => gauge.set({ feed_id }, isLate ? 1 : 0),
    forget: (feed_id) => gauge.remove({ feed_id }),
  }
}

function observeOtherWriter(registry: Registry): AgentMetrics['otherWriter'] {
  const counter = new Counter({
    name: 'wattfeed_agent_other_writer_attestations_total',
    help: 'Attestations by this account that neither the agent nor a command on its state folder sent.',
    registers: [registry],
  })
  return (attestations) => counter.inc(attestations)
}

function observeReasons(registry: Registry): AgentMetrics['reasons'] {
  let read = (): readonly string[] => []
  new Gauge({
    name: 'wattfeed_agent_health_reason',
    help: 'Reasons in /health, by code: 1 while a reason applies, absent otherwise.',
    labelNames: ['reason'],
    registers: [registry],
    collect() {
      this.reset()
      for (const reason of read()) this.set({ reason }, 1)
    },
  })
  return (source) => {
    read = source
  }
}

function observeClocks(registry: Registry): AgentMetrics['clock'] {
  const gauge = new Gauge({
    name: 'wattfeed_agent_clock_ahead_seconds',
    help: "Seconds by which this machine's clock is ahead of a server's; negative if it is behind.",
    labelNames: ['host'],
    registers: [registry],
  })
  return (host, aheadMs) => gauge.set({ host }, aheadMs / 1000)
}

function observeFeeds(registry: Registry): AgentMetrics['feeds'] {
  const registers = [registry]
  const feeds = new Gauge({ name: 'wattfeed_agent_feeds', help: 'Number of watched feeds.', registers })
  const loadedAt = createGauge(
    registry,
    'wattfeed_agent_feeds_file_loaded_timestamp_seconds',
    'Time at which the current feeds were read from the feeds file; NaN for the built-in feeds.',
  )
  const hasFaults = new Gauge({
    name: 'wattfeed_agent_feeds_file_faulty',
    help: 'Whether the feeds file is invalid, so that the agent keeps the previous feeds: 1 or 0.',
    registers,
  })
  return (count, file) => {
    feeds.set(count)
    loadedAt.set((file?.loaded_at ?? Number.NaN) / 1000)
    hasFaults.set(file?.error ? 1 : 0)
  }
}
