import { cors } from '@elysiajs/cors'
import { type AnyElysia, Elysia } from 'elysia'
import { calendar } from './calendar/plugin.ts'
import { datasets } from './datasets/plugin.ts'
import { discovery } from './discovery/plugin.ts'
import { docs } from './docs/plugin.ts'
import { embed } from './embed/plugin.ts'
import { errors } from './errors/plugin.ts'
import { explorer } from './explorer/plugin.ts'
import { feeds } from './feeds/plugin.ts'
import { history } from './history/plugin.ts'
import { hidden } from './http/apiDocs.ts'
import { contentResponse, createContent, jsonResponse } from './http/content.ts'
import { ALLOWED_METHODS, type AnswerHeaders, commonHeaders } from './http/headers.ts'
import { createObjectMemo } from './http/memo.ts'
import { assertRoutable, createEndpointOf, type EndpointOf, urlPath } from './http/paths.ts'
import { mcp } from './mcp/plugin.ts'
import { proof } from './proof/plugin.ts'
import { provenance } from './provenance/plugin.ts'
import { series } from './series/plugin.ts'
import { type AppOptions, createServer, type Server } from './server.ts'
import { service } from './service/plugin.ts'
import { status } from './status/plugin.ts'
import { stream } from './stream/plugin.ts'

/** Creates the server's HTTP interface, for `app.handle(request)` or `listen`. The API's documentation has the endpoints in this order. */
export function createApp(options: AppOptions): AnyElysia {
  const server = createServer(options)
  const endpointOf = createEndpointOf(() =>
    app.routes.filter(({ method }) => method !== 'OPTIONS').map(({ path }) => path),
  )
  // `standardHostname`: otherwise the router assumes that the path starts after the 11th character of the URL, which fails for
  // short hosts. `normalize`: otherwise Elysia strips and reorders fields instead of reporting them.
  const app: AnyElysia = new Elysia({
    name: 'wattfeed',
    normalize: false,
    handler: { standardHostname: false },
  })
    .headers(commonHeaders)
    .use(everyRequest(server, endpointOf))
    .use(errors(server, endpointOf))
    .use(explorer(server))
    .use(docs(server))
    .use(feeds(server))
    .use(proof(server))
    .use(provenance(server))
    .use(history(server))
    .use(embed(server))
    .use(status(server))
    .use(calendar(server))
    .use(stream(server))
    .use(datasets(server))
    .use(series(server))
    .use(discovery(server))
    .use(mcp(server))
    .use(service(server))
  return app
}

const MAX_LOGGED_PATH_LENGTH = 512
const COUNTED_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** What every request passes: it is logged and counted, its answer is formatted, and OPTIONS is answered on every path. */
function everyRequest({ log, metrics }: Pick<Server, 'log' | 'metrics'>, endpointOf: EndpointOf) {
  const startedAt = new WeakMap<Request, number>()
  return new Elysia({ name: 'everyRequest' })
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
      log.info({ method, path: path.slice(0, MAX_LOGGED_PATH_LENGTH), status, durationMs }, 'request')
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
    allowedHeaders: '*',
    exposeHeaders: commonHeaders['access-control-expose-headers'],
    credentials: false,
    maxAge: 86_400,
  }),
)
