import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { ClientOptions, ClientStatus, Snapshot } from '../client/index.ts'

/** One answered request. */
export interface RequestEvent {
  /** The endpoint's path pattern, or `unknown`. */
  endpoint: string
  method: string
  status: number
  durationMs: number
}

/** What is remembered of the feeds' past, and what is being read. */
export interface HistoryCacheStatus {
  feeds: number
  values: number
  bytes: number
  running: number
  waiting: number
}

/** What the streams count. */
export interface StreamMetrics {
  sent(events: number, kind: 'live' | 'replayed'): void
  /** Counts a client that was closed. */
  dropped(reason: 'overflow' | 'stalled' | 'failed'): void
  /** From an attestation's block to sending it, in milliseconds. */
  lag(ms: number): void
}

/** The server's metrics. */
export interface Metrics {
  request(event: RequestEvent): void
  snapshot(at: Pick<Snapshot, 'ageMs' | 'verification'>): void
  /** Reads the status at every scrape. */
  follow(status: () => ClientStatus): void
  /** Counts the feeds in each state at every scrape; null while unknown. */
  followStates(count: () => Readonly<Record<string, number>> | null): void
  /** Reads what is remembered of the past at every scrape. */
  followHistory(status: () => HistoryCacheStatus): void
  /** Reads how many streams are open at every scrape. */
  followStreams(open: () => number): void
  /** What the streams sent. */
  readonly stream: StreamMetrics
  /** Callbacks for the client. */
  readonly observe: Required<Omit<NonNullable<ClientOptions['observe']>, 'checkpointFailed'>>
  readonly contentType: string
  /** Returns all metrics in the Prometheus text format. */
  text(): Promise<string>
  /** Returns all metrics as plain values, to be summed with those of other workers. */
  samples(): Promise<Samples>
}

/** The metrics of one process: each says how it is summed, by `aggregator`. */
export type Samples = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

// From fractions of a millisecond (from memory) up to the deadline (over the network).
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/**
 * Creates the metrics of one server, in a separate registry.
 *
 * @param now epoch milliseconds
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function createMetrics(now: () => number = Date.now): Metrics {
  const registry = new Registry()
  return {
    request: observeRequests(registry),
    snapshot: observeSnapshots(registry, now),
    follow: observeStatus(registry, now),
    followStates: (count) => observeStates(registry, count),
    followHistory: (status) => observeHistory(registry, status),
    followStreams: (open) => observeStreams(registry, open),
    stream: observeStreamEvents(registry),
    observe: {
      rpcCall: observeRpcCalls(registry),
      rejected: observeRejections(registry),
      advance: observeAdvances(registry),
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
    samples: () => registry.getMetricsAsJSON(),
  }
}

/** Durations of requests with the same labels. */
interface Durations {
  labels: Pick<RequestEvent, 'endpoint' | 'method' | 'status'>
  /** Number in each bucket, and in the last place above all of them. */
  counts: number[]
  sumSeconds: number
}

/**
 * Counts in arrays, and makes the histogram's samples of them when they are scraped: prom-client sorts and joins the labels at
 * each observation, which costs as much as the router.
 */
function observeRequests(registry: Registry): Metrics['request'] {
  const name = 'wattfeed_http_request_duration_seconds'
  const known = new Map<string, Durations>()
  const samples = ({ labels, counts, sumSeconds }: Durations) => {
    let count = 0
    const buckets = [...SECONDS, '+Inf'].map((le, index) => {
      count += counts[index] ?? 0
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count }
    })
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: sumSeconds },
      { metricName: `${name}_count`, labels, value: count },
    ]
  }
  const help = 'From the request to its answer; _count is the number of answered requests.'
  const histogram = new Histogram({ name, help, registers: [registry] })
  const get = async () => ({
    name,
    help,
    type: 'histogram',
    aggregator: 'sum',
    values: [...known.values()].flatMap(samples),
  })
  Object.assign(histogram, { get, getForPromString: get })

  return ({ endpoint, method, status, durationMs }) => {
    const key = `${status}${method}${endpoint}`
    let durations = known.get(key)
    if (durations === undefined) {
      const counts = Array.from({ length: SECONDS.length + 1 }, () => 0)
      durations = { labels: { endpoint, method, status }, counts, sumSeconds: 0 }
      known.set(key, durations)
    }
    const seconds = durationMs / 1000
    let bucket = 0
    while (seconds > (SECONDS[bucket] ?? Number.POSITIVE_INFINITY)) bucket++
    durations.counts[bucket] = (durations.counts[bucket] ?? 0) + 1
    durations.sumSeconds += seconds
  }
}

function observeRpcCalls(registry: Registry): Metrics['observe']['rpcCall'] {
  const labelNames = ['method', 'host'] as const
  const registers = [registry]
  const calls = new Counter({
    name: 'wattfeed_rpc_calls_total',
    help: 'Calls to nodes.',
    labelNames,
    registers,
  })
  const errors = new Counter({
    name: 'wattfeed_rpc_errors_total',
    help: 'Calls to nodes that failed, by the code of the error.',
    labelNames: [...labelNames, 'code'],
    registers,
  })
  const duration = new Histogram({
    name: 'wattfeed_rpc_duration_seconds',
    help: 'From a call to a node to its answer.',
    labelNames,
    buckets: SECONDS,
    registers,
  })
  return ({ method, host, durationMs, errorCode }) => {
    calls.inc({ method, host })
    if (errorCode !== null) errors.inc({ method, host, code: errorCode })
    duration.observe({ method, host }, durationMs / 1000)
  }
}

function observeRejections(registry: Registry): Metrics['observe']['rejected'] {
  const rejections = new Counter({
    name: 'wattfeed_rpc_rejected_total',
    help: 'Answers of nodes that were rejected, by the code of the reason: lies and lags.',
    labelNames: ['host', 'code'],
    registers: [registry],
  })
  return ({ host, errorCode }) => rejections.inc({ host, code: errorCode })
}

function observeSnapshots(registry: Registry, now: () => number): Metrics['snapshot'] {
  let ageMs = (): number => Number.NaN
  new Gauge({
    name: 'wattfeed_snapshot_age_seconds',
    help: 'Age of the newest state root that was answered from; NaN before the first.',
    aggregator: 'min',
    registers: [registry],
    collect() {
      this.set(ageMs() / 1000)
    },
  })
  const height = new Gauge({
    name: 'wattfeed_verified_block_height',
    help: 'Height of the newest block that was verified; NaN where none is.',
    aggregator: 'max',
    registers: [registry],
  })
  height.set(Number.NaN)
  let blockTimestamp = Number.NaN
  new Gauge({
    name: 'wattfeed_verified_block_age_seconds',
    help: 'Age of the newest block that was verified; NaN where none is.',
    aggregator: 'min',
    registers: [registry],
    collect() {
      this.set((now() - blockTimestamp) / 1000)
    },
  })
  return ({ ageMs: age, verification }) => {
    ageMs = age
    if (verification === null) return
    blockTimestamp = verification.blockTimestamp
    height.set(verification.blockHeight)
  }
}

function observeStatus(registry: Registry, now: () => number): Metrics['follow'] {
  let status: () => ClientStatus = () => ({ block: null, feeds: null, undecodable: null })
  new Gauge({
    name: 'wattfeed_block_age_seconds',
    help: 'Age of the newest block of the node that answers, by this machine’s clock; NaN where none was told.',
    aggregator: 'min',
    registers: [registry],
    collect() {
      this.set((now() - (status().block?.timestamp ?? Number.NaN)) / 1000)
    },
  })
  new Gauge({
    name: 'wattfeed_feeds_undecodable',
    help: 'Feeds that the list leaves out because what is stored of them does not decode; NaN while unknown.',
    aggregator: 'max',
    registers: [registry],
    collect() {
      this.set(status().undecodable ?? Number.NaN)
    },
  })
  return (followed) => {
    status = followed
  }
}

function observeStates(registry: Registry, count: Parameters<Metrics['followStates']>[0]): void {
  new Gauge({
    name: 'wattfeed_feed_states',
    help: 'Feeds by how they stand against EIA’s calendar: current, due, late, stale, unknown; none while unknown.',
    labelNames: ['state'],
    // Of one worker, so that they add up to the number of feeds.
    aggregator: 'first',
    registers: [registry],
    collect() {
      for (const [state, feeds] of Object.entries(count() ?? {})) this.set({ state }, feeds)
    },
  })
}

const historyGauges: Readonly<Record<string, [help: string, keyof HistoryCacheStatus]>> = {
  wattfeed_history_feeds: ['Feeds whose past is remembered.', 'feeds'],
  wattfeed_history_values: ['Values of the past that are remembered.', 'values'],
  wattfeed_history_bytes: ['Estimated size of what is remembered of the past.', 'bytes'],
  wattfeed_history_walks: ['Feeds whose past is being read in the background.', 'running'],
  wattfeed_history_waiting: ['Feeds whose past waits to be read.', 'waiting'],
}

function observeHistory(registry: Registry, status: () => HistoryCacheStatus): void {
  for (const [name, [help, field]] of Object.entries(historyGauges))
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(status()[field])
      },
    })
}

function observeStreams(registry: Registry, open: () => number): void {
  new Gauge({
    name: 'wattfeed_streams_open',
    help: 'Streams that are held now.',
    registers: [registry],
    collect() {
      this.set(open())
    },
  })
}

// A block takes some eight seconds, and a node a few to pass it on.
const LAG_SECONDS = [0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256]

function observeStreamEvents(registry: Registry): StreamMetrics {
  const registers = [registry]
  const sent = new Counter({
    name: 'wattfeed_stream_events_total',
    help: 'Events that streams were sent: live, or replayed to who resumed.',
    labelNames: ['kind'],
    registers,
  })
  const dropped = new Counter({
    name: 'wattfeed_streams_dropped_total',
    help: 'Streams that the server closed: the client took too little (overflow) or nothing (stalled), or the chain was not read (failed).',
    labelNames: ['reason'],
    registers,
  })
  const lag = new Histogram({
    name: 'wattfeed_stream_lag_seconds',
    help: 'From the block of an attestation to sending it, by this machine’s clock.',
    buckets: LAG_SECONDS,
    registers,
  })
  return {
    sent: (events, kind) => sent.inc({ kind }, events),
    dropped: (reason) => dropped.inc({ reason }),
    lag: (ms) => lag.observe(ms / 1000),
  }
}

function observeAdvances(registry: Registry): Metrics['observe']['advance'] {
  const registers = [registry]
  const feeds = new Gauge({
    name: 'wattfeed_feeds',
    help: 'Registered feeds; NaN while unknown.',
    aggregator: 'max',
    registers,
  })
  const advances = new Counter({
    name: 'wattfeed_advances_total',
    help: 'How often the snapshot moved to a new state root.',
    registers,
  })
  const changes = new Counter({
    name: 'wattfeed_advance_changes_total',
    help: 'Event log entries that the advances read.',
    registers,
  })
  feeds.set(Number.NaN)
  return (event) => {
    feeds.set(event.feeds)
    advances.inc()
    changes.inc(event.changes ?? 0)
  }
}
