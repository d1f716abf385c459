import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { ClientOptions, ClientStatus, Snapshot } from '../client/index.ts'

/** The server's metrics. What a module knows at any time, it registers as a gauge of `registry`. */
export interface Metrics extends Instruments {
  readonly registry: Registry
  /** Measures the state root that an answer was read at. */
  snapshot(at: Pick<Snapshot, 'ageMs' | 'verification'>): void
  /** Callbacks for the client. */
  readonly observe: Required<Omit<NonNullable<ClientOptions['observe']>, 'checkpointFailed'>>
}

type Instruments = ReturnType<typeof createInstruments>

// From fractions of a millisecond (from memory) up to the deadline (over the network).
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

// A block takes about eight seconds, and a node a few more to pass it on.
const LAG_SECONDS = [0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256]

/**
 * Creates the metrics of one server, in a registry of their own.
 *
 * @param now epoch milliseconds
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function createMetrics(now: () => number = Date.now): Metrics {
  const registry = new Registry()
  const instruments = createInstruments(registry)
  const { rpcCalls, rpcErrors, rpcDuration, rpcRejected, feeds, advances, advanceChanges } = instruments
  return {
    ...instruments,
    registry,
    snapshot: createSnapshotGauges(registry, now),
    observe: {
      rpcCall({ method, host, durationMs, errorCode }) {
        rpcCalls.inc({ method, host })
        if (errorCode !== null) rpcErrors.inc({ method, host, code: errorCode })
        rpcDuration.observe({ method, host }, durationMs / 1000)
      },
      rejected: ({ host, errorCode }) => rpcRejected.inc({ host, code: errorCode }),
      advance(event) {
        feeds.set(event.feeds)
        advances.inc()
        advanceChanges.inc(event.changes ?? 0)
      },
    },
  }
}

function createInstruments(registry: Registry) {
  const registers = [registry]
  const call = ['method', 'host'] as const
  const feeds = new Gauge({
    name: 'wattfeed_feeds',
    help: 'Registered feeds; NaN while unknown.',
    registers,
  })
  feeds.set(Number.NaN)
  return {
    requestDuration: new Histogram({
      name: 'wattfeed_http_request_duration_seconds',
      help: 'From the request to its answer; _count is the number of answered requests.',
      labelNames: ['endpoint', 'method', 'status'] as const,
      buckets: SECONDS,
      registers,
    }),
    rpcCalls: new Counter({
      name: 'wattfeed_rpc_calls_total',
      help: 'Calls to nodes.',
      labelNames: call,
      registers,
    }),
    rpcErrors: new Counter({
      name: 'wattfeed_rpc_errors_total',
      help: 'Calls to nodes that failed, by the code of the error.',
      labelNames: [...call, 'code'] as const,
      registers,
    }),
    rpcDuration: new Histogram({
      name: 'wattfeed_rpc_duration_seconds',
      help: 'From a call to a node to its answer.',
      labelNames: call,
      buckets: SECONDS,
      registers,
    }),
    rpcRejected: new Counter({
      name: 'wattfeed_rpc_rejected_total',
      help: 'Answers of nodes that were rejected, by the code of the reason: lies and lags.',
      labelNames: ['host', 'code'] as const,
      registers,
    }),
    feeds,
    advances: new Counter({
      name: 'wattfeed_advances_total',
      help: 'How often the snapshot moved to a new state root.',
      registers,
    }),
    advanceChanges: new Counter({
      name: 'wattfeed_advance_changes_total',
      help: 'Event log entries that the advances read.',
      registers,
    }),
    streamEvents: new Counter({
      name: 'wattfeed_stream_events_total',
      help: 'Events that streams sent, live or replayed after a reconnect.',
      labelNames: ['kind'] as const,
      registers,
    }),
    streamsDropped: new Counter({
      name: 'wattfeed_streams_dropped_total',
      help: 'Streams that the server closed: the client took too little (overflow) or nothing (stalled), or the chain was not read (failed).',
      labelNames: ['reason'] as const,
      registers,
    }),
    streamLag: new Histogram({
      name: 'wattfeed_stream_lag_seconds',
      help: 'From the block of an attestation to sending it, by this machine’s clock.',
      buckets: LAG_SECONDS,
      registers,
    }),
  }
}

function createSnapshotGauges(registry: Registry, now: () => number): Metrics['snapshot'] {
  const registers = [registry]
  let ageMs = (): number => Number.NaN
  let block = { blockHeight: Number.NaN, blockTimestamp: Number.NaN }
  new Gauge({
    name: 'wattfeed_snapshot_age_seconds',
    help: 'Age of the newest state root that was answered from; NaN before the first.',
    registers,
    collect() {
      this.set(ageMs() / 1000)
    },
  })
  new Gauge({
    name: 'wattfeed_verified_block_height',
    help: 'Height of the newest block that was verified; NaN where none is.',
    registers,
    collect() {
      this.set(block.blockHeight)
    },
  })
  new Gauge({
    name: 'wattfeed_verified_block_age_seconds',
    help: 'Age of the newest block that was verified; NaN where none is.',
    registers,
    collect() {
      this.set((now() - block.blockTimestamp) / 1000)
    },
  })
  return (at) => {
    ageMs = at.ageMs
    block = at.verification ?? block
  }
}

/** Registers gauges of the client's status, which is read at every scrape. */
export function registerStatusGauges(
  { registry }: Pick<Metrics, 'registry'>,
  status: () => ClientStatus,
  now: () => number,
): void {
  const registers = [registry]
  new Gauge({
    name: 'wattfeed_block_age_seconds',
    help: 'Age of the newest block of the node that answers, by this machine’s clock; NaN where none was told.',
    registers,
    collect() {
      this.set((now() - (status().block?.timestamp ?? Number.NaN)) / 1000)
    },
  })
  new Gauge({
    name: 'wattfeed_feeds_undecodable',
    help: 'Feeds that the list leaves out because what is stored of them does not decode; NaN while unknown.',
    registers,
    collect() {
      this.set(status().undecodable ?? Number.NaN)
    },
  })
}
