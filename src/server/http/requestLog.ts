import { Elysia } from 'elysia'
import type { Log } from '../../runtime/log.ts'
import type { Metrics } from '../metrics.ts'
import type { EndpointOf } from './paths.ts'
import { urlPath } from './url.ts'

export interface RequestLogOptions {
  log: Pick<Log, 'info'>
  metrics: Pick<Metrics, 'requestDuration'>
  endpointOf: EndpointOf
}

const MAX_LOGGED_PATH_LENGTH = 512
const COUNTED_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])

export function requestLog({ log, metrics, endpointOf }: RequestLogOptions) {
  const startedAt = new WeakMap<Request, number>()
  return new Elysia({ name: 'requestLog' })
    .onRequest(({ request }) => {
      startedAt.set(request, performance.now())
    })
    .onAfterResponse({ as: 'global' }, ({ request, responseValue, set }) => {
      const seconds = (performance.now() - (startedAt.get(request) ?? Number.NaN)) / 1000
      const { method } = request
      const path = urlPath(request.url)
      const status = responseValue instanceof Response ? responseValue.status : Number(set.status ?? 200)
      // Labels stay in memory until the process ends, so values that clients can invent share one label.
      const endpoint = endpointOf(path) ?? 'unknown'
      const label = COUNTED_METHODS.has(method) ? method : 'other'
      metrics.requestDuration.observe({ endpoint, method: label, status }, seconds)
      const durationMs = Math.round(seconds * 1_000_000) / 1000
      log.info({ method, path: path.slice(0, MAX_LOGGED_PATH_LENGTH), status, durationMs }, 'request')
    })
}
