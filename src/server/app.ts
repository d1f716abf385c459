import type { SnapshotFiles } from '@wattfeed/dataset'
import { type AnyElysia, Elysia } from 'elysia'
import type { RenderPicture } from '../web/chart/renderPicture.ts'
import { calendar } from './calendar/plugin.ts'
import { type Catalog, datasets } from './datasets/plugin.ts'
import { discovery } from './discovery/plugin.ts'
import { docs } from './docs/plugin.ts'
import { eia } from './eia/plugin.ts'
import { embed } from './embed/plugin.ts'
import { errors } from './errors/plugin.ts'
import { explorer } from './explorer/plugin.ts'
import { feeds } from './feeds/plugin.ts'
import { health } from './health/plugin.ts'
import { history } from './history/plugin.ts'
import { everyRequest } from './http/everyRequest.ts'
import { createEndpointOf } from './http/paths.ts'
import type { McpSettings } from './mcp/handler.ts'
import { mcp } from './mcp/plugin.ts'
import { proof } from './proof/plugin.ts'
import { provenance } from './provenance/plugin.ts'
import { AttestedTables } from './readers/attestedTables.ts'
import { createHistoryReaders } from './readers/historyReaders.ts'
import { createNewestValues } from './readers/newestValues.ts'
import { seriesReaderOf } from './readers/seriesReader.ts'
import { series } from './series/plugin.ts'
import { seriesTable } from './series/seriesTable.ts'
import { createServer, type ServerOptions } from './server.ts'
import { status } from './status/plugin.ts'
import type { StreamHub } from './stream/hub.ts'
import { stream } from './stream/plugin.ts'

/** The defaults of what only one feature needs are with the feature. */
export interface AppOptions extends ServerOptions {
  /** Where snapshots of datasets are; none turns their endpoints off. @default [] */
  datasets?: readonly SnapshotFiles[]
  /** Size of the history cache, in MB. @default 64 */
  historyCacheMb?: number
  /** Maximum number of calls to nodes in flight. @default 128 */
  concurrency?: number
  catalog?: Catalog
  /** Maximum age of a state root that `/ready` reports as fresh, in milliseconds. */
  freshForMs?: number
  mcp?: McpSettings
  renderPicture?: RenderPicture
  streams?: StreamHub
}

/** Creates the server's HTTP interface, for `app.handle(request)` or `listen`. The API's documentation has the endpoints in this order. */
export function createApp(options: AppOptions): AnyElysia {
  const { datasets: places = [], historyCacheMb: cacheMb = 64, concurrency = 128 } = options
  const server = createServer(options)
  const endpointOf = createEndpointOf(() =>
    app.routes.filter(({ method }) => method !== 'OPTIONS').map(({ path }) => path),
  )
  // Each of these keeps what it has read, and limits the reads of all requests. So there is one for the features that read through it.
  const histories = createHistoryReaders(server, { cacheMb, concurrency })
  const newest = createNewestValues(server.client)
  const seriesReader = seriesReaderOf(server.client, places)
  const tables = places.length === 0 ? null : new AttestedTables(places)
  // `standardHostname`: otherwise the router assumes that the path starts after the 11th character of the URL, which fails for
  // short hosts. `normalize`: otherwise Elysia strips and reorders fields instead of reporting them.
  const app: AnyElysia = new Elysia({
    name: 'wattfeed',
    normalize: false,
    handler: { standardHostname: false },
  })
    .use(everyRequest(server, endpointOf))
    .use(errors(server, endpointOf))
    .use(explorer(server, seriesReader))
    .use(docs(server))
    .use(feeds(server, histories))
    .use(proof(server))
    .use(provenance(server))
    .use(history(server, histories))
    .use(embed(server, histories, seriesReader, options.renderPicture))
    .use(status(server, newest))
    .use(calendar(server, newest))
    .use(stream(server, options.streams))
    .use(datasets(options))
    .use(series(server, seriesReader))
    .use(seriesTable(server, tables))
    .use(eia(server, tables, places))
    .use(discovery(server))
    .use(mcp(server, { ...histories, series: seriesReader }, options.mcp))
    .use(health(server, options.freshForMs))
  return app
}
