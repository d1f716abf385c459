/** Serves a snapshot as EIA's API, and prints how long its pages take as JSON. Argument: the folder that has the snapshot by its root. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { datasetFeedId, MANIFEST, parseManifest } from '@wattfeed/dataset'
import { folderFiles } from '@wattfeed/dataset/disk'
import { datasetFeed, rootOf } from 'wattfeed/testing/datasetSnapshot'
import { localClient } from 'wattfeed/testing/localClient'
import { createSyntheticChain } from 'wattfeed/testing/syntheticChain'
import { createApp } from '../../src/server/app.ts'
import { createMetrics } from '../../src/server/metrics.ts'
import { inventedSeries } from '../inventedDataset.ts'
import { runKeepAliveLoad } from '../keepAliveLoad.ts'
import type { Load } from '../load.ts'
import { peakMegabytes } from '../rss.ts'

/** Figures of EIA's API from one snapshot. */
export interface EiaMeasurement {
  values: number
  /** By the place of the page: milliseconds of the first answer, and of each later one. */
  pages: Record<string, { firstMs: number; laterMs: number[] }>
  /** The newest 24 values of one series, from a client in the same process. */
  usual: Load
  /** Highest resident memory of the process, in MB (10^6 bytes). */
  maxRssMb: number
}

const LIMIT = 5_000
const ROUNDS = 10
const CONNECTIONS = 8
const [, , folder = '', seconds = '1'] = process.argv

const [root = ''] = readdirSync(folder).filter((name) => /^[0-9a-f]{64}$/.test(name))
const manifest = parseManifest(await Bun.file(join(folder, root, MANIFEST)).text())
const { route, frequency, size } = manifest
const chain = createSyntheticChain()
const feedId = datasetFeedId(route, frequency)
chain.register(feedId, datasetFeed(manifest))
chain.attest(feedId, rootOf(manifest))
chain.advance()
const files = folderFiles(folder)
const ignore = () => {}
const app = createApp({
  client: localClient(chain).client,
  metrics: createMetrics(),
  log: { info: ignore, warn: ignore, error: ignore },
  // The folder has the snapshots of one feed.
  datasets: [{ read: (path, maxBytes) => files.read(path.slice(path.indexOf('/') + 1), maxBytes) }],
})
const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => app.handle(request) })
const data = `http://127.0.0.1:${server.port}/eia/v2/${route}/data?frequency=${frequency}&data[]=value`

async function measure(query: string) {
  const times: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const from = performance.now()
    const response = await fetch(`${data}${query}`)
    const { response: found } = Object(await response.json())
    times.push(performance.now() - from)
    if (found?.total !== String(size) || found.data.length !== Math.min(LIMIT, size))
      throw new Error('rows are missing')
  }
  const [firstMs = 0, ...laterMs] = times
  return { firstMs, laterMs }
}

const last = Math.max(0, size - 2 * LIMIT)
const pages = {
  'without an order, from 0': await measure(''),
  [`without an order, from ${last}`]: await measure(`&offset=${last}`),
  [`oldest first, from ${last}`]: await measure(`&sort[0][column]=period&offset=${last}`),
}
const { facets } = inventedSeries.query(7, 0)
const pinned = Object.entries(facets).map(([id, code]) => `&facets[${id}][]=${code}`)
const usual = await runKeepAliveLoad({
  url: `${data}${pinned.join('')}&sort[0][column]=period&sort[0][direction]=desc&length=24`,
  ...{ connections: CONNECTIONS, seconds: Number(seconds) },
})
const measurement: EiaMeasurement = { values: size, pages, usual, maxRssMb: await peakMegabytes(process.pid) }
console.log(JSON.stringify(measurement))
await server.stop(true)
