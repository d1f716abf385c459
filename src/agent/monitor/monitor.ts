import { WattfeedError } from '../../errors.ts'
import { systemReason } from '../../runtime/systemReason.ts'
import type { FeedOutcome } from '../feedOutcome.ts'
import { FeedBackfillingError } from '../outbox/feedLocks.ts'
import type { AgentMetrics } from './agentMetrics.ts'

/** What `/health` reports besides that the process is alive. */
export interface AgentHealth {
  /** How many feeds are watched. */
  feeds: number
  /** How many failed when last tried. */
  failing: number
  /** When the last cycle ended, in epoch milliseconds; null before the first. */
  last_cycle_at: number | null
}

/** Tracks what `/health` reports. */
export interface Health {
  current(): AgentHealth
  /** Records the outcomes of a cycle that ended at `now`. */
  update(outcomes: readonly FeedOutcome[], now: number): void
}

export function createHealth(feeds: number): Health {
  const failing = new Set<string>()
  let lastCycleAt: number | null = null
  return {
    current: () => ({ feeds, failing: failing.size, last_cycle_at: lastCycleAt }),
    update(outcomes, now) {
      lastCycleAt = now
      for (const { feedId, error } of outcomes) {
        if (error === null || error instanceof FeedBackfillingError) failing.delete(feedId)
        else failing.add(feedId)
      }
    },
  }
}

/** The agent cannot listen on its address. */
export class MonitorError extends WattfeedError {
  static override readonly name = 'MonitorError'
  readonly code = 'listen'
  readonly retryable = false

  constructor(
    readonly host: string,
    readonly port: number,
    /** The system's error code: `EADDRINUSE`. */
    readonly reason: string,
  ) {
    super(
      `cannot listen on ${host}:${port} (${reason}): set AGENT_PORT or HOST to a free address, AGENT_PORT=0 takes a free port`,
    )
  }
}

export interface MonitorOptions {
  host: string
  /** 0 for a free one. */
  port: number
  metrics: Pick<AgentMetrics, 'text' | 'contentType'>
  health: () => AgentHealth
}

/** Serves `/metrics` and `/health` until it is disposed of. */
export interface Monitor extends AsyncDisposable {
  readonly port: number
}

/**
 * Serves `GET /metrics`, Prometheus text, and `GET /health`, JSON.
 *
 * @throws {MonitorError}
 */
export function startMonitor(options: MonitorOptions): Monitor {
  const { host, port } = options
  try {
    const server = Bun.serve({
      hostname: host,
      port,
      // Otherwise two agents would silently share a port.
      reusePort: false,
      development: false,
      fetch: (request) => answer(request, options),
    })
    return { port: server.port ?? port, [Symbol.asyncDispose]: () => server.stop(true) }
  } catch (error) {
    throw new MonitorError(host, port, systemReason(error))
  }
}

async function answer(request: Request, { metrics, health }: MonitorOptions): Promise<Response> {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return Response.json({ error: 'GET only' }, { status: 405, headers: { allow: 'GET, HEAD' } })
  const { pathname } = new URL(request.url)
  if (pathname === '/metrics')
    return new Response(await metrics.text(), { headers: { 'content-type': metrics.contentType } })
  if (pathname === '/health') return Response.json({ status: 'ok', service: 'wattfeed-agent', ...health() })
  return Response.json({ error: 'not found: there is /metrics and /health' }, { status: 404 })
}
