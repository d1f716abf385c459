import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { defineError } from '@wattfeed/base'
import { ListenError, serveHttp } from '../../../runtime/serveHttp.ts'
import type { CommitteeMember } from '../member.ts'
import type { MemberRoots } from '../roots/memberRoots.ts'
import {
  CommitteeRequests,
  type CommitteeRequestsOptions,
  type Download,
  type Endpoint,
} from './committeeRequests.ts'
import { Announcement, BYTES, MAX_BODY_BYTES, paths } from './messages.ts'
import { remoteAddressOf } from './remoteAddress.ts'
import { errorResponse, RequestError } from './requestError.ts'
import { type OpenSide, sideEndpoints } from './sideEndpoints.ts'

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

export interface CommitteeServerOptions extends CommitteeRequestsOptions {
  /** Where to listen. Port 0 takes a free port. */
  listen: { readonly host: string; readonly port: number }
  member: Pick<CommitteeMember, 'receive' | 'announced'>
  /** Notes which snapshot of a dataset another member holds. */
  noteRoot: MemberRoots['note']
  openSide: OpenSide
}

export interface CommitteeServer extends AsyncDisposable {
  readonly port: number
}

/**
 * Serves `POST /v1/proposals`, `POST /v1/approvals`, `POST /v1/announcements`, `POST /v1/digests`, `POST /v1/leaves` and
 * `GET /v1/terms`.
 *
 * @throws {CommitteeListenError}
 */
export function startCommitteeServer(options: CommitteeServerOptions): CommitteeServer {
  const { host, port } = options.listen
  try {
    const server = serveHttp({ hostname: host, port, ...handlersOf(options) })
    return { port: server.port ?? port, [Symbol.asyncDispose]: () => server.stop(true) }
  } catch (error) {
    if (!(error instanceof ListenError)) throw error
    throw new CommitteeListenError({ host, port, reason: error.reason })
  }
}

function handlersOf({ member, noteRoot, openSide, log, ...options }: CommitteeServerOptions) {
  const requests = new CommitteeRequests({ ...options, log })
  const post = (endpoint: Endpoint) => ({
    POST: async (request: Request, server: Bun.Server<undefined>) =>
      Response.json(await requests.answer(request, addressOf(request, server), endpoint)),
  })
  const download = (endpoint: Download) => ({
    POST: async (request: Request, server: Bun.Server<undefined>) =>
      new Response(await requests.download(request, addressOf(request, server), endpoint), {
        headers: { 'content-type': BYTES, 'cache-control': 'no-store' },
      }),
  })
  const { digests, leaves } = sideEndpoints(openSide)
  const transaction: Endpoint = {
    // The member checks the transaction: its refusal says what is wrong, and this schema could not.
    schema: Type.Object({}),
    work: (body) => member.receive(body),
    isAwaited: true,
  }
  const announcement: Endpoint = {
    schema: Announcement,
    async work(body, from) {
      // The member keeps the root: no more of it than the protocol says.
      const { feed_id: feedId, root = null } = Value.Decode(Announcement, Value.Clean(Announcement, body))
      if (root === null) await member.announced(feedId)
      else noteRoot(feedId, from, root)
      return null
    },
    isAwaited: false,
  }
  return {
    development: false,
    maxRequestBodySize: MAX_BODY_BYTES,
    // Bun closes connections of requests in flight, too: reading and answering one takes two time limits.
    idleTimeout: Math.ceil((2 * requests.timeoutMs) / 1_000) + 5,
    routes: {
      [paths.proposals]: post(transaction),
      [paths.approvals]: post(transaction),
      [paths.announcements]: post(announcement),
      [paths.digests]: download(digests),
      [paths.leaves]: download(leaves),
      [paths.terms]: { GET: () => Response.json(requests.terms()) },
    },
    fetch: () => errorResponse(unknownPath()),
    error(error: unknown) {
      if (!(error instanceof RequestError)) log.warn({ err: error }, 'request of a member failed')
      return errorResponse(error)
    },
  }
}

const addressOf = (request: Request, server: Bun.Server<undefined>): string =>
  remoteAddressOf(request, server.requestIP(request)?.address ?? '')

const unknownPath = (): RequestError =>
  new RequestError(404, 'unknown_path', `no such endpoint; use ${Object.values(paths).join(', ')}`)
