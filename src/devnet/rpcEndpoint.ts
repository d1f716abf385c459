import { refusalStatus } from './refusalStatus.ts'
import { type AnswerRpc, answerRpcText, missingIdText } from './rpcAnswer.ts'

export interface RpcEndpointOptions {
  answer: AnswerRpc
  /** @default 0, which takes a free one */
  port?: number
}

export interface RpcEndpoint extends AsyncDisposable {
  /** Where the endpoint listens: `http://127.0.0.1:40123/rpc`. */
  url: string
  stop(): Promise<void>
}

/**
 * Serves a node's answers over HTTP as casper-node does: `POST /rpc` with `application/json`.
 *
 * @example
 * ```ts
 * await using endpoint = startRpcEndpoint({ answer: () => ({ result: 'hello' }) })
 * await fetch(endpoint.url, { method: 'POST', headers, body })
 * ```
 */
export function startRpcEndpoint(options: RpcEndpointOptions): RpcEndpoint {
  const { answer, port = 0 } = options
  const server = Bun.serve({ port, hostname: '127.0.0.1', fetch: (request) => respond(request, answer) })
  const stop = (): Promise<void> => server.stop(true)
  return { url: `http://127.0.0.1:${server.port}/rpc`, stop, [Symbol.asyncDispose]: stop }
}

async function respond(request: Request, answer: AnswerRpc): Promise<Response> {
  const { url, method, headers } = request
  const path = new URL(url).pathname
  const status = refusalStatus({ path, method, contentType: headers.get('content-type') })
  if (status !== null) return new Response(null, { status })
  const text = await answerRpcText(await request.text(), answer)
  return text === null ? jsonResponse(missingIdText, 400) : jsonResponse(text)
}

function jsonResponse(body: string, status = 200): Response {
  return new Response(body, { status, headers: { 'content-type': 'application/json' } })
}
