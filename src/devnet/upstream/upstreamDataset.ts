import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A row with all of its dataset's columns, their units and its facets. */
export type UpstreamRow = Record<string, string | null>

/** A dataset of the loopback API: a file of `fixtures/eia`, which holds bodies as EIA sends them. */
export interface UpstreamDataset {
  readonly route: string
  /** Answer to `/v2/{route}`. */
  readonly metadata: {
    readonly response: {
      readonly frequency: readonly { readonly id: string }[]
      readonly facets: readonly { readonly id: string }[]
      /** By column. */
      readonly data: Readonly<Record<string, unknown>>
      readonly defaultFrequency: string
    }
  }
  /** Answers to `/v2/{route}/facet/{id}`, by id. */
  readonly facets: Readonly<Record<string, unknown>>
  /** Answer to `/v2/{route}/data` with all rows, all of one frequency. */
  readonly data: {
    readonly response: {
      readonly dateFormat: string
      readonly frequency: string
      readonly data: readonly UpstreamRow[]
      readonly description: string
    }
  }
}

const folder = fileURLToPath(new URL('../../../fixtures/eia/', import.meta.url))

/** Reads the datasets of the repository's fixtures. */
export function readUpstreamDatasets(): UpstreamDataset[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return files.sort().map((name): UpstreamDataset => JSON.parse(readFileSync(`${folder}${name}`, 'utf8')))
}
