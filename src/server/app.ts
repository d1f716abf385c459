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
import { everyRequest } from './http/everyRequest.ts'
import { createEndpointOf } from './http/paths.ts'
import { mcp } from './mcp/plugin.ts'
import { proof } from './proof/plugin.ts'
import { provenance } from './provenance/plugin.ts'
import { series } from './series/plugin.ts'
import { type AppOptions, createServer } from './server.ts'
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
