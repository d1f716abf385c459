import { BlockList, isIPv6 } from 'node:net'
import { type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { defineError, limitTime, parseJson, systemReason } from '@wattfeed/base'
import { Elysia } from 'elysia'
import type { Log } from '../../../runtime/log.ts'
import type { ViewedBlock } from '../../plan/plan.ts'
import type { CommitteeMember } from '../member.ts'
import type { Refusal } from '../refusal.ts'
import { authenticate, type Receiver, type Sender } from './authenticate.ts'
import { SenderLimits, StrangerLimits } from './limits.ts'
import { Announcement, type FixedTerms, MAX_BODY_BYTES, type MemberAnswer, paths, Terms } from './messages.ts'
import { errorResponse, RETRY_AFTER_MS, RequestError } from './requestError.ts'
import { newTicketSecret, ticketOf } from './ticketFile.ts'

/** A member cannot listen on its address. */
const CommitteeListenError = defineError(
  'CommitteeListenError',
  'committee_listen',
  (facts: {
    host: string
    port: number
    /** The system's error code: `EADDRINUSE`. */
    reason: string
  }) =>
    `cannot listen on ${facts.host}:${facts.port} (${facts.reason}): set COMMITTEE_LISTEN to a free address; port 0 takes a free port`,
)

type KnownBlock = Pick<ViewedBlock, 'height' | 'time'>

export interface CommitteeServerOptions {
  /** Where to listen. Port 0 takes a free port. */
  listen: { readonly host: string; readonly port: number }
  member: Pick<CommitteeMember, 'receive' | 'announced'>
  /** The other members. Requests of anyone else are refused. */
  senders: readonly Sender[]
  terms: FixedTerms
  /** Returns the newest block that this member has read; null if it has read none. */
  newestBlock: () => KnownBlock | null
  /** The machine's clock, in epoch milliseconds. */
  now: () => number
  log: Pick<Log, 'warn'>
  /** Of the tickets that it issues. @default that of this process */
  ticketSecret?: string
  /** Called with every request of a member. */
  onRequest?: (request: { readonly member: string; readonly path: string }) => void
  /** @default limits that honest members do not reach */
  limits?: SenderLimits
  /** @default limits that members do not reach */
  strangerLimits?: StrangerLimits
  /** Time limit to read a request, and another one to answer it, in milliseconds. @default 15_000 */
  timeoutMs?: number
}

export interface CommitteeServer extends AsyncDisposable {
  readonly port: number
}

/**
 * Serves `POST /v1/proposals`, `POST /v1/approvals`, `POST /v1/announcements` and `GET /v1/terms`.
 *
 * @throws {CommitteeListenError}
 */
export function startCommitteeServer(options: CommitteeServerOptions): CommitteeServer {
  const { host, port } = options.listen
  const addresses = new WeakMap<Request, string>()
  const app = createApp(options, (request) => addresses.get(request) ?? '')
  try {
    const server = Bun.serve({
      hostname: host,
      port,
      // Otherwise two agents would silently share a port.
      reusePort: false,
      development: false,
      maxRequestBodySize: MAX_BODY_BYTES,
      // Bun closes connections of requests in flight, too: reading and answering one takes two time limits.
      idleTimeout: Math.ceil((2 * timeoutOf(options)) / 1_000) + 5,
      fetch(request, server) {
        addresses.set(request, remoteAddressOf(request, server.requestIP(request)?.address ?? ''))
        return app.handle(request)
      },
    })
    return { port: server.port ?? port, [Symbol.asyncDispose]: () => server.stop(true) }
  } catch (error) {
    throw new CommitteeListenError({ host, port, reason: systemReason(error) })
  }
}

const timeoutOf = ({ timeoutMs = 15_000 }: Pick<CommitteeServerOptions, 'timeoutMs'>): number => timeoutMs

interface Endpoint {
  readonly schema: TSchema
  readonly work: (body: unknown) => Promise<Refusal | null>
  /** Whether the sender waits for the result. */
  readonly isAwaited: boolean
}

function createApp(options: CommitteeServerOptions, addressOf: (request: Request) => string) {
  const { member, log, terms, newestBlock, now } = options
  const answer = createAnswer(options, addressOf)
  const transaction: Endpoint = {
    schema: Type.Object({}),
    work: (body) => member.receive(body),
    isAwaited: true,
  }
  const announcement: Endpoint = {
    schema: Announcement,
    async work(body) {
      await member.announced(Value.Decode(Announcement, body).feed_id)
      return null
    },
    isAwaited: false,
  }
  return new Elysia({ name: 'committee', normalize: false, handler: { standardHostname: false } })
    .onError(({ code, error }) => {
      if (code === 'NOT_FOUND')
        return errorResponse(
          new RequestError(404, 'unknown_path', `no such endpoint; use ${Object.values(paths).join(', ')}`),
        )
      if (!(error instanceof RequestError)) log.warn({ err: error }, 'request of a member failed')
      return errorResponse(error)
    })
    .post(paths.proposals, ({ request }) => answer(request, transaction), { parse: 'none' })
    .post(paths.approvals, ({ request }) => answer(request, transaction), { parse: 'none' })
    .post(paths.announcements, ({ request }) => answer(request, announcement), { parse: 'none' })
    .get(paths.terms, (): Terms => ({ ...terms, clock: now(), block: blockOf(newestBlock()) }), {
      response: Terms,
    })
}

const blockOf = (block: KnownBlock | null): Terms['block'] =>
  block && { height: block.height, time: block.time }

/** Creates the function that answers a request of a member. It does no work for anyone else. */
function createAnswer(options: CommitteeServerOptions, addressOf: (request: Request) => string) {
  const { senders, terms, newestBlock, now, log, onRequest, limits = new SenderLimits() } = options
  const timeoutMs = timeoutOf(options)
  const { ticketSecret = newTicketSecret() } = options
  const own: Receiver = {
    receiver: terms.member,
    senders,
    chainTime: () => newestBlock()?.time ?? 0,
    now,
    ticketSecret,
    strangerLimits: options.strangerLimits ?? new StrangerLimits(),
    timeoutMs,
  }
  const late = () =>
    new RequestError(503, 'timeout', `this member has no answer within ${timeoutMs} ms`, RETRY_AFTER_MS)

  return async (request: Request, { schema, work, isAwaited }: Endpoint): Promise<MemberAnswer> => {
    const { member, path, nonce, readBody } = await authenticate(request, addressOf(request), own)
    onRequest?.({ member, path })
    using place = new DisposableStack()
    place.use(limits.enter(member, nonce))
    const json = parseJson(await readBody())
    if (!Value.Check(schema, json))
      throw new RequestError(
        400,
        'body',
        "the body is not JSON of the endpoint; compare the members' versions",
      )
    // The work keeps the place, also if nobody waits for it.
    const kept = place.move()
    const working = work(json).finally(() => kept.dispose())
    const ticket = ticketOf(ticketSecret, member)
    if (isAwaited) return { refusal: await limitTime({ timeoutMs, error: late }, () => working), ticket }
    working.catch((err: unknown) => log.warn({ err, member }, 'request of a member failed'))
    return { refusal: null, ticket }
  }
}

const proxies = new BlockList()
proxies.addSubnet('127.0.0.0', 8)
proxies.addSubnet('10.0.0.0', 8)
proxies.addSubnet('172.16.0.0', 12)
proxies.addSubnet('192.168.0.0', 16)
proxies.addAddress('::1', 'ipv6')
proxies.addSubnet('fc00::', 7, 'ipv6')

/**
 * Returns the address that sent a request. A reverse proxy in the same network has appended it to `X-Forwarded-For`; what
 * precedes it there may be invented.
 *
 * @param socketAddress the other end of the connection
 */
function remoteAddressOf(request: Request, socketAddress: string): string {
  const address = socketAddress.replace(/^::ffff:(?=\d+\.)/, '')
  const isProxy = proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  const forwarded = request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim()
  return isProxy && forwarded !== undefined && forwarded !== '' ? forwarded : address
}
