import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { errorFields } from '../../runtime/errorFields.ts'
import type { FeedOutcome } from '../feedOutcome.ts'
import { type CommitteeMetrics, observeCommittee } from './committeeMetrics.ts'
import { equalRoots } from './committeeRoots.ts'
import type { MemberFacts } from './committeeWatch.ts'
import { AgentFacts, type FeedFacts, type Moment, timeOf } from './facts.ts'

/** The source of the gauges. */
export interface GaugeSource {
  readonly facts: AgentFacts
  /** The present moment. */
  readonly moment: () => Moment
  /** Returns the reason codes in `/health`. */
  reasons(): readonly string[]
}

/** Counts what the agent does, for Prometheus. */
export interface AgentMetrics {
  outcome(outcome: FeedOutcome): void
  /** Counts a finished request to EIA. @param error the `code` of its error, or null */
  upstream(request: { route: string; durationMs: number; error: string | null }): void
  /** Counts the charge of an executed transaction, in motes. @param feedIds the feed of each of its attestations */
  charged(transaction: { feedIds: readonly string[]; chargedMotes: bigint }): void
  throttled(): void
  /** Records attestations that another program made with this account. */
  otherWriter(attestations: number): void
  /** Sets the source of the gauges. Each scrape reads it. */
  observe(source: GaugeSource): void
  /** Removes the counters of a feed that is no longer watched. */
  forget(feedId: string): void
  readonly committee: CommitteeMetrics
  readonly registry: Registry
  text(): Promise<string>
}

// EIA usually answers in tenths of a second.
const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

interface StateGauge {
  readonly name: string
  readonly help: string
  /** Null becomes NaN. */
  read(facts: AgentFacts, at: Moment): number | null
}

const gauges: readonly StateGauge[] = [
  {
    name: 'wattfeed_eia_throttled_until_timestamp_seconds',
    help: 'Time until which the rate limit stops requests to EIA; NaN before the first.',
    read: ({ throttledUntil }) => seconds(throttledUntil),
  },
  {
    name: 'wattfeed_agent_attestation_cost_motes',
    help: 'Charge per attestation of the newest executed transaction; NaN before the first.',
    read: ({ attestationCost }) => attestationCost,
  },
  {
    name: 'wattfeed_agent_balance_motes',
    help: 'Balance of the account at the last read; NaN before the first.',
    read: ({ balanceMotes }) => (balanceMotes === null ? null : Number(balanceMotes)),
  },
  {
    name: 'wattfeed_agent_balance_days',
    help: 'Days for which the balance lasts at the current rate; NaN while the rate is unknown.',
    read: ({ balanceDays }) => balanceDays,
  },
  {
    name: 'wattfeed_agent_last_cycle_timestamp_seconds',
    help: 'End of the last cycle; NaN before the first.',
    read: ({ lastCycleSteadyMs }, at) => seconds(timeOf(lastCycleSteadyMs, at)),
  },
  {
    name: 'wattfeed_agent_last_cycle_duration_seconds',
    help: 'Duration of the last cycle; NaN before the first.',
    read: ({ lastCycleMs }) => seconds(lastCycleMs),
  },
  {
    name: 'wattfeed_agent_pending_transactions',
    help: 'Signed and stored transactions that are not settled.',
    read: ({ pendingTransactions }) => pendingTransactions,
  },
  {
    name: 'wattfeed_agent_feeds',
    help: 'Number of watched feeds.',
    read: ({ feeds }) => feeds.length,
  },
  {
    name: 'wattfeed_agent_feeds_file_loaded_timestamp_seconds',
    help: 'Time at which the current feeds were read from the feeds file; NaN for the built-in feeds.',
    read: ({ feedsFile }) => seconds(feedsFile?.loaded_at ?? null),
  },
  {
    name: 'wattfeed_agent_feeds_file_faulty',
    help: 'Whether the feeds file is invalid, so that the agent keeps the previous feeds: 1 or 0.',
    read: ({ feedsFile }) => (feedsFile?.error ? 1 : 0),
  },
]

/** A gauge with one series for each value of its labels. */
interface LabelledGauge {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly string[]
  /** Returns the number of each series. A number that is null has no series. */
  read(source: GaugeSource): Iterable<readonly [labels: Record<string, string>, number | null]>
}

const labelledGauges: readonly LabelledGauge[] = [
  {
    name: 'wattfeed_agent_last_success_timestamp_seconds',
    help: 'Time of the last success of a feed: it was decided, and attested if needed.',
    labelNames: ['feed_id'],
    read: byFeed(({ lastSuccessSteadyMs }, at) => seconds(timeOf(lastSuccessSteadyMs, at))),
  },
  {
    name: 'wattfeed_agent_feed_failing',
    help: 'Whether the last attempt for a feed failed: 1 or 0. The sum is the number of failing feeds.',
    labelNames: ['feed_id'],
    read: byFeed(({ hasFailed }) => (hasFailed ? 1 : 0)),
  },
  {
    name: 'wattfeed_agent_missing_periods',
    help: 'Periods of a feed that EIA has and the chain does not have yet.',
    labelNames: ['feed_id'],
    read: byFeed(({ missing }) => missing),
  },
  {
    name: 'wattfeed_agent_gap_periods',
    help: 'Periods that the chain lacks between the newest values of a feed, whether EIA has them or not.',
    labelNames: ['feed_id'],
    read: byFeed(({ gaps }) => gaps),
  },
  {
    name: 'wattfeed_agent_lost_periods',
    help: 'Periods of a feed that the chain lacks and that are too old for the agent to request.',
    labelNames: ['feed_id'],
    read: ({ facts }) =>
      [...facts.byFeed.keys()].map((feed_id) => [{ feed_id }, facts.lost.get(feed_id)?.length ?? 0]),
  },
  {
    name: 'wattfeed_agent_feed_late',
    help: "Whether a feed should have a newer value by EIA's calendar, grace included: 1 or 0.",
    labelNames: ['feed_id'],
    read({ facts: { feeds, late } }) {
      if (late === null) return []
      const ids = new Set(late.map(({ feedId }) => feedId))
      return feeds.map(({ feed_id }) => [{ feed_id }, ids.has(feed_id) ? 1 : 0])
    },
  },
  {
    name: 'wattfeed_agent_health_reason',
    help: 'Reasons in /health, by code: 1 while a reason applies, absent otherwise.',
    labelNames: ['reason'],
    read: ({ reasons }) => reasons().map((reason) => [{ reason }, 1]),
  },
  {
    name: 'wattfeed_protocol_info',
    help: 'Protocol version of the network: 1; absent while unknown.',
    labelNames: ['version'],
    read: ({ facts: { protocolVersion } }) =>
      protocolVersion === null ? [] : [[{ version: protocolVersion }, 1]],
  },
  {
    name: 'wattfeed_agent_clock_ahead_seconds',
    help: "Seconds by which this machine's clock is ahead of a server's; negative if it is behind.",
    labelNames: ['host'],
    read: ({ facts }) =>
      facts.clocks.map(({ host, localMs, serverMs }) => [{ host }, (localMs - serverMs) / 1000]),
  },
  {
    name: 'wattfeed_committee_last_seen_timestamp_seconds',
    help: 'When another member of the committee last answered or called.',
    labelNames: ['member'],
    read: byMember(({ lastSeenAt }) => seconds(lastSeenAt)),
  },
  {
    name: 'wattfeed_committee_round_trip_seconds',
    help: 'Time that another member of the committee took to answer the last call.',
    labelNames: ['member'],
    read: byMember(({ roundTripMs }) => seconds(roundTripMs)),
  },
  {
    name: 'wattfeed_committee_root_equal',
    help: 'Whether another member of the committee holds the same root of a dataset as this one: 1 or 0; absent while one of both has none or is silent.',
    labelNames: ['feed_id', 'member'],
    read: ({ facts, moment }) => equalRoots(facts.committee?.roots ?? new Map(), moment().now),
  },
]

const seconds = (ms: number | null): number | null => (ms === null ? null : ms / 1000)

function byFeed(read: (feed: FeedFacts, at: Moment) => number | null): LabelledGauge['read'] {
  return ({ facts, moment }) =>
    [...facts.byFeed].map(([feed_id, feed]) => [{ feed_id }, read(feed, moment())])
}

function byMember(read: (member: MemberFacts) => number | null): LabelledGauge['read'] {
  return ({ facts }) =>
    [...(facts.committee?.members ?? [])].map(([member, known]) => [{ member }, read(known)])
}

/**
 * Creates the metrics of one agent, in a separate registry.
 *
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function createAgentMetrics(): AgentMetrics {
  const registry = new Registry()
  return {
    outcome: observeOutcomes(registry),
    upstream: observeUpstream(registry),
    throttled: createCounter(registry, {
      name: 'wattfeed_eia_throttled_total',
      help: 'Number of times that EIA limited the rate, which stops all requests.',
    }),
    ...observeCharges(registry),
    otherWriter: createCounter(registry, {
      name: 'wattfeed_agent_other_writer_attestations_total',
      help: 'Attestations by this account that the state folder has no record of.',
    }),
    observe: createGauges(registry),
    committee: observeCommittee(registry),
    registry,
    text: () => registry.metrics(),
  }
}

/** Creates a counter without labels. Returns the function that adds to it. */
function createCounter(registry: Registry, config: { name: string; help: string }): (count?: number) => void {
  const counter = new Counter({ ...config, registers: [registry] })
  return (count) => counter.inc(count)
}

function createGauges(registry: Registry): AgentMetrics['observe'] {
  let source: GaugeSource = {
    facts: new AgentFacts([], 0),
    moment: () => ({ now: 0, steadyMs: 0 }),
    reasons: () => [],
  }
  for (const { read, ...config } of gauges)
    new Gauge({
      ...config,
      registers: [registry],
      collect() {
        this.set(read(source.facts, source.moment()) ?? Number.NaN)
      },
    })
  for (const { read, ...config } of labelledGauges)
    new Gauge({
      ...config,
      registers: [registry],
      collect() {
        this.reset()
        for (const [labels, number] of read(source)) if (number !== null) this.set(labels, number)
      },
    })
  return (given) => {
    source = given
  }
}

function observeOutcomes(registry: Registry): AgentMetrics['outcome'] {
  const registers = [registry]
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
  return ({ decision, error }) => {
    if (error !== null) errors.inc({ code: errorFields(error).code })
    else if (decision !== null) decisions.inc({ decision })
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
  return {
    charged({ chargedMotes, feedIds }) {
      const each = Number(chargedMotes) / feedIds.length
      charged.inc(Number(chargedMotes))
      attestations.inc(feedIds.length)
      for (const feed_id of feedIds) byFeed.inc({ feed_id }, each)
    },
    forget: (feed_id) => byFeed.remove({ feed_id }),
  }
}
