import { hash } from 'node:crypto'
import type { Signer } from '@wattfeed/casper/transaction'
import { sideLimits } from '@wattfeed/dataset/compare'
import type { Fetch } from '@wattfeed/eia'
import type { Peers } from '../memberState.ts'
import type { Refusal } from '../refusal.ts'
import { callMember, downloadFrom, type Peer, type PeerError } from './callMember.ts'
import { MemberAnswer, paths } from './messages.ts'
import { PeerLine } from './peerLine.ts'
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
  /** Called with each request that has ended, but for downloads. Must not throw. */
  onCall?: (call: PeerCall) => void
  /** Time limit of a request, in milliseconds. A member may take its own limit to answer. @default 20_000 */
  timeoutMs?: number
  /** Milliseconds of a steady clock. @default performance.now */
  now?: () => number
}

/** Requests to one member that are in progress. */
const MAX_RUNNING = 8

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
  const linesOf = (concurrency: number) =>
    new Map(peers.map((peer) => [peer.accountHash, new PeerLine(peer, { concurrency, now })]))
  const messages = linesOf(MAX_RUNNING)
  // An approval never waits behind downloads, and a pause of one does not stop the other.
  const downloads = linesOf(1)

  function callOf({ accountHash }: Peer, path: string, body: string) {
    const request = {
      path,
      receiver: accountHash,
      time: chainTime(),
      nonce: crypto.randomUUID(),
      bodyHash: hash('sha256', body),
    }
    const headers = signRequest(signer, request, tickets.get(accountHash) ?? null)
    return { path, post: { body, headers }, fetch, timeoutMs }
  }

  async function post(member: string, path: string, json: object): Promise<Refusal | null> {
    const line = lineTo(messages, member)
    const body = JSON.stringify(json)
    const send = async () => {
      const { refusal, ticket } = await callMember(line.peer, {
        ...callOf(line.peer, path, body),
        schema: MemberAnswer,
      })
      if (ticket !== undefined) tickets.set(member, ticket)
      return refusal
    }
    return line.run(send, (end) => onCall?.({ member, path, ...end }))
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
    announce(member, feedId, root) {
      // The member finds the value by itself later; the call was reported.
      post(member, paths.announcements, { feed_id: feedId, root }).catch(() => {})
    },
    sideOf(member, feedId, { root, size }) {
      const line = lineTo(downloads, member)
      const { peer } = line
      // Not reported: a member refuses many downloads while snapshots change, and works.
      const download = (path: string, asked: object, maxBytes: number) =>
        line.run(() => {
          const body = JSON.stringify({ feed_id: feedId, root, ...asked })
          return downloadFrom(peer, { ...callOf(peer, path, body), maxBytes })
        })
      return {
        ...{ name: `member ${peer.name}`, root, size },
        digestsOf: (level, runs) =>
          download(
            paths.digests,
            { level, runs: runs.map(({ first, past }) => [first, past]) },
            sideLimits.digestBytes,
          ),
        leavesOf: (indices) => download(paths.leaves, { indices }, sideLimits.leafBytes),
      }
    },
  }
}

function lineTo(lines: ReadonlyMap<string, PeerLine>, member: string): PeerLine {
  const line = lines.get(member)
  if (line === undefined) throw new TypeError(`${member} is not a peer`)
  return line
}
