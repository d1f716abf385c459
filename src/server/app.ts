import { type AnyElysia, Elysia } from 'elysia'
import manifest from '../../package.json' with { type: 'json' }
import type { RenderPicture } from '../chart/renderPicture.ts'
import { type Client, casperTest, type Network } from '../client/index.ts'
import type { Log } from '../runtime/log.ts'
import { outOfReachHint } from '../runtime/outOfReachHint.ts'
import { createAnswerAt } from './answerAt.ts'
import { createCalendar } from './calendar/plugin.ts'
import { builtInCatalog, type Catalog, createDatasets } from './datasets/plugin.ts'
import { createFirstPeriods } from './discovery/firstPeriods.ts'
import { createPageHeads } from './discovery/pageHead.ts'
import { createDiscovery } from './discovery/plugin.ts'
import { createOpenapi } from './docs/openapi.ts'
import { createDocs } from './docs/plugin.ts'
import { createChartEndpoint } from './embed/charts.ts'
import { createFeedCharts } from './embed/feedChart.ts'
import { createOembedEndpoint } from './embed/oembed.ts'
import { createEmbedEndpoint } from './embed/plugin.ts'
import { describeError, errors, logError } from './errors/plugin.ts'
import { createExplorer } from './explorer/plugin.ts'
import { createFeeds } from './feeds/plugin.ts'
import { createReadings } from './feeds/readings.ts'
import { createHistoryReader } from './history/historyReader.ts'
import { createHistoryAnswer, createHistoryEndpoint } from './history/plugin.ts'
import { createRecent } from './history/recent.ts'
import { content } from './http/content.ts'
import { commonHeaders, formatCacheControl } from './http/headers.ts'
import { createEndpointOf, type EndpointOf, paths } from './http/paths.ts'
import { preflight } from './http/preflight.ts'
import { requestLog } from './http/requestLog.ts'
import type { McpSettings } from './mcp/handler.ts'
import { createMcpEndpoint } from './mcp/plugin.ts'
import { type Metrics, registerStatusGauges } from './metrics.ts'
import { createFeedProofEndpoint } from './proof/plugin.ts'
import { createAttesterEndpoint } from './provenance/attester.ts'
import { createProvenanceEndpoint } from './provenance/plugin.ts'
import { createTransactionEndpoint } from './provenance/transaction.ts'
import { describeSite } from './publicSite.ts'
import { createApiIndex, createHealthEndpoint, createMetricsEndpoint } from './service/plugin.ts'
import { createReady } from './service/ready.ts'
import { loopbackHosts } from './settings.ts'
import { createGaps } from './status/gaps.ts'
import { createNewestValues } from './status/newestValues.ts'
import { createStatus } from './status/plugin.ts'
import { createStreamHub, type StreamHub } from './stream/hub.ts'
import { createStreamEndpoint } from './stream/plugin.ts'

export interface AppOptions {
  client: Client
  /** The chain and registries that the client reads. @default the public test network, like the client */
  network?: Omit<Network, 'rpcUrls'>
  metrics: Metrics
  log: Log
  /** @default the built-in catalog */
  catalog?: Catalog
  /** Epoch milliseconds. @default Date.now */
  now?: () => number
  /** Maximum age of a state root that `/ready` reports as fresh, in milliseconds. @default 10000 */
  freshForMs?: number
  /** How long caches may reuse responses of the chain and the catalog, in seconds; with 0 they revalidate each time. @default 0 */
  cacheMaxAgeS?: number
  /** Size of the history cache, in MB. @default 64 */
  historyCacheMb?: number
  /** A notice above every page of the explorer and the documentation. @default none */
  notice?: string | null
  /** The origin under which people reach this server, without a slash at the end. @default unknown */
  publicUrl?: string | null
  /** Maximum number of calls to nodes in flight. @default 128 */
  concurrency?: number
  /** The open streams. @default a hub with the default limits */
  streams?: StreamHub
  /** The settings of `POST /mcp`. @default it answers this machine only */
  mcp?: McpSettings
  /** Renders charts as pictures. @default in workers */
  renderPicture?: RenderPicture
}

/** Creates the server's HTTP interface, for `app.handle(request)` or `listen`. */
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
    publicUrl = null,
    concurrency = 128,
    streams = createStreamHub({ client, metrics, log, now }),
    mcp = { allowedHosts: loopbackHosts, allowedOrigins: loopbackHosts },
    renderPicture,
  } = options
  const cacheControl = formatCacheControl(cacheMaxAgeS)
  const answerAt = createAnswerAt({ client, metrics, cacheControl })
  const site = describeSite(publicUrl, network.chainName)
  const firstPeriodOf = createFirstPeriods()
  const explorer = createExplorer({ notice, headOf: createPageHeads({ site, client, firstPeriodOf }) })
  registerStatusGauges(metrics, client.status, now)
  const { read: readHistory, readRecent } = createHistoryReader(
    { client, metrics, log, concurrency, cacheMb },
    createHistoryAnswer,
  )
  const newest = createNewestValues()
  const gaps = createGaps({ client, newest })
  const readChart = createFeedCharts({ read: readHistory, site })
  const sources = { client, network, readHistory, catalog, now }
  const logMcpError = (error: unknown) => logError(log, error)
  let lookUp: EndpointOf | null = null
  const endpointOf: EndpointOf = (path) => {
    lookUp ??= createEndpointOf(
      app.routes.filter(({ method }) => method !== 'OPTIONS').map(({ path }) => path),
    )
    return lookUp(path)
  }
  // `standardHostname`: otherwise the router assumes that the path starts after the 11th character of the URL, which fails for
  // short hosts. `normalize`: otherwise Elysia strips and reorders fields instead of reporting them.
  const app: AnyElysia = new Elysia({
    name: 'wattfeed',
    normalize: false,
    handler: { standardHostname: false },
  })
    .headers(commonHeaders)
    .use(requestLog({ log, metrics, endpointOf }))
    .use(paths)
    .use(errors({ log, endpointOf, notice }))
    .use(content)
    .use(preflight)
    .use(createApiIndex({ version: manifest.version, network, explorer }))
    .use(explorer.endpoints)
    .use(createDocs({ notice, site }))
    .use(createFeeds(answerAt))
    .use(createReadings(answerAt))
    .use(createRecent({ answerAt, read: readRecent }))
    .use(createFeedProofEndpoint({ client }))
    .use(createProvenanceEndpoint({ answerAt, chainName: network.chainName }))
    .use(createAttesterEndpoint({ answerAt, chainName: network.chainName }))
    .use(createTransactionEndpoint({ client, answerAt }))
    .use(createHistoryEndpoint({ answerAt, read: readHistory }))
    .use(createChartEndpoint({ answerAt, readChart, render: renderPicture }))
    .use(createEmbedEndpoint({ answerAt, readChart, network, site }))
    .use(createOembedEndpoint({ answerAt, network, site }))
    .use(createStatus({ client, answerAt, metrics, gaps, now }))
    .use(createCalendar({ answerAt, newest, gaps, site, network, now }))
    .use(createStreamEndpoint(streams))
    .use(createDatasets(catalog, cacheControl))
    .use(createDiscovery({ site, answerAt, firstPeriodOf }))
    .use(createMcpEndpoint({ ...mcp, sources, publicOrigin: site.origin, onError: logMcpError }))
    .use(createHealthEndpoint(catalog))
    .use(createReady({ client, metrics, now, freshForMs }))
    .use(createMetricsEndpoint(metrics))
    .use(createOpenapi(manifest.version, site))
  return app
}

/** Reads the list once, so that later requests are answered from memory. Logs failures instead of throwing. */
export async function warmUp(client: Client, log: Log): Promise<void> {
  try {
    const at = await client.snapshot()
    const readings = await at.listReadings()
    log.info({ stateRootHash: at.stateRootHash, feeds: readings.length }, 'warmed up')
  } catch (error) {
    const hint = outOfReachHint(error)
    const fields = { err: describeError(error), ...(hint !== null && { hint }) }
    log.warn(fields, 'warm-up failed; retrying on the first request')
  }
}
