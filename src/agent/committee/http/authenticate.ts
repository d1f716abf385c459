import { hash } from 'node:crypto'
import { limitTime, readText } from '@wattfeed/base'
import type { StrangerLimits } from './limits.ts'
import { MAX_BODY_BYTES } from './messages.ts'
import { RequestError } from './requestError.ts'
import { readSignature, verifyRequest } from './signedRequest.ts'
import { isTicketOf } from './ticketFile.ts'

export interface Sender {
  /** Hex with the algorithm's byte. */
  readonly publicKey: string
  readonly accountHash: string
}

/** A request that a member has signed. Its body is not read yet. */
export interface AuthenticRequest {
  /** Account hash of the member's key. */
  readonly member: string
  readonly path: string
  readonly nonce: string
  /** @throws {RequestError} if the body is late, too long, or not the signed one */
  readBody(): Promise<string>
}

/** The member that a request is sent to. */
export interface Receiver {
  /** Account hash of this member's key. */
  readonly receiver: string
  readonly senders: readonly Sender[]
  /** Returns the time of the newest block that this member knows, in epoch milliseconds; 0 if it knows none. */
  readonly chainTime: () => number
  /** The machine's clock, in epoch milliseconds. */
  readonly now: () => number
  /** Of the tickets that it issues. */
  readonly ticketSecret: string
  readonly strangerLimits: StrangerLimits
  /** Time limit to read a body, in milliseconds. */
  readonly timeoutMs: number
}

/**
 * How far the time of a request may be from this member's, in milliseconds. Nodes that are further behind are of no use to a
 * member.
 */
const MAX_APART_MS = 300_000

/** Reads only the headers, and checks few signatures for strangers. @throws {RequestError} unless a member has just signed it */
export async function authenticate(
  request: Request,
  address: string,
  own: Receiver,
): Promise<AuthenticRequest> {
  const { receiver, senders, ticketSecret, strangerLimits, timeoutMs } = own
  const signature = readSignature(request)
  if (signature === null)
    throw new RequestError(401, 'unsigned', 'the request has no valid signature headers')
  const { publicKey, nonce, ticket, bodyHash } = signature
  const member = senders.find((sender) => sender.publicKey === publicKey)?.accountHash
  if (member === undefined)
    throw new RequestError(403, 'unknown_member', `${publicKey} is not a member in COMMITTEE_PEERS`)
  strangerLimits.count(address, isTicketOf(ticketSecret, member, ticket) ? member : null)
  const { pathname, search } = new URL(request.url)
  const path = `${pathname}${search}`
  if (!(await verifyRequest(signature, { path, receiver }))) throw invalidSignature(receiver)
  checkTime(signature.time, own)
  return {
    member,
    path,
    nonce,
    async readBody() {
      const body = await readBody(request, timeoutMs)
      if (hash('sha256', body) !== bodyHash) throw invalidSignature(receiver)
      return body
    },
  }
}

/** This member's node may lag behind the sender's. Its clock bounds what the sender's node can know. */
function checkTime(time: number, { chainTime, now }: Pick<Receiver, 'chainTime' | 'now'>): void {
  const oldest = chainTime() - MAX_APART_MS
  if (time < oldest)
    throw new RequestError(
      401,
      'stale_request',
      `the request is of ${time}, and ${oldest} is the oldest accepted time; check the sender's node`,
    )
  const newest = Math.max(chainTime(), now()) + MAX_APART_MS
  if (time > newest)
    throw new RequestError(
      401,
      'future_request',
      `the request is of ${time}, and ${newest} is the newest accepted time; check the sender's node, and the clock of this member`,
    )
}

const invalidSignature = (receiver: string): RequestError =>
  new RequestError(401, 'invalid_signature', `the signature is not for this request to ${receiver}`)

const readBody = (request: Request, timeoutMs: number): Promise<string> =>
  limitTime(
    { timeoutMs, error: () => new RequestError(408, 'timeout', `no body within ${timeoutMs} ms`) },
    () =>
      readText(
        new Response(request.body, { headers: request.headers }),
        MAX_BODY_BYTES,
        (reason) => new RequestError(413, 'body_size', `the body is ${reason}`),
      ),
  )
