import { listen } from '../../../src/server/listen.ts'
import { inventDataset, inventLeaves, ROUTE } from '../series/inventedDataset.ts'
import { createTestApp } from '../testApp.ts'

/** A server with a feed, its history, and the series of a dataset, for generated clients. */
export interface ClientServer extends AsyncDisposable {
  readonly url: string
  /** The OpenAPI document. */
  readonly document: string
  /** The names of all operations. */
  readonly operationIds: readonly string[]
  readonly feedId: string
  /** The query of a series, with the parameters of its facets. */
  readonly series: {
    readonly query: Readonly<Record<string, string>>
    readonly facets: Readonly<Record<string, string>>
  }
}

export async function startClientServer(): Promise<ClientServer> {
  const dataset = await inventDataset([inventLeaves([null, 'EPCWTI'], 3)])
  const { client, feedId, place } = dataset
  const app = createTestApp({ client, datasets: [place] })
  const listener = listen({ fetch: app.fetch, host: '127.0.0.1', port: 0, deadlineMs: 60_000 })
  const url = `http://127.0.0.1:${listener.port}`
  const document = await (await fetch(`${url}/openapi/json`)).text()
  const paths: Record<string, { get: { operationId: string } }> = JSON.parse(document).paths
  return {
    url,
    document,
    operationIds: Object.values(paths).map(({ get }) => get.operationId),
    feedId,
    series: {
      query: { route: ROUTE, frequency: 'weekly', column: 'value' },
      facets: { 'facet.area': 'NUS', 'facet.product': '' },
    },
    async [Symbol.asyncDispose]() {
      await listener.close()
      dataset[Symbol.dispose]()
    },
  }
}
