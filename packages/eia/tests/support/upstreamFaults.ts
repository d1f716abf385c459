import { answerWith, type UpstreamFault } from './eiaServer.ts'

/** HTTP 429. @param retryAfter - the header's value; null omits it */
export const throttled = (retryAfter: string | null): UpstreamFault =>
  answerWith('{"error":{"code":"OVER_RATE_LIMIT","message":"You have exceeded your rate limit."}}', {
    status: 429,
    headers: retryAfter === null ? {} : { 'retry-after': retryAfter },
  })

/** Accepts the request and never answers. */
export const hang: UpstreamFault = () => new Promise(() => {})

const BEGINNING = '{"response":{"total":"1","data":[{"period":'

/** Starts the body and never ends it. */
export const hangInBody: UpstreamFault = () =>
  answerInPieces((body, sent) => (sent === 0 ? body.enqueue(encode(BEGINNING)) : new Promise(() => {})))

/** Closes the connection in the middle of the body. */
export const cutOff: UpstreamFault = () =>
  // Not with an error, which the server would print.
  answerInPieces((body, sent) => (sent === 0 ? body.enqueue(encode(BEGINNING)) : body.error(null)))

/** Sends an endless body, as fast as the client reads it. */
export const endlessBody: UpstreamFault = () => {
  const piece = encode('a'.repeat(2 ** 16))
  return answerInPieces((body) => body.enqueue(piece))
}

type Body = ReadableStreamDefaultController<Uint8Array>

/** @param send - sends the next piece of the body, given the number of earlier pieces */
function answerInPieces(send: (body: Body, sent: number) => void | Promise<void>): Response {
  let sent = 0
  const stream = new ReadableStream<Uint8Array>({ pull: (body) => send(body, sent++) })
  return new Response(stream, { headers: { 'content-type': 'application/json' } })
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
