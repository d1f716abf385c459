import { cacheRead } from '@wattfeed/base'
import type { EiaClient } from '@wattfeed/eia'

export type EiaReads = Pick<EiaClient, 'inspectSeries' | 'listFacetValues'>

/** Sends each request once: feeds share datasets, and every request counts against the key's limit. */
export function cacheEiaReads(eia: EiaReads): EiaReads {
  return {
    inspectSeries: cache((series, options) => eia.inspectSeries(series, options)),
    listFacetValues: cache((route, facet, signal) => eia.listFacetValues(route, facet, signal)),
  }
}

/** Caches by arguments; a failure is not cached. */
function cache<Args extends unknown[], T>(
  read: (...args: Args) => Promise<T>,
): (...args: Args) => Promise<T> {
  const known = new Map<string, Promise<T>>()
  return (...args) => cacheRead(known, JSON.stringify(args), () => read(...args))
}
