import type { Client } from '../../src/client/index.ts'
import { createApp } from '../../src/server/app.ts'
import { createMetrics } from '../../src/server/metrics.ts'

/** The server's answer to a request. */
export interface HttpAnswer {
  status: number
  body: unknown
}

/** The server around a client, without a socket. */
export interface TestApp {
  get(path: string): Promise<HttpAnswer>
  /** Returns the log as lines of JSON. */
  log(): string
}

/**
 * @example
 * ```ts
 * const app = appOf(clientOf(chain, [node.url]))
 * expect(await app.get('/v1/feeds')).toEqual({ status: 200, body: … })
 * ```
 */
export function appOf(client: Client): TestApp {
  const lines: string[] = []
  const write = (fields: object, message: string): void => {
    lines.push(JSON.stringify({ ...fields, message }))
  }
  const app = createApp({ client, metrics: createMetrics(), log: { info: write, warn: write, error: write } })
  return {
    async get(path) {
      const response = await app.handle(new Request(`http://localhost${path}`))
      return { status: response.status, body: await response.json() }
    },
    log: () => lines.join('\n'),
  }
}
