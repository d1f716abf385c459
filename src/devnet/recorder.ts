import type { Fetch } from '../casper/rpc/postJson.ts'
import { canonicalCall, member } from './canonicalCall.ts'
import type { Exchange } from './exchange.ts'
import type { RpcAnswer } from './rpcAnswer.ts'

/** A `fetch` that keeps every exchange that passes through it. */
export interface Recorder {
  fetch: Fetch
  /** In the order in which they were first asked. Of a question that was asked twice, the last answer. */
  exchanges(): Exchange[]
}

/**
 * @param noteOf What a call reads, in words, where that is known.
 *
 * @example
 * ```ts
 * const recorder = createRecorder(fetch, () => undefined)
 * const client = createClient({ fetch: recorder.fetch })
 * await client.listReadings()
 * recorder.exchanges()
 * ```
 */
export function createRecorder(
  fetch: Fetch,
  noteOf: (method: string, params: unknown) => string | undefined,
): Recorder {
  const exchanges = new Map<string, Exchange>()
  return {
    async fetch(url, init) {
      const response = await fetch(url, init)
      const exchange = readExchange(init.body, response.status, await response.clone().text())
      if (exchange === null) return response
      const note = noteOf(exchange.method, exchange.params)
      const call = canonicalCall(exchange.method, exchange.params, '')
      exchanges.set(call, note === undefined ? exchange : { ...exchange, note })
      return response
    },
    exchanges: () => [...exchanges.values()],
  }
}

/** `null` where a node did not answer as nodes do. */
function readExchange(request: unknown, status: number, reply: string): Exchange | null {
  const [asked, answered] = [parse(request), parse(reply)]
  const method = member(asked, 'method')
  const answer = answerIn(answered)
  if (typeof method !== 'string' || answer === null) return null
  return { method, params: member(asked, 'params'), status, ...answer }
}

function answerIn(reply: unknown): RpcAnswer | null {
  const error = member(reply, 'error')
  const [code, message] = [member(error, 'code'), member(error, 'message')]
  if (typeof code === 'number' && typeof message === 'string')
    return { error: { code, message, data: member(error, 'data') } }
  return member(reply, 'result') === undefined ? null : { result: member(reply, 'result') }
}

function parse(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return null
  }
}
