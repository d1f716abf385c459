import { localClient } from 'wattfeed/testing/localClient'
import type { SyntheticChain } from 'wattfeed/testing/syntheticChain'
import { listen } from '../../../src/server/listen.ts'
import { createMetrics } from '../../../src/server/metrics.ts'
import { createStreamHub } from '../../../src/server/stream/hub.ts'
import { createTestApp, createTestLog } from '../../server/testApp.ts'

/** A server in this process that records its requests. */
export interface RecordingServer extends AsyncDisposable {
  readonly port: number
  /** The requests so far, without those for `/ready`. */
  readonly requests: Request[]
  /** Holds back every answer until the returned function is called. */
  hold(): () => void
  /** Closes its port and every connection, like a dying process. */
  die(): Promise<void>
}

/** Interval between polls of the chain while a stream is open. */
const POLL_MS = 20

/** Starts a server of the chain on a free port. */
export function startServer(chain: SyntheticChain, { cacheMaxAgeS = 0 } = {}): RecordingServer {
  const { client } = localClient(chain)
  const metrics = createMetrics()
  const { log } = createTestLog()
  const streams = createStreamHub({ client, metrics, log, pollMs: POLL_MS })
  const app = createTestApp({ client, metrics, log, streams, cacheMaxAgeS })
  const requests: Request[] = []
  let held: Promise<void> | null = null
  const listener = listen({
    async fetch(request) {
      if (new URL(request.url).pathname === '/ready') return app.fetch(request)
      requests.push(request)
      await held
      return app.fetch(request)
    },
    port: 0,
    host: '127.0.0.1',
    deadlineMs: 10_000,
  })
  const die = async (): Promise<void> => {
    streams.stop()
    await listener.close()
  }
  return {
    port: listener.port,
    requests,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = promise
      return resolve
    },
    die,
    [Symbol.asyncDispose]: die,
  }
}
