import { cors } from '@elysiajs/cors'
import { Elysia } from 'elysia'
import type { Log } from '../../runtime/log.ts'
import type { Metrics } from '../metrics.ts'
import { hidden } from './apiDocs.ts'
import { contentResponse, createContent, jsonResponse } from './content.ts'
import { ALLOWED_METHODS, type AnswerHeaders, commonHeaders } from './headers.ts'
import { createObjectMemo } from './memo.ts'
import { assertRoutable, type EndpointOf, shownPath, urlPath } from './paths.ts'

const MAX_LOGGED_PATH_LENGTH = 512
const COUNTED_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** What every request passes: it is logged and counted, its answer is formatted, and OPTIONS is answered on every path. */
export function everyRequest(
  { log, metrics }: { log: Pick<Log, 'info'>; metrics: Pick<Metrics, 'requestDuration'> },
  endpointOf: EndpointOf,
) {
  const startedAt = new WeakMap<Request, number>()
  return new Elysia({ name: 'everyRequest' })
    .headers(commonHeaders)
    .onRequest(({ request }) => {
      startedAt.set(request, performance.now())
      assertRoutable(request)
    })
    .onAfterResponse({ as: 'global' }, ({ request, responseValue, set }) => {
      const ms = performance.now() - (startedAt.get(request) ?? Number.NaN)
      const { method } = request
      const path = urlPath(request.url)
      const status = responseValue instanceof Response ? responseValue.status : statusOf(set)
      // Labels stay in memory until the process ends, so values that clients can invent share one label.
      const endpoint = endpointOf(path) ?? 'unknown'
      const label = COUNTED_METHODS.has(method) ? method : 'other'
      metrics.requestDuration.observe({ endpoint, method: label, status }, ms / 1000)
      const durationMs = Math.round(ms * 1000) / 1000
      const shown = shownPath(request.url).slice(0, MAX_LOGGED_PATH_LENGTH)
      log.info({ method, path: shown, status, durationMs }, 'request')
    })
    .mapResponse({ as: 'global' }, ({ request, responseValue, set }) => {
      if (responseValue instanceof Response || typeof responseValue !== 'object' || responseValue === null)
        return
      const headers = set.headers as AnswerHeaders
      const status = statusOf(set)
      if (status !== 200) return jsonResponse(responseValue, status, headers)
      // The response has these headers. Elysia would copy it to merge them again.
      set.headers = {}
      return contentResponse(request, jsonOf(responseValue), headers)
    })
    .options('/', ({ request }) => preflight.handle(request), hidden)
    .options('/*', ({ request }) => preflight.handle(request), hidden)
}

/** An object is formatted once, so handlers return the same object until something changes. */
const jsonOf = createObjectMemo((body: object) => createContent(JSON.stringify(body)))

const statusOf = ({ status = 200 }: { status?: number | string }): number => Number(status)

/**
 * The CORS plugin runs in a separate app, so that its requests are logged and counted like all others. With `origin: false`, it
 * neither sets `Vary: *` nor echoes the origin.
 */
const preflight = new Elysia({ name: 'cors' }).headers({ ...commonHeaders, allow: ALLOWED_METHODS }).use(
  cors({
    origin: false,
    methods: ALLOWED_METHODS,
    // Older browsers do not know the wildcard.
    allowedHeaders: '*, X-Params',
    exposeHeaders: commonHeaders['access-control-expose-headers'],
    credentials: false,
    maxAge: 86_400,
  }),
)
