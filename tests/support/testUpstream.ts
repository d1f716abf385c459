import { type EiaServer, type EiaServerOptions, startEiaServer } from '@wattfeed/eia/testing/eiaServer'
import { createUpstream, type Upstream } from '../../src/demo/standIn/upstream.ts'

/** The demo's EIA API, which counts requests and fails on demand. */
export type TestUpstream = Upstream & EiaServer

/** Starts the demo's EIA API on loopback, with the rows of `fixtures/eia`. */
export function startTestUpstream(options: EiaServerOptions = {}): TestUpstream {
  const upstream = createUpstream()
  return { ...upstream, ...startEiaServer(upstream.api, options) }
}
