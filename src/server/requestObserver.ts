import type { Log } from '../runtime/log.ts'
import type { Answer, Routed } from './methods.ts'
import type { Metrics } from './metrics.ts'
import { urlPath } from './urlPath.ts'

export interface RequestObserverOptions {
  log: Log
  metrics: Pick<Metrics, 'request'>
  endpointOf: (path: string) => string | null
}

const LOGGED_PATH_LENGTH = 512
const COUNTED_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** Counts, measures and logs every request around what answers it. */
export function createRequestObserver(
  answer: (routed: Routed) => Response | Promise<Response>,
  { log, metrics, endpointOf }: RequestObserverOptions,
): Answer {
  return async (request) => {
    const startedAt = performance.now()
    const path = urlPath(request.url)
    const endpoint = endpointOf(path)
    const response = await answer({ request, path, endpoint })
    const durationMs = Math.round((performance.now() - startedAt) * 1000) / 1000
    const { method } = request
    const { status } = response
    metrics.request({
      // Labels live as long as the process: what anyone may make up shares one.
      endpoint: endpoint ?? 'unknown',
      method: COUNTED_METHODS.has(method) ? method : 'other',
      status,
      durationMs,
    })
    log.info({ method, path: path.slice(0, LOGGED_PATH_LENGTH), status, durationMs }, 'request')
    return response
  }
}
