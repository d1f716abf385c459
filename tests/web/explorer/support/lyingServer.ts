/** Answers in a server's place, or null to let it answer itself. */
export type Lie = (path: string) => Response | Promise<Response> | null

/** A server that hands on what another one answers, except for its lies. */
export interface LyingServer extends Disposable {
  /** `http://127.0.0.1:40123` */
  readonly origin: string
  /** How it lies from now on. */
  lieWith(lie: Lie): void
}

const HOST = '127.0.0.1'

/**
 * Starts a server that lies about another one.
 *
 * @example
 * ```ts
 * using liar = startLyingServer(server.url)
 * liar.lieWith((path) => (path.endsWith('/proof') ? Response.json(tampered) : null))
 * ```
 */
export function startLyingServer(origin: string): LyingServer {
  let lie: Lie = () => null
  const server = Bun.serve({
    hostname: HOST,
    port: 0,
    idleTimeout: 0,
    fetch: async (request) => (await lie(new URL(request.url).pathname)) ?? handOn(request, origin),
  })
  return {
    origin: `http://${HOST}:${server.port}`,
    lieWith(given) {
      lie = given
    },
    [Symbol.dispose]: () => void server.stop(true),
  }
}

async function handOn(request: Request, origin: string): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  const headers = { accept: request.headers.get('accept') ?? '*/*', 'accept-encoding': 'identity' }
  const answer = await fetch(`${origin}${pathname}${search}`, { headers })
  return new Response(answer.body, { status: answer.status, headers: answer.headers })
}
