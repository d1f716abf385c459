import type { EiaClient } from '../../eia/createEiaClient.ts'

/** What the feeds commands ask EIA. */
export type EiaReads = Pick<EiaClient, 'listNewestRows' | 'listFacetValues'>

/** Asks EIA the same only once: feeds share datasets, and every request counts against the key's limit. */
export function createEiaReads(eia: EiaReads): EiaReads {
  return {
    listNewestRows: once((series, options) => eia.listNewestRows(series, options)),
    listFacetValues: once((route, facet, signal) => eia.listFacetValues(route, facet, signal)),
  }
}

/** What failed is asked again. */
function once<Args extends unknown[], T>(read: (...args: Args) => Promise<T>): (...args: Args) => Promise<T> {
  const known = new Map<string, Promise<T>>()
  return (...args) => {
    const key = JSON.stringify(args)
    const found = known.get(key) ?? read(...args)
    known.set(key, found)
    found.catch(() => known.delete(key))
    return found
  }
}
