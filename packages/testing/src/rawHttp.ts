import type { Socket } from 'node:net'

/** An HTTP request as received. */
export interface RawRequest {
  /** Request line and headers. */
  head: string
  body: string
}

/**
 * Calls `onRequest` with each request of a connection. Supports only what a JSON-RPC client sends: a head and a body of
 * `Content-Length` bytes.
 */
export function readRequests(socket: Socket, onRequest: (request: RawRequest) => void): void {
  let received = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    for (let end = endOfRequest(received); end !== null; end = endOfRequest(received)) {
      const head = received.subarray(0, end.bodyStart).toString('latin1')
      onRequest({ head, body: received.subarray(end.bodyStart, end.bodyEnd).toString() })
      received = received.subarray(end.bodyEnd)
    }
  })
}

/** Writes a whole HTTP response. */
export function writeResponse(
  socket: Socket,
  body: string,
  options: { status?: number; headers?: Record<string, string> } = {},
): void {
  const { status = 200, headers = {} } = options
  const length = { 'content-length': String(Buffer.byteLength(body)) }
  socket.write(responseHead(status, { 'content-type': 'application/json', ...length, ...headers }) + body)
}

/** Returns the head of an HTTP response, including the empty line. */
export function responseHead(status: number, headers: Record<string, string>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} Status\r\n${lines.join('')}\r\n`
}

function endOfRequest(received: Buffer): { bodyStart: number; bodyEnd: number } | null {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return null
  const head = received.subarray(0, headEnd).toString('latin1')
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
  const bodyStart = headEnd + 4
  return received.length < bodyStart + length ? null : { bodyStart, bodyEnd: bodyStart + length }
}
