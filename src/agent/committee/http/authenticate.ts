import { limitTime } from '../../../async/limitTime.ts'
import { readText } from '../../../bytes/readText.ts'
import { MAX_BODY_BYTES } from './messages.ts'
import { RequestError } from './requestError.ts'
import { readSignature, verifyRequest } from './signedRequest.ts'

/** Another member, as the endpoints know it. */
export interface Sender {
  /** Hex with the algorithm's byte. */
  readonly publicKey: string
  /** Account hash of the public key. */
  readonly accountHash: string
}

/** A request that a member has signed. */
export interface AuthenticRequest {
  /** Account hash of the member's key. */
  readonly member: string
  readonly path: string
  readonly nonce: string
  readonly body: string
}

export interface AuthenticateOptions {
  /** Account hash of this member's key. */
  receiver: string
  senders: readonly Sender[]
  /** Returns the time of the newest block that this member knows, in epoch milliseconds; 0 if it knows none. */
  chainTime: () => number
  /** Time limit to read a body, in milliseconds. */
  timeoutMs: number
}

/** How old a request may be, in milliseconds of chain time. Nodes that are further behind are of no use to a member. */
const MAX_AGE_MS = 300_000

/** Creates the function that reads a request, and throws a {@link RequestError} unless a member has just signed it. */
export function createAuthenticate({ receiver, senders, chainTime, timeoutMs }: AuthenticateOptions) {
  const members = new Map(senders.map(({ publicKey, accountHash }) => [publicKey, accountHash]))

  return async (request: Request): Promise<AuthenticRequest> => {
    const signature = readSignature(request)
    if (signature === null)
      throw new RequestError(401, 'unsigned', 'the request has no valid signature headers')
    const member = members.get(signature.publicKey)
    if (member === undefined)
      throw new RequestError(
        403,
        'unknown_member',
        `${signature.publicKey} is not a member in COMMITTEE_PEERS`,
      )
    const body = await readBody(request, timeoutMs)
    const { pathname: path } = new URL(request.url)
    if (!(await verifyRequest(signature, { path, receiver, body })))
      throw new RequestError(401, 'invalid_signature', `the signature is not for this request to ${receiver}`)
    const oldest = chainTime() - MAX_AGE_MS
    if (signature.time < oldest)
      throw new RequestError(
        401,
        'stale_request',
        `the request is of ${signature.time}, and ${oldest} is the oldest accepted time; check the sender's node`,
      )
    return { member, path, nonce: signature.nonce, body }
  }
}

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
