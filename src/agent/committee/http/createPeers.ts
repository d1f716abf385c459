import { hash } from 'node:crypto'
import type { Signer } from '@wattfeed/casper/transaction'
import type { Fetch } from '@wattfeed/eia'
import pLimit, { type LimitFunction } from 'p-limit'
import type { Peers } from '../memberState.ts'
import type { Refusal } from '../refusal.ts'
import { callMember, type Peer, PeerError } from './callMember.ts'
import { MemberAnswer, paths } from './messages.ts'
import { signRequest } from './signedRequest.ts'
import type { ReceivedTickets } from './ticketFile.ts'

/** A request to another member that has ended. */
export interface PeerCall {
  readonly member: string
  readonly path: string
  readonly durationMs: number
  /** Null if the member has answered. */
  readonly error: PeerError | null
}

export interface CreatePeersOptions {
  peers: readonly Peer[]
  signer: Pick<Signer, 'approve'>
  /** Returns the time of the newest block that this member knows, in epoch milliseconds; 0 if it knows none. */
  chainTime: () => number
  fetch: Fetch
  /** The tickets of the members' last answers. @default those of this process */
  tickets?: ReceivedTickets
  /** Called with each request that has ended. Must not throw. */
  onCall?: (call: PeerCall) => void
  /** Time limit of a request, in milliseconds. A member may take its own limit to answer. @default 20_000 */
  timeoutMs?: number
  /** Milliseconds of a steady clock. @default performance.now */
  now?: () => number
}

/** Requests to one member that are in progress, and that wait. A member that hangs must not take all connections. */
const MAX_RUNNING = 8
const MAX_WAITING = 200

/** The requests to one member. */
interface Line {
  readonly peer: Peer
  readonly limit: LimitFunction
  pausedUntil: number
}

export function createPeers(options: CreatePeersOptions): Peers {
  const {
    peers,
    fetch,
    signer,
    chainTime,
    onCall,
    tickets = new Map<string, string>(),
    timeoutMs = 20_000,
    now = () => performance.now(),
  } = options
  const lines = new Map(
    peers.map((peer): [string, Line] => [
      peer.accountHash,
      { peer, limit: pLimit(MAX_RUNNING), pausedUntil: 0 },
    ]),
  )

  async function call(line: Line, path: string, body: string): Promise<Refusal | null> {
    const { peer } = line
    const request = {
      path,
      receiver: peer.accountHash,
      time: chainTime(),
      nonce: crypto.randomUUID(),
      bodyHash: hash('sha256', body),
    }
    const headers = signRequest(signer, request, tickets.get(peer.accountHash) ?? null)
    const { refusal, ticket } = await callMember(peer, {
      path,
      schema: MemberAnswer,
      post: { body, headers },
      fetch,
      timeoutMs,
    })
    if (ticket !== undefined) tickets.set(peer.accountHash, ticket)
    return refusal
  }

  async function post(member: string, path: string, json: object): Promise<Refusal | null> {
    const line = lines.get(member)
    if (line === undefined) throw new TypeError(`${member} is not a peer`)
    const { peer, limit } = line
    if (limit.pendingCount >= MAX_WAITING)
      throw new PeerError(peer.name, `is too slow: ${MAX_WAITING} requests wait`)
    const body = JSON.stringify(json)
    return limit(async () => {
      const startedAt = now()
      const report = (error: PeerError | null) =>
        onCall?.({ member, path, durationMs: now() - startedAt, error })
      try {
        if (startedAt < line.pausedUntil) throw new PeerError(peer.name, 'has asked for a pause')
        const refusal = await call(line, path, body)
        report(null)
        return refusal
      } catch (error) {
        if (!(error instanceof PeerError)) throw error
        line.pausedUntil = Math.max(line.pausedUntil, now() + (error.retryAfterMs ?? 0))
        report(error)
        throw error
      }
    })
  }

  return {
    members: peers.map(({ accountHash }) => accountHash),
    // The first approval of a proposal is that of its leader.
    send: (member, transaction) =>
      post(
        member,
        transaction.Version1.approvals.length === 1 ? paths.proposals : paths.approvals,
        transaction,
      ),
    announce(member, feedId) {
      // The member finds the value by itself later; the call was reported.
      post(member, paths.announcements, { feed_id: feedId }).catch(() => {})
    },
  }
}
