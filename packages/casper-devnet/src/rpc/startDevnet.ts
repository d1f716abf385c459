import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { assertOptions, memberAt, WattfeedError } from '@wattfeed/base'
import type { ChainListener } from '../chain/chainEvent.ts'
import { reportFault } from '../reportFault.ts'
import type { AnswerRpc } from '../rpcAnswer.ts'
import { answerRpcText } from './answerRpcText.ts'
import { EventStream } from './eventStream.ts'

const LOOPBACK = '127.0.0.1'

/**
 * The devnet cannot listen on its port.
 *
 * @example
 * ```ts
 * import { createDevnet, DevnetPortError, startDevnet } from '@wattfeed/casper-devnet'
 *
 * await using devnet = createDevnet()
 * await using endpoint = await startDevnet(devnet)
 * try {
 *   await startDevnet(devnet, { port: endpoint.port })
 * } catch (error) {
 *   if (error instanceof DevnetPortError) console.log(error.reason) // EADDRINUSE
 * }
 * ```
 */
export class DevnetPortError extends WattfeedError {
  static override readonly name = 'DevnetPortError'
  readonly code = 'devnet_port'
  readonly retryable = true

  constructor(
    /** The port. */
    readonly port: number,
    /** The system's error code: `EADDRINUSE`. */
    readonly reason: string,
    /** The address. */
    readonly host: string = LOOPBACK,
  ) {
    super(portFault(port, reason, host))
  }
}

function portFault(port: number, reason: string, host: string): string {
  if (reason === 'EADDRINUSE')
    return `port ${port} is in use; stop the process that listens on it, or use another port (DEVNET_PORT)`
  if (reason === 'EADDRNOTAVAIL' || reason === 'ENOTFOUND')
    return `cannot listen on ${host} (${reason}); name an address of this machine (--host), or 0.0.0.0 for all of them`
  return `cannot listen on port ${port} (${reason}); use another port (DEVNET_PORT)`
}

/** A node's JSON-RPC endpoint and its event stream, over HTTP. */
export interface DevnetEndpoint extends AsyncDisposable {
  /** URL of the endpoint: `http://127.0.0.1:40123/rpc`. */
  url: string
  /** URL of the event stream: `http://127.0.0.1:40123/events`. */
  eventsUrl: string
  /** Port of the endpoint. */
  port: number
  /** Stops listening and closes all connections. The event stream ends with `Shutdown`. */
  stop(): Promise<void>
}

/** What {@link startDevnet} serves: a devnet, or what else answers like a node. */
export interface DevnetNode {
  /** Answers a JSON-RPC call. */
  call: AnswerRpc
  /** Subscribes to the events of {@link Devnet.subscribe}. Without it, there is no event stream. */
  subscribe?: (listener: ChainListener) => () => void
  /** Makes a block. Without it, a chain that has only its genesis block is served as it is. */
  produceBlock?: () => unknown
}

/** Options of {@link startDevnet}. */
export interface DevnetEndpointOptions {
  /**
   * Port to listen on; 0 picks a free one.
   * @default 0
   */
  port?: number
  /**
   * Address to listen on. On another than that of this machine alone, all who reach it can use the chain, whose keys are public.
   * @default '127.0.0.1'
   */
  host?: string
}

/** The default of a node's `max_body_bytes`. */
const MAX_BODY_BYTES = 2_621_440

/**
 * Serves a node over HTTP like casper-node: `POST /rpc` with `application/json`, and server-sent events at `/events`. It listens
 * on 127.0.0.1 unless `host` says otherwise, and accepts web pages of any origin.
 *
 * A chain that has only its genesis block makes block 1 first: SDKs cannot read a genesis block, which has no proposer.
 *
 * @example
 * ```ts
 * import { createDevnet, startDevnet } from '@wattfeed/casper-devnet'
 *
 * await using devnet = createDevnet()
 * await using endpoint = await startDevnet(devnet)
 * const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'chain_get_state_root_hash' })
 * const headers = { 'content-type': 'application/json' }
 * const answer = await fetch(endpoint.url, { method: 'POST', headers, body })
 * console.log(await answer.json()) // { jsonrpc: '2.0', id: 1, result: { state_root_hash: …
 * ```
 *
 * @throws {@link InvalidArgumentError} for an option that does not exist.
 * @throws {@link DevnetPortError} when the port is in use or not allowed.
 */
export async function startDevnet(
  node: DevnetNode,
  options: DevnetEndpointOptions = {},
): Promise<DevnetEndpoint> {
  assertOptions(options, { port: 1, host: 1 })
  const { port = 0, host = LOOPBACK } = options
  const stream = node.subscribe && new EventStream()
  const served = { call: node.call, stream }
  const server = createServer((request, response) => void respond(served, request, response))
  await leaveGenesis(node)
  const listening = await listen(server, port, host)
  const unsubscribe = node.subscribe?.((event) => stream?.push(event))
  const stop = async (): Promise<void> => {
    unsubscribe?.()
    await stream?.close()
    server.closeAllConnections()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  const origin = `http://${reachable(host)}:${listening}`
  return {
    url: `${origin}/rpc`,
    eventsUrl: `${origin}/events`,
    port: listening,
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

async function leaveGenesis(node: DevnetNode): Promise<void> {
  if (node.produceBlock === undefined) return
  const status = await node.call('info_get_status', undefined)
  if (memberAt(status, 'result', 'last_added_block_info', 'height') === 0) node.produceBlock()
}

/** Returns a host for the URL of an endpoint. A chain that listens everywhere also listens on this machine. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return LOOPBACK
  return host.includes(':') ? `[${host}]` : host
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new DevnetPortError(port, error.code ?? 'unknown', host)),
    )
    server.listen(port, host, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

interface Served {
  call: AnswerRpc
  stream: EventStream | undefined
}

async function respond(
  { call, stream }: Served,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  allowOrigin(request, response)
  if (isPreflight(request)) return void response.writeHead(200, preflightHeaders).end()
  if (stream !== undefined && eventPaths.has(pathOf(request))) return void stream.serve(request, response)
  const refusal = refusalOf(request)
  if (refusal !== null) return refuse(response, refusal)
  const body = await readBody(request).catch(() => undefined)
  // The client disconnected during its request.
  if (body === undefined) return void request.socket.destroy()
  if (body === null) return refuse(response, bodyTooLarge)
  try {
    const text = await answerRpcText(body, call)
    if (text === null) return refuse(response, missingId)
    response.writeHead(200, { 'content-type': 'application/json' }).end(text)
  } catch (error) {
    // A bug: a node always answers.
    request.socket.destroy()
    reportFault(error)
  }
}

/** Allows the request's origin. A node returns the origin's name, not `*`. */
function allowOrigin({ headers }: IncomingMessage, response: ServerResponse): void {
  if (headers.origin !== undefined) response.setHeader('access-control-allow-origin', headers.origin)
}

const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined

const preflightHeaders = {
  'access-control-allow-headers': 'content-type, authorization',
  'access-control-allow-methods': 'POST',
}

/** `/events/main` is the name of the stream in casper-node 1, which many clients still use. */
const eventPaths: ReadonlySet<string> = new Set(['/events', '/events/main'])

const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] ?? ''

type HttpRefusal = readonly [status: number, message: string]

const missingId: HttpRefusal = [400, "The request is missing the 'id' field"]
const bodyTooLarge: HttpRefusal = [
  413,
  `The request payload exceeds the maximum allowed of ${MAX_BODY_BYTES} bytes`,
]

/** Returns casper-node's rejection of a request other than a `POST` of JSON to `/rpc`, or null. */
function refusalOf(request: IncomingMessage): HttpRefusal | null {
  const { method, headers } = request
  const contentType = headers['content-type']
  if (pathOf(request) !== '/rpc') return [404, 'Path not found']
  if (method !== 'POST') return [405, 'HTTP method not allowed']
  if (contentType === undefined) return [400, "The request's content-type is not set"]
  if (contentType.toLowerCase() === 'application/json') return null
  return [415, "The request's content-type is not supported"]
}

function refuse(response: ServerResponse, [status, message]: HttpRefusal): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ message }))
}

/** Returns the body as text; null if it is too large. @throws when the client disconnects */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length > MAX_BODY_BYTES) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
