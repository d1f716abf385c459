import { defineError, systemReason } from '@wattfeed/base'
import type { AgentMetrics } from './agentMetrics.ts'
import type { HealthReport } from './health.ts'

/** The agent cannot listen on its address. */
const MonitorError = defineError(
  'MonitorError',
  'listen',
  (facts: {
    host: string
    port: number
    /** The system's error code: `EADDRINUSE`. */
    reason: string
  }) =>
    `cannot listen on ${facts.host}:${facts.port} (${facts.reason}): set AGENT_PORT or AGENT_HOST to a free address; AGENT_PORT=0 takes a free port`,
)

export interface MonitorOptions {
  host: string
  /** 0 takes a free port. */
  port: number
  metrics: Pick<AgentMetrics, 'text' | 'registry'>
  health: () => HealthReport
  /** Redacts secrets in the texts of `/health`. */
  redact: (text: string) => string
}

export interface Monitor extends AsyncDisposable {
  readonly port: number
}

/**
 * Serves `GET /metrics`, Prometheus text, and `GET /health`, JSON: 200 while anything works, else 503.
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
    throw new MonitorError({ host, port, reason: systemReason(error) })
  }
}

async function answer(request: Request, { metrics, health, redact }: MonitorOptions): Promise<Response> {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return Response.json({ error: 'GET only' }, { status: 405, headers: { allow: 'GET, HEAD' } })
  const { pathname } = new URL(request.url)
  if (pathname === '/metrics')
    return new Response(await metrics.text(), { headers: { 'content-type': metrics.registry.contentType } })
  if (pathname === '/health') return answerHealth(health(), redact)
  return Response.json({ error: 'not found; try /metrics or /health' }, { status: 404 })
}

function answerHealth({ health, isWorking }: HealthReport, redact: MonitorOptions['redact']): Response {
  const json = JSON.stringify(health, (_, field) => (typeof field === 'string' ? redact(field) : field))
  return new Response(json, {
    status: isWorking ? 200 : 503,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  })
}
