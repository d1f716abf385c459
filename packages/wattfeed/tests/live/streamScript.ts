import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { readRequests, responseHead } from '@wattfeed/testing/rawHttp'

/** One request, with the socket for the test's answer. */
export interface Exchange {
  /** Path and query. */
  readonly target: string
  readonly headers: Headers
  readonly socket: Socket
  /** Resolves when the client has closed the connection. */
  readonly closed: Promise<unknown>
}

/** A server that answers each request with the next step of a script; the last step repeats. */
export async function startScriptedServer(...script: ((exchange: Exchange) => unknown)[]) {
  const sockets = new Set<Socket>()
  const exchanges: Exchange[] = []
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    const closed = new Promise((resolve) => socket.once('close', resolve)).then(() => sockets.delete(socket))
    readRequests(socket, ({ head }) => {
      const [first = '', ...lines] = head.split('\r\n')
      const headers = new Headers(lines.filter((line) => line !== '').map(splitHeader))
      const exchange = { target: first.split(' ')[1] ?? '', headers, socket, closed }
      const step = script[Math.min(exchanges.push(exchange), script.length) - 1]
      step?.(exchange)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    /** The requests, in order. */
    targets: () => exchanges.map(({ target }) => target),
    /** Breaks the newest connection. A runtime may drop data that the client has not read by then. */
    cut: () => void exchanges.at(-1)?.socket.end(),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function splitHeader(line: string): [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon), line.slice(colon + 1).trim()]
}

const streamHead = responseHead(200, {
  'content-type': 'text/event-stream; charset=utf-8',
  'transfer-encoding': 'chunked',
  'access-control-allow-origin': '*',
})

/** Starts an event stream. */
export function begin({ socket }: Exchange): void {
  socket.setNoDelay(true)
  socket.write(streamHead)
}

/** Sends a part of a stream as one chunk. */
export function send({ socket }: Pick<Exchange, 'socket'>, part: string | Uint8Array): void {
  const bytes = Buffer.from(part as string)
  if (bytes.length > 0)
    socket.write(Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]))
}

/** Ends a stream properly. */
export const end = ({ socket }: Exchange): void => void socket.end('0\r\n\r\n')

/** Answers with a stream of these parts, which then stays open and silent. */
export const stream =
  (...parts: (string | Uint8Array)[]) =>
  (exchange: Exchange): void => {
    begin(exchange)
    for (const part of parts) send(exchange, part)
  }

/** Answers without a stream, and closes. */
export const answer =
  (status: number, headers: Record<string, string> = {}, body = '') =>
  ({ socket }: Exchange): void => {
    const length = String(Buffer.byteLength(body))
    socket.end(responseHead(status, { 'content-length': length, connection: 'close', ...headers }) + body)
  }

/** The position after this number of attestations. */
export const positionOf = (count: number): string =>
  `0f3c9a1e-7b2d4c88-${count === 0 ? '00000000' : (count * 2_654_435).toString(16).padStart(8, '0').slice(-8)}.f1.a${count}`

/** The attestation with this index, as JSON. Its texts have characters of two to four bytes. */
export const dataOf = (index: number) => ({
  feed_id: 'TEST.FEED',
  decimals: 2,
  unit: '€/bbl',
  title: 'Preis — 価格 🛢️',
  source: 'EIA',
  route: 'petroleum/pri/spt',
  frequency: 'daily',
  description: '',
  value: index / 100,
  amount: String(index),
  period: 20_261_101,
  source_hash: 'ab'.repeat(16),
  updated_at: 1_780_000_000_000 + index,
  index,
  log: 'AttestationRegistry',
  log_index: index,
  state_root_hash: 'cd'.repeat(32),
})

/** The block of the attestation with this index. */
export const attested = (index: number, newline = '\n'): string =>
  [`event: attested`, `id: ${positionOf(index + 1)}`, `data: ${JSON.stringify(dataOf(index))}`, '', ''].join(
    newline,
  )

/** The item of the attestation with this index. */
export const itemOf = (index: number) => ({
  event: 'attested',
  position: positionOf(index + 1),
  data: { ...dataOf(index), amount: BigInt(index) },
})
