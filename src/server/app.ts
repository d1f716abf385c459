import { type AnyElysia, Elysia } from 'elysia'
import manifest from '../../package.json' with { type: 'json' }
import { type Client, casperTest, type Network } from '../client/index.ts'
import { WattfeedError } from '../errors.ts'
import type { Log } from '../runtime/log.ts'
import { builtInCatalog, type Catalog, createDatasets } from './datasets.ts'
import { errorResponse } from './errorResponse.ts'
import { createExplorer } from './explorer.ts'
import { createFeedProof } from './feedProof.ts'
import { createFeedAnswers, createFeeds, type FeedAnswers } from './feeds.ts'
import { createChainHeaders, formatCacheControl } from './headers.ts'
import { createHistoryEndpoint } from './history.ts'
import { createTextMemo } from './memo.ts'
import { type Answer, createMethods, hasDoubledHost, type Routed } from './methods.ts'
import type { Metrics } from './metrics.ts'
import { createOpenapi } from './openapi.ts'
import { createProvenance } from './provenance.ts'
import { createReadings } from './readings.ts'
import { createReady } from './ready.ts'
import { createApiIndex, createHealth, createMetricsEndpoint } from './service.ts'
import { createStatus } from './status.ts'
import { createStreamEndpoint } from './stream/endpoint.ts'
import { createStreamHub, type StreamHub } from './stream/hub.ts'
import { createEndpointOf, decodePath, feedIdFromUrl, urlPath } from './url.ts'

export interface AppOptions {
  client: Client
  /** What the client reads. @default the public test network, as a client's */
  network?: Omit<Network, 'rpcUrls'>
  metrics: Metrics
  log: Log
  /** @default the built-in one */
  catalog?: Catalog
  /** Epoch milliseconds. @default Date.now */
  now?: () => number
  /** Maximum age of a state root that `/ready` reports as fresh, in milliseconds. @default 10000 */
  freshForMs?: number
  /** How long caches may keep chain and catalog answers, in seconds; 0 has them ask every time. @default 0 */
  cacheMaxAgeS?: number
  /** Size of what is remembered of the feeds' past, in MB. @default 64 */
  historyCacheMb?: number
  /** A line above every page of the explorer. @default none */
  notice?: string | null
  /** Maximum number of calls to nodes in flight. @default 128 */
  concurrency?: number
  /** Holds the streams. @default one with the default limits */
  streams?: StreamHub
}

/**
 * Creates the server's HTTP interface, for `app.handle(request)` or `listen`.
 *
 * @example
 * ```ts
 * const app = createApp({ client: createClient(), metrics: createMetrics(), log: createLog({ level: 'info' }).log })
 * const response = await app.handle(new Request('http://localhost/v1/feeds'))
 * ```
 */
export function createApp(options: AppOptions): AnyElysia {
  const {
    client,
    network = casperTest,
    metrics,
    log,
    catalog = builtInCatalog,
    now = Date.now,
    freshForMs = 10_000,
    cacheMaxAgeS = 0,
    historyCacheMb: cacheMb = 64,
    notice = null,
    concurrency = 128,
    streams = createStreamHub({ client, metrics, log, now }),
  } = options
  const cacheControl = formatCacheControl(cacheMaxAgeS)
  const chainHeaders = createChainHeaders(cacheControl)
  const explorer = createExplorer(notice)
  metrics.follow(client.status)
  const feeds = createFeedAnswers({ client, metrics, chainHeaders })
  // Otherwise the router assumes that the path starts after the URL's 11th character, which fails for short hosts.
  const app = new Elysia({ name: 'wattfeed', handler: { standardHostname: false } })
    .onError(({ error }) => respondToError(error, log))
    .use(createApiIndex({ version: manifest.version, network, explorer }))
    .use(explorer.endpoints)
    .use(createFeeds(feeds))
    .use(createReadings({ client, metrics, chainHeaders }))
    .use(createFeedProof({ client }))
    .use(createProvenance({ client, chainHeaders, chainName: network.chainName }))
    .use(createHistoryEndpoint({ client, metrics, log, chainHeaders, cacheMb, concurrency }))
    .use(createStatus({ client, metrics, chainHeaders, now }))
    .use(createStreamEndpoint(streams))
    .use(createDatasets(catalog, cacheControl))
    .use(createHealth(catalog))
    .use(createReady({ client, metrics, now, freshForMs }))
    .use(createMetricsEndpoint(metrics))
    .use(createOpenapi(manifest.version))
  const routeOf = createRouteOf(createEndpointOf(app.routes.map((route) => route.path)), feeds)
  return wrapAnswers(app, (answer) => createRequestObserver(createMethods(answer), { log, metrics, routeOf }))
}

function respondToError(error: unknown, log: Log): Response {
  const response = errorResponse(error)
  if (response.status === 500) log.error({ err: error }, 'internal error')
  else if (response.status === 503) log.warn({ err: describe(error) }, 'not answered for now')
  else if (response.status > 500) log.warn({ err: describe(error) }, 'the chain was not read')
  return response
}

const describe = (error: unknown) =>
  error instanceof WattfeedError ? { code: error.code, message: error.message } : error

// The framework requests the wrapped function at every request, always for the same inner one.
function wrapAnswers(app: AnyElysia, wrap: (answer: Answer) => Answer): AnyElysia {
  let last: { inner: unknown; outer: Answer } | null = null
  return app.wrap((inner) => {
    if (last?.inner !== inner) last = { inner, outer: wrap(inner as unknown as Answer) }
    return last.outer
  })
}

interface RequestObserverOptions {
  log: Log
  metrics: Pick<Metrics, 'request'>
  routeOf: (url: string) => Route
}

/** Where a URL leads. */
interface Route {
  path: string
  endpoint: string | null
  /** Answers a GET without the router. Null where it has more to decide than one function. */
  direct: Answer | null
}

// Callers may invent URLs: these bound what is remembered of them to some 10 MB.
const MAX_ROUTES = 20_000
const MAX_URL_LENGTH = 200

/** Remembers routes by URL: most requests repeat one, and its parts, its pattern and its id cost more than reading it. */
function createRouteOf(endpointOf: (path: string) => string | null, feeds: FeedAnswers) {
  const known = createTextMemo<Route>(MAX_ROUTES)
  function directOf(url: string, path: string, endpoint: string | null): Route['direct'] {
    if (endpoint === '/v1/feeds') return feeds.list
    if (endpoint !== '/v1/feeds/:id' || decodePath(path) === null) return null
    return feeds.feed(feedIdFromUrl(url))
  }
  function find(url: string): Route {
    const path = urlPath(url)
    const endpoint = endpointOf(path)
    return { path, endpoint, direct: directOf(url, path, endpoint) }
  }
  return (url: string): Route => (url.length > MAX_URL_LENGTH ? find(url) : known(url, () => find(url)))
}

const MAX_LOGGED_PATH_LENGTH = 512
const COUNTED_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** Wraps `answer` to count, measure and log every request. */
function createRequestObserver(
  answer: (routed: Routed) => Response | Promise<Response>,
  { log, metrics, routeOf }: RequestObserverOptions,
): Answer {
  function observe(
    request: Request,
    { path, endpoint }: Route,
    startedAt: number,
    response: Response,
  ): Response {
    const durationMs = Math.round((performance.now() - startedAt) * 1000) / 1000
    const { method } = request
    const { status } = response
    metrics.request({
      // Labels live as long as the process, so values that clients can invent share one.
      endpoint: endpoint ?? 'unknown',
      method: COUNTED_METHODS.has(method) ? method : 'other',
      status,
      durationMs,
    })
    log.info({ method, path: path.slice(0, MAX_LOGGED_PATH_LENGTH), status, durationMs }, 'request')
    return response
  }
  return (request) => {
    const startedAt = performance.now()
    const route = routeOf(request.url)
    const direct = request.method === 'GET' && !hasDoubledHost(request) ? route.direct : null
    const response = direct ? direct(request) : answer({ request, ...route })
    const end = (response: Response) => observe(request, route, startedAt, response)
    // What is known is answered at once: each promise would cost as much as reading it.
    return response instanceof Promise
      ? response.then(end, (error) => end(respondToError(error, log)))
      : end(response)
  }
}

/** Reads the list once, so that later requests are answered from memory. Never throws, as a node may be down. */
export async function warmUp(client: Client, log: Log): Promise<void> {
  try {
    const at = await client.snapshot()
    const readings = await at.listReadings()
    log.info({ stateRootHash: at.stateRootHash, feeds: readings.length }, 'warmed up')
  } catch (error) {
    log.warn({ err: error }, 'not warmed up: the first requests will try again')
  }
}
