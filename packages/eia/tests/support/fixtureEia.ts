import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { MAX_PAGE_ROWS } from '@wattfeed/eia'
import type { UpstreamDataset } from '../../src/answerEia.ts'
import { type EiaServer, type EiaServerOptions, startEiaServer } from './eiaServer.ts'

const folder = fileURLToPath(new URL('../../../../fixtures/eia/', import.meta.url))

/** The datasets in `fixtures/eia`. */
export const fixtureDatasets: readonly UpstreamDataset[] = readdirSync(folder).map((name) =>
  JSON.parse(readFileSync(`${folder}${name}`, 'utf8')),
)

/** Starts an EIA API on loopback, with the rows of `fixtures/eia`. */
export function startFixtureEia(options: EiaServerOptions = {}): EiaServer {
  const datasets = new Map(fixtureDatasets.map((dataset) => [dataset.route, dataset]))
  const rows = new Map(fixtureDatasets.map(({ route, data }) => [route, data.response.data]))
  return startEiaServer({ datasets, rows, apiKey: null, maxRows: MAX_PAGE_ROWS }, options)
}
