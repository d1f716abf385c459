import { runKeepAliveLoad } from './keepAliveLoad.ts'
import { runWrk } from './wrk.ts'

/** Result of a load run. */
export interface Load {
  perSecond: number
  p50Ms: number
  p99Ms: number
  /** Answers that were not 2xx. */
  failures: number
}

export interface LoadOptions {
  url: string
  connections: number
  seconds: number
  headers?: Record<string, string>
}

/** The load generator: wrk if installed. */
export const generator: string = Bun.which('wrk') === null ? 'built-in keep-alive client' : 'wrk'

/** Requests one URL repeatedly, one request at a time on each connection. wrk cannot run for less than a second. */
export function runLoad(options: LoadOptions): Promise<Load> {
  return generator === 'wrk' && options.seconds >= 1 ? runWrk(options) : runKeepAliveLoad(options)
}
