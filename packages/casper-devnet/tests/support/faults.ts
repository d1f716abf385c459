import type { Socket } from 'node:net'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { memberAt } from '@wattfeed/base'
import { noSuchStateRoot, type RpcAnswer } from '@wattfeed/casper-devnet'
import { responseHead, writeResponse } from '@wattfeed/testing/rawHttp'

/** A call for a fault to answer. */
export interface FaultyCall {
  id: unknown
  /** Request line and headers. */
  head: string
  method: string
  /** The honest answer. */
  answer: RpcAnswer
  socket: Socket
  /** Marks the answer as one that the client must abandon. */
  leaveUnfinished: () => void
  /** Counts bytes of an endless answer. */
  onBytesSent: (bytes: number) => void
}

/** Answers a call, usually badly. */
export type Fault = (call: FaultyCall) => void

const json = (call: FaultyCall, answer: unknown, id = call.id): void =>
  writeResponse(call.socket, JSON.stringify({ jsonrpc: '2.0', id, ...Object(answer) }))

/** No fault: the honest answer. */
export const honest: Fault = (call) => json(call, call.answer)

export const http500: Fault = ({ socket }) => writeResponse(socket, '{"error":"boom"}', { status: 500 })

/** @param retryAfter value of the header, in seconds or as a date; null omits it */
export const http429 =
  (retryAfter: string | null): Fault =>
  ({ socket }) =>
    writeResponse(socket, 'slow down', {
      status: 429,
      headers: {
        'content-type': 'text/plain',
        ...(retryAfter === null ? {} : { 'retry-after': retryAfter }),
      },
    })

export const html: Fault = ({ socket }) =>
  writeResponse(socket, '<html><body>Welcome to nginx!</body></html>', {
    headers: { 'content-type': 'text/html' },
  })

/** A whole response whose JSON ends in the middle. */
export const truncatedJson: Fault = (call) => {
  const text = JSON.stringify({ jsonrpc: '2.0', id: call.id, ...call.answer })
  writeResponse(call.socket, text.slice(0, text.length / 2))
}

/** A response that ends before the announced length. */
export const cutBody: Fault = ({ socket }) => {
  socket.end(
    `${responseHead(200, { 'content-type': 'application/json', 'content-length': '9999' })}{"jsonrpc"`,
  )
}

export const hang: Fault = ({ leaveUnfinished }) => leaveUnfinished()

/** Sends the head of a response but not its body. */
export const hangInBody: Fault = ({ socket, leaveUnfinished }) => {
  leaveUnfinished()
  socket.write(
    `${responseHead(200, { 'content-type': 'application/json', 'content-length': '9999' })}{"jsonrpc"`,
  )
}

export const connectionReset: Fault = ({ socket }) => {
  socket.resetAndDestroy()
}

/** Sends an endless body as fast as the client reads it, until the client disconnects. */
export const endlessBody: Fault = ({ id, socket, leaveUnfinished, onBytesSent }) => {
  leaveUnfinished()
  const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`
  const prefix = `{"jsonrpc":"2.0","id":${id},"result":"`
  socket.write(responseHead(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }))
  socket.write(`${prefix.length.toString(16)}\r\n${prefix}\r\n`)
  sendForever(socket, chunk, onBytesSent)
}

function sendForever(socket: Socket, chunk: string, onBytesSent: FaultyCall['onBytesSent']): void {
  if (socket.destroyed) return
  socket.write(chunk, () => {
    onBytesSent(0x10000)
    setImmediate(() => sendForever(socket, chunk, onBytesSent))
  })
}

/** Announces a body of one terabyte. */
export const hugeContentLength: Fault = ({ socket, leaveUnfinished }) => {
  leaveUnfinished()
  socket.write(responseHead(200, { 'content-type': 'application/json', 'content-length': String(10 ** 12) }))
  socket.write('{"jsonrpc"')
}

/** A small body that unpacks to 32 MiB. */
export const gzipBomb: Fault = ({ socket }) => {
  bomb ??= gzipSync(`"${' '.repeat(2 ** 25)}"`)
  socket.write(
    responseHead(200, {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      'content-length': String(bomb.length),
    }),
  )
  socket.write(bomb)
}
let bomb: Buffer | undefined

/** A hundred bytes that unpack to 128 MiB. */
export const brotliBomb: Fault = ({ socket }) => {
  const quality = { [constants.BROTLI_PARAM_QUALITY]: 5 }
  brotli ??= brotliCompressSync(Buffer.alloc(2 ** 27, ' '), { params: quality })
  const headers = { 'content-encoding': 'br', 'content-length': String(brotli.length) }
  socket.write(responseHead(200, { 'content-type': 'application/json', ...headers }))
  socket.write(brotli)
}
let brotli: Buffer | undefined

/** Announces a hundred bytes, and sends an endless body in chunks of another length. */
export const shortLengthAndChunks: Fault = ({ socket, leaveUnfinished, onBytesSent }) => {
  leaveUnfinished()
  const headers = { 'content-length': '100', 'transfer-encoding': 'chunked' }
  socket.write(responseHead(200, { 'content-type': 'application/json', ...headers }))
  sendForever(socket, `10000\r\n${'a'.repeat(0x10000)}\r\n`, onBytesSent)
}

/** A body of opening brackets only, with the maximum length of an item's answer. */
export const deepJson: Fault = ({ socket }) => writeResponse(socket, '['.repeat(500_000))

/** A body with the maximum number of members in an item's answer. */
export const manyMembers: Fault = ({ socket }) => {
  const members = Array.from({ length: 30_000 }, (_, index) => `"${index}":0`)
  writeResponse(socket, `{${members.join()}}`)
}

/** Everything in the request: path and query, headers, decoded credentials. */
const echo = ({ head }: FaultyCall): string => {
  const credentials = /^authorization: Basic (\S+)/im.exec(head)?.[1] ?? ''
  return `${head} ${Buffer.from(credentials, 'base64').toString()} ${encodeURIComponent(head)} ${head.toUpperCase()}`
}

/** A JSON-RPC error that repeats the request, in its message and deep in its data. */
export const echoInError: Fault = (call) =>
  json(call, { error: { code: -32603, message: echo(call), data: { request: [echo(call)] } } })

/** The same, with a secret at the position where the message is truncated. */
export const echoAtCut: Fault = (call) =>
  json(call, { error: { code: -32603, message: 'x'.repeat(280) + echo(call), data: echo(call) } })

/** A page that repeats the request. */
export const echoInPage: Fault = (call) => writeResponse(call.socket, echo(call), { status: 500 })

/** A chain whose name repeats the request. */
export const echoInChainName: Fault = (call) =>
  json(call, { result: { chainspec_name: 'x'.repeat(85) + echo(call) } })

/** A package that repeats the request in every part that may be text. */
export const echoInResult: Fault = (call) => {
  const text = echo(call)
  const version = { protocol_version_major: text, contract_version: text, contract_hash: text }
  json(call, {
    result: {
      state_root_hash: text,
      stored_value: {
        ContractPackage: { versions: [version], disabled_versions: [text] },
        CLValue: { bytes: text },
      },
    },
  })
}

export const internalError: Fault = (call) =>
  json(call, { error: { code: -32603, message: 'Internal error', data: 'storage is on fire' } })

export const nullResult: Fault = (call) => json(call, { result: null })

export const wrongId: Fault = (call) => json(call, call.answer, 'another')

export const unknownRoot: Fault = (call) => json(call, noSuchStateRoot('dictionary item'))

/** Replaces the bytes of a CLValue, or adds such a CLValue if there is none. */
export const garbageBytes =
  (hex: string): Fault =>
  (call) => {
    const stored = memberAt(call.answer, 'result', 'stored_value')
    const isOther = stored !== undefined && memberAt(stored, 'CLValue') === undefined
    const garbage = { CLValue: { cl_type: { List: 'U8' }, bytes: hex, parsed: null } }
    json(call, isOther ? call.answer : { result: { stored_value: garbage } })
  }

/** Replaces the `result`. */
export const otherResult =
  (value: unknown): Fault =>
  (call) =>
    json(call, { result: value })
