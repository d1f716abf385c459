import { WattfeedError } from '../../errors.ts'
import { systemReason } from '../../runtime/systemReason.ts'
import type { FeedOutcome } from '../feedOutcome.ts'
import type { AgentMetrics } from './agentMetrics.ts'

/** What `/health` answers beside that the process is alive. */
export interface AgentHealth {
  /** Feeds that are watched. */
  feeds: number
  /** Feeds whose last try failed. */
  failing: number
  /** When the last cycle ended, in epoch milliseconds; null before the first. */
  last_cycle_at: number | null
}

/** Keeps what `/health` answers. */
export interface HealthKeeper {
  current(): AgentHealth
  /** A cycle is over. */
  update(outcomes: readonly FeedOutcome[], now: number): void
}

export function createHealth(feeds: number): HealthKeeper {
  const failing = new Set<string>()
  let lastCycleAt: number | null = null
  return {
    current: () => ({ feeds, failing: failing.size, last_cycle_at: lastCycleAt }),
    update(outcomes, now) {
      lastCycleAt = now
      for (const { feedId, error } of outcomes) {
        if (error === null) failing.delete(feedId)
        else failing.add(feedId)
      }
    },
  }
}

/** The agent cannot listen where it was told to. */
export class MonitorError extends WattfeedError {
  static override readonly name = 'MonitorError'
  readonly code = 'listen'
  readonly retryable = false

  constructor(
    readonly host: string,
    readonly port: number,
    /** The system's word for it: `EADDRINUSE`. */
    readonly reason: string,
  ) {
    super(
      `cannot listen on ${host}:${port} (${reason}): set AGENT_PORT or HOST to a free address, AGENT_PORT=0 takes a free port`,
    )
  }
}

export interface MonitorOptions {
  host: string
  /** 0 takes a free one. */
  port: number
  metrics: Pick<AgentMetrics, 'text' | 'contentType'>
  health: () => AgentHealth
}

/** What serves `/metrics` and `/health`. */
export interface Monitor extends AsyncDisposable {
  /** The port that it listens on. */
  readonly port: number
}

/**
 * Serves `GET /metrics`, Prometheus text, and `GET /health`, JSON: the process is alive.
 *
 * Throws a {@link MonitorError}.
 */
export function startMonitor(options: MonitorOptions): Monitor {
  const { host, port } = options
  try {
    const server = Bun.serve({
      hostname: host,
      port,
      // With it two agents would share a port without a word.
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
