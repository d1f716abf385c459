import { setTimeout as sleep } from 'node:timers/promises'
import { answerEia, type EiaApi, pathBelowV2 } from '../../src/answerEia.ts'

export interface EiaServerOptions {
  /** @default 0, which picks a free port */
  port?: number
  /** Delay of every answer. @default 0 */
  delayMs?: number
  /** The only accepted key. @default null: any that is not empty */
  apiKey?: string | null
  /** Maximum rows of an answer; a warning reports that rows are missing. @default 5000 */
  maxRows?: number
}

/** An EIA API on loopback, which counts requests and fails on demand. */
export interface EiaServer extends AsyncDisposable {
  url: string
  api: EiaApi
  /** Number of requests by route, including rejected ones. */
  requests: ReadonlyMap<string, number>
  /** Makes the next requests fail. @default of any route, once */
  fail(fault: UpstreamFault, options?: { route?: string; times?: number }): void
  stop(): Promise<void>
}

interface PlannedFault {
  fault: UpstreamFault
  route: string | null
  timesLeft: number
}

/** Starts an EIA API on loopback. */
export function startEiaServer(
  served: EiaApi,
  { port = 0, delayMs = 0, ...limits }: EiaServerOptions = {},
): EiaServer {
  const api = { ...served, ...limits }
  const requests = new Map<string, number>()
  const planned: PlannedFault[] = []

  const respond = async (request: Request): Promise<Response> => {
    const url = new URL(request.url)
    const route = routeOf(url)
    requests.set(route, (requests.get(route) ?? 0) + 1)
    const fault = takeFault(planned, route)
    if (delayMs > 0) await sleep(delayMs, undefined, { ref: false })
    if (fault !== null) return fault()
    const { status, body } = answerEia(api, url, request.headers.get('x-params'))
    return Response.json(body, { status })
  }

  // A hanging answer lasts until the client disconnects.
  const server = Bun.serve({ port, hostname: '127.0.0.1', idleTimeout: 0, fetch: respond })
  const stop = (): Promise<void> => server.stop(true)
  return {
    api,
    url: `http://127.0.0.1:${server.port}`,
    requests,
    fail: (fault, { route = null, times = 1 }: { route?: string | null; times?: number } = {}) => {
      planned.push({ fault, route, timesLeft: times })
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

function routeOf(url: URL): string {
  return pathBelowV2(url).replace(/\/(data|facet(\/[^/]+)?)$/, '')
}

function takeFault(planned: PlannedFault[], route: string): UpstreamFault | null {
  const next = planned.find((fault) => fault.timesLeft > 0 && (fault.route === null || fault.route === route))
  if (next === undefined) return null
  next.timesLeft -= 1
  return next.fault
}

export type UpstreamFault = () => Response | Promise<Response>

/** Returns a fault that answers with this body. @default status 200, JSON */
export const answerWith =
  (
    body: string,
    { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
  ) =>
  (): Response =>
    new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } })
