import type { SnapshotFiles } from '@wattfeed/dataset'
import { type Dataset, datasets, searchDatasets } from '@wattfeed/eia/catalog'
import { type Client, casperTest, type Network } from 'wattfeed'
import type { Log } from '../runtime/log.ts'
import { nodeHint } from '../runtime/nodeHint.ts'
import { type RenderPicture, renderPicture as renderOneByOne } from '../web/chart/renderPicture.ts'
import { type AnswerAt, createAnswerAt } from './answerAt.ts'
import { loggedError } from './errorAnswer.ts'
import { formatCacheControl } from './http/headers.ts'
import type { McpLimits } from './mcp/callLimits.ts'
import { type Metrics, registerStatusGauges } from './metrics.ts'
import { describeSite, type PublicSite } from './publicSite.ts'
import { createHistoryReaders, type HistoryReaders } from './readers/historyReaders.ts'
import { createNewestValues, type NewestValuesReader } from './readers/newestValues.ts'
import { type SeriesReader, seriesReaderOf } from './readers/seriesReader.ts'
import { loopbackHosts } from './settings.ts'
import { createStreamHub, type StreamHub } from './stream/hub.ts'

export interface Catalog {
  readonly datasets: readonly Dataset[]
  /** Returns the datasets whose route starts with `family` and that contain all words of `q`. An empty string does not filter. */
  searchDatasets(filter: { family: string; q: string }): readonly Dataset[]
}

export const builtInCatalog: Catalog = { datasets, searchDatasets }

export interface McpSettings {
  /** Host names that a request may have in Host. */
  allowedHosts: readonly string[]
  /** Host names that a request may have in Origin. Programs other than browsers send none. */
  allowedOrigins: readonly string[]
  limits?: McpLimits | undefined
}

/** What the endpoints of one server share. */
export interface Server extends HistoryReaders {
  readonly client: Client
  /** The chain and registries that the client reads. */
  readonly network: Omit<Network, 'rpcUrls'>
  readonly metrics: Metrics
  readonly log: Log
  readonly catalog: Catalog
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Maximum age of a state root that `/ready` reports as fresh, in milliseconds. */
  readonly freshForMs: number
  /** A notice above every page of the explorer and the documentation. */
  readonly notice: string | null
  readonly site: PublicSite
  /** Of responses of the chain and the catalog. */
  readonly cacheControl: string
  readonly answerAt: AnswerAt
  readonly newest: NewestValuesReader
  readonly streams: StreamHub
  /** Null if the server has no snapshots of datasets. */
  readonly series: SeriesReader | null
  /** The settings of `POST /mcp`. */
  readonly mcp: McpSettings
  readonly renderPicture: RenderPicture
}

export interface AppOptions
  extends Pick<Server, 'client' | 'metrics' | 'log'>,
    Partial<
      Pick<
        Server,
        'network' | 'catalog' | 'now' | 'freshForMs' | 'notice' | 'streams' | 'mcp' | 'renderPicture'
      >
    > {
  /** How long caches may reuse responses of the chain and the catalog, in seconds; with 0 they revalidate each time. @default 0 */
  cacheMaxAgeS?: number
  /** Size of the history cache, in MB. @default 64 */
  historyCacheMb?: number
  /** The origin under which people reach this server, without a slash at the end. @default unknown */
  publicUrl?: string | null
  /** Where snapshots of datasets are; none turns their endpoints off. @default [] */
  datasets?: readonly SnapshotFiles[]
  /** Maximum number of calls to nodes in flight. @default 128 */
  concurrency?: number
}

/** Creates what the endpoints share. Without settings, they read the public test network and answer this machine. */
export function createServer(options: AppOptions): Server {
  const {
    client,
    metrics,
    log,
    network = casperTest,
    catalog = builtInCatalog,
    now = Date.now,
    freshForMs = 10_000,
    cacheMaxAgeS = 0,
    historyCacheMb: cacheMb = 64,
    notice = null,
    publicUrl = null,
    concurrency = 128,
    datasets: places = [],
    streams = createStreamHub({ client, metrics, log, now }),
    mcp = { allowedHosts: loopbackHosts, allowedOrigins: loopbackHosts },
    renderPicture = (task) => renderOneByOne(task),
  } = options
  registerStatusGauges(metrics, client.status, now)
  const cacheControl = formatCacheControl(cacheMaxAgeS)
  return {
    client,
    network,
    metrics,
    log,
    catalog,
    now,
    freshForMs,
    notice,
    site: describeSite(publicUrl, network.chainName),
    cacheControl,
    answerAt: createAnswerAt(client, metrics, cacheControl),
    ...createHistoryReaders({ client, metrics, log }, { cacheMb, concurrency }),
    newest: createNewestValues(client),
    streams,
    series: seriesReaderOf(client, places),
    mcp,
    renderPicture,
  }
}

/** Reads the list once, so that later requests are answered from memory. Logs failures instead of throwing. */
export async function warmUp(client: Client, log: Log): Promise<void> {
  try {
    const at = await client.snapshot()
    const readings = await at.listReadings()
    log.info({ stateRootHash: at.stateRootHash, feeds: readings.length }, 'warmed up')
  } catch (error) {
    const hint = nodeHint(error)
    const fields = { err: loggedError(error), ...(hint !== null && { hint }) }
    log.warn(fields, 'warm-up failed; retrying on the first request')
  }
}
