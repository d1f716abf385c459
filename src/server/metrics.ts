import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { ClientOptions, ClientStatus, Snapshot } from 'wattfeed'

/** The server's metrics. Modules register gauges of their own state in `registry`. */
export interface Metrics extends Instruments {
  readonly registry: Registry
  /** Records the state root at which a response was read. */
  recordSnapshot(at: Pick<Snapshot, 'ageMs' | 'verification'>): void
  readonly observe: Required<
    Omit<NonNullable<ClientOptions['observe']>, 'checkpointFailed' | 'protocolVersion'>
  >
}

type Instruments = ReturnType<typeof createInstruments>

// From fractions of a millisecond (from the cache) up to the deadline (over the network).
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

// A block takes about eight seconds, and nodes need a few more to receive it.
const LAG_SECONDS = [0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256]

/**
 * Creates the metrics of one server, in their own registry.
 *
 * @param now epoch milliseconds
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function createMetrics(now: () => number = Date.now): Metrics {
  const registry = new Registry()
  const instruments = createInstruments(registry)
  const { rpcCalls, rpcErrors, rpcDuration, rpcRejected, absences, feeds, advances, advanceChanges } =
    instruments
  return {
    ...instruments,
    registry,
    recordSnapshot: createSnapshotGauges(registry, now),
    observe: {
      rpcCall({ method, host, durationMs, errorCode }) {
        rpcCalls.inc({ method, host })
        if (errorCode !== null) rpcErrors.inc({ method, host, code: errorCode })
        rpcDuration.observe({ method, host }, durationMs / 1000)
      },
      rejected: ({ host, errorCode }) => rpcRejected.inc({ host, code: errorCode }),
      absence: ({ shownBy }) => absences.inc({ shown_by: shownBy }),
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
      help: 'Time from a request to its response. _count is the number of responses.',
      labelNames: ['endpoint', 'method', 'status'] as const,
      buckets: SECONDS,
      registers,
    }),
    rpcCalls: new Counter({
      name: 'wattfeed_rpc_calls_total',
      help: 'RPC calls to nodes.',
      labelNames: call,
      registers,
    }),
    rpcErrors: new Counter({
      name: 'wattfeed_rpc_errors_total',
      help: 'Failed RPC calls to nodes, by error code.',
      labelNames: [...call, 'code'] as const,
      registers,
    }),
    rpcDuration: new Histogram({
      name: 'wattfeed_rpc_duration_seconds',
      help: 'Duration of RPC calls to nodes.',
      labelNames: call,
      buckets: SECONDS,
      registers,
    }),
    rpcRejected: new Counter({
      name: 'wattfeed_rpc_rejected_total',
      help: 'Rejected answers of nodes, by error code: invalid, unproven or lagging.',
      labelNames: ['host', 'code'] as const,
      registers,
    }),
    absences: new Counter({
      name: 'wattfeed_absences_total',
      help: 'Absent values at VERIFY=proofs and full, by how that was shown. second_node and one_node are not proofs.',
      labelNames: ['shown_by'] as const,
      registers,
    }),
    feeds,
    advances: new Counter({
      name: 'wattfeed_advances_total',
      help: 'Updates of the snapshot to a new state root.',
      registers,
    }),
    advanceChanges: new Counter({
      name: 'wattfeed_advance_changes_total',
      help: 'Event log entries read by updates of the snapshot.',
      registers,
    }),
    streamEvents: new Counter({
      name: 'wattfeed_stream_events_total',
      help: 'Events sent to streams, live or replayed after a reconnect.',
      labelNames: ['kind'] as const,
      registers,
    }),
    streamsDropped: new Counter({
      name: 'wattfeed_streams_dropped_total',
      help: 'Streams closed by the server: the client read too slowly (overflow) or nothing (stalled), or a read of the chain failed (failed).',
      labelNames: ['reason'] as const,
      registers,
    }),
    streamLag: new Histogram({
      name: 'wattfeed_stream_lag_seconds',
      help: 'Time from the block of an attestation to its delivery, by the server’s clock.',
      buckets: LAG_SECONDS,
      registers,
    }),
  }
}

function createSnapshotGauges(registry: Registry, now: () => number): Metrics['recordSnapshot'] {
  let ageMs = (): number => Number.NaN
  let block = { blockHeight: Number.NaN, blockTimestamp: Number.NaN }
  registerGauge(registry, {
    name: 'wattfeed_snapshot_age_seconds',
    help: 'Age of the newest state root in use; NaN before the first.',
    read: () => ageMs() / 1000,
  })
  registerGauge(registry, {
    name: 'wattfeed_verified_block_height',
    help: 'Height of the newest verified block; NaN if none is.',
    read: () => block.blockHeight,
  })
  registerGauge(registry, {
    name: 'wattfeed_verified_block_age_seconds',
    help: 'Age of the newest verified block; NaN if none is.',
    read: () => (now() - block.blockTimestamp) / 1000,
  })
  return (at) => {
    ageMs = at.ageMs
    block = at.verification ?? block
  }
}

/** Registers gauges of the client's status. */
export function registerStatusGauges(
  { registry }: Pick<Metrics, 'registry'>,
  status: () => ClientStatus,
  now: () => number,
): void {
  registerGauge(registry, {
    name: 'wattfeed_block_age_seconds',
    help: 'Age of the node’s newest block, by the server’s clock; NaN if unknown.',
    read: () => (now() - (status().block?.timestamp ?? Number.NaN)) / 1000,
  })
  registerGauge(registry, {
    name: 'wattfeed_feeds_undecodable',
    help: 'Feeds that are not listed because they cannot be decoded; NaN while unknown.',
    read: () => status().undecodable ?? Number.NaN,
  })
  new Gauge({
    name: 'wattfeed_protocol_info',
    help: 'Protocol version of the network: 1; absent while unknown.',
    labelNames: ['version'],
    registers: [registry],
    collect() {
      this.reset()
      const version = status().protocolVersion
      if (version !== null) this.set({ version }, 1)
    },
  })
}

/** Registers a gauge whose value is read on each scrape. */
export function registerGauge(
  registry: Registry,
  { name, help, read }: { name: string; help: string; read: () => number },
): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read())
    },
  })
}
