import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { type ChainInProcess, localClient } from 'wattfeed/testing/localClient'
import { type AppOptions, createApp } from '../../../../src/server/app.ts'
import { type Listener, listen } from '../../../../src/server/listen.ts'
import { createMetrics } from '../../../../src/server/metrics.ts'
import { createTestLog, type LoggedLine } from '../../../server/testApp.ts'

/** A server for pages to open. */
export interface Site extends AsyncDisposable {
  /** `http://127.0.0.1:4030` */
  readonly origin: string
  readonly log: readonly LoggedLine[]
  /** What the node answers from now on. */
  answerWith(answer: AnswerRpc): void
  /** Stops listening, as a server that is killed. */
  stop(): Promise<void>
  /** Listens again on the same port. */
  restart(): void
}

export type SiteOptions = Partial<Pick<AppOptions, 'network' | 'publicUrl' | 'now'>>

const HOST = '127.0.0.1'

/**
 * Starts the server of this source on a chain in this process.
 *
 * @example
 * ```ts
 * await using site = await startSite(await createRegistryChain({ feeds: 3 }))
 * const { page } = await openPage(`${site.origin}/`)
 * ```
 */
export async function startSite(chain: ChainInProcess, options: SiteOptions = {}): Promise<Site> {
  const { client, answerWith } = localClient(chain)
  const { log, lines } = createTestLog()
  const { fetch } = createApp({ client, network: chain, metrics: createMetrics(), log, ...options })
  const start = (port: number): Listener => listen({ fetch, port, host: HOST, deadlineMs: 120_000 })
  let listener = start(0)
  const { port } = listener
  return {
    origin: `http://${HOST}:${port}`,
    log: lines,
    answerWith,
    stop: () => listener.close(),
    restart() {
      listener = start(port)
    },
    [Symbol.asyncDispose]: () => listener.close(),
  }
}
