import type { Socket } from 'node:net'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { member } from '../../src/demo/recordedNode.ts'
import { noSuchStateRoot } from '../../src/devnet/nodeErrors.ts'
import type { RpcAnswer } from '../../src/devnet/rpcAnswer.ts'
import { responseHead, writeResponse } from './rawHttp.ts'

/** A call that a fault gets to spoil. */
export interface FaultyCall {
  id: unknown
  /** Request line and headers. */
  head: string
  method: string
  /** What the node behind would say. */
  answer: RpcAnswer
  socket: Socket
  /** Tells the node that this answer is one that the client has to give up. */
  leaveUnfinished: () => void
  /** Tells the node how much of an endless answer was taken. */
  onBytesSent: (bytes: number) => void
}

/** One way of answering badly. */
export type Fault = (call: FaultyCall) => void

const json = (call: FaultyCall, answer: unknown, id = call.id): void =>
  writeResponse(call.socket, JSON.stringify({ jsonrpc: '2.0', id, ...Object(answer) }))

/** No fault: what the node behind says. */
export const honest: Fault = (call) => json(call, call.answer)

export const http500: Fault = ({ socket }) => writeResponse(socket, '{"error":"boom"}', { status: 500 })

/** @param retryAfter Value of the header, in seconds or as a date; `null` leaves it out. */
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

/** A response that ends before the length it announced. */
export const cutBody: Fault = ({ socket }) => {
  socket.end(
    `${responseHead(200, { 'content-type': 'application/json', 'content-length': '9999' })}{"jsonrpc"`,
  )
}

export const hang: Fault = ({ leaveUnfinished }) => leaveUnfinished()

/** Answers with a head and then never with the body. */
export const hangInBody: Fault = ({ socket, leaveUnfinished }) => {
  leaveUnfinished()
  socket.write(
    `${responseHead(200, { 'content-type': 'application/json', 'content-length': '9999' })}{"jsonrpc"`,
  )
}

export const connectionReset: Fault = ({ socket }) => {
  socket.resetAndDestroy()
}

/** Sends a body that never ends, as fast as it is taken, until the other side hangs up. */
export const endlessBody: Fault = ({ id, socket, leaveUnfinished, onBytesSent }) => {
  leaveUnfinished()
  const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`
  const prefix = `{"jsonrpc":"2.0","id":${id},"result":"`
  socket.write(responseHead(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }))
  socket.write(`${prefix.length.toString(16)}\r\n${prefix}\r\n`)
  sendForEver(socket, chunk, onBytesSent)
}

function sendForEver(socket: Socket, chunk: string, onBytesSent: FaultyCall['onBytesSent']): void {
  if (socket.destroyed) return
  socket.write(chunk, () => {
    onBytesSent(0x10000)
    setImmediate(() => sendForEver(socket, chunk, onBytesSent))
  })
}

/** Announces a body of a terabyte. */
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

/** Announces a hundred bytes, and sends chunks of another length: an endless body. */
export const shortLengthAndChunks: Fault = ({ socket, leaveUnfinished, onBytesSent }) => {
  leaveUnfinished()
  const headers = { 'content-length': '100', 'transfer-encoding': 'chunked' }
  socket.write(responseHead(200, { 'content-type': 'application/json', ...headers }))
  sendForEver(socket, `10000\r\n${'a'.repeat(0x10000)}\r\n`, onBytesSent)
}

/** A body of nothing but opening brackets, as large as an item's answer may be. */
export const deepJson: Fault = ({ socket }) => writeResponse(socket, '['.repeat(500_000))

/** A body of as many members as fit into an item's answer. */
export const manyMembers: Fault = ({ socket }) => {
  const members = Array.from({ length: 30_000 }, (_, index) => `"${index}":0`)
  writeResponse(socket, `{${members.join()}}`)
}

/** Everything that the request told the node: its line with path and query, its headers, decoded credentials. */
const heard = ({ head }: FaultyCall): string => {
  const credentials = /^authorization: Basic (\S+)/im.exec(head)?.[1] ?? ''
  return `${head} ${Buffer.from(credentials, 'base64').toString()} ${encodeURIComponent(head)} ${head.toUpperCase()}`
}

/** A JSON-RPC error that repeats the request, in its message and deep in its data. */
export const echoInError: Fault = (call) =>
  json(call, { error: { code: -32603, message: heard(call), data: { request: [heard(call)] } } })

/** The same where the message is cut: the secrets stand across the cut. */
export const echoAtCut: Fault = (call) =>
  json(call, { error: { code: -32603, message: 'x'.repeat(280) + heard(call), data: heard(call) } })

/** A page that repeats the request. */
export const echoInPage: Fault = (call) => writeResponse(call.socket, heard(call), { status: 500 })

/** A chain whose name repeats the request. */
export const echoInChainName: Fault = (call) =>
  json(call, { result: { chainspec_name: 'x'.repeat(85) + heard(call) } })

/** A package whose parts repeat the request wherever a text may stand. */
export const echoInResult: Fault = (call) => {
  const text = heard(call)
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

/** Puts other bytes into a CLValue, or such a CLValue where there is nothing. */
export const garbageBytes =
  (hex: string): Fault =>
  (call) => {
    const stored = member(member(call.answer, 'result'), 'stored_value')
    const isOther = stored !== undefined && member(stored, 'CLValue') === undefined
    const garbage = { CLValue: { cl_type: { List: 'U8' }, bytes: hex, parsed: null } }
    json(call, isOther ? call.answer : { result: { stored_value: garbage } })
  }

/** Puts something else into `result`. */
export const otherResult =
  (value: unknown): Fault =>
  (call) =>
    json(call, { result: value })
