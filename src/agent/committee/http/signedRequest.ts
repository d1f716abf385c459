import { hash } from 'node:crypto'
import { decodeHex } from '@wattfeed/base'
import { verifySignature } from '@wattfeed/casper/light-client'
import type { Signer } from '@wattfeed/casper/transaction'

/** A request of one member to another, as signed by its sender. */
export interface RequestToSign {
  /** With its query string: `/v1/proposals`. */
  readonly path: string
  /** Account hash of the receiver's key. It prevents the receiver from passing the request on as the sender's. */
  readonly receiver: string
  /** Time of the newest block that the sender knows, in epoch milliseconds. Receivers reject old requests, and those of the future. */
  readonly time: number
  /** A random text. Receivers reject a nonce that they have seen. */
  readonly nonce: string
  /** SHA-256 of the body in hex. Receivers check the signature before they read the body. */
  readonly bodyHash: string
}

const headerNames = {
  sender: 'wattfeed-member',
  time: 'wattfeed-time',
  nonce: 'wattfeed-nonce',
  bodyHash: 'wattfeed-body',
  signature: 'wattfeed-signature',
  ticket: 'wattfeed-ticket',
} as const

/**
 * Returns the headers with which a member signs a request.
 *
 * @param ticket that of the receiver's last answer; null without one
 */
export function signRequest(
  signer: Pick<Signer, 'approve'>,
  request: RequestToSign,
  ticket: string | null = null,
): Record<string, string> {
  const { signer: publicKey, signature } = signer.approve(hashOf(request))
  return {
    [headerNames.sender]: publicKey,
    [headerNames.time]: String(request.time),
    [headerNames.nonce]: request.nonce,
    [headerNames.bodyHash]: request.bodyHash,
    [headerNames.signature]: signature,
    ...(ticket !== null && { [headerNames.ticket]: ticket }),
  }
}

export interface RequestSignature extends Pick<RequestToSign, 'time' | 'nonce' | 'bodyHash'> {
  /** Public key in hex with the algorithm's byte. */
  readonly publicKey: string
  readonly signature: string
  /** Empty if there is none. */
  readonly ticket: string
}

/** Reads the headers of a signed request; null if it has none, or malformed ones. */
export function readSignature({ headers }: Request): RequestSignature | null {
  const publicKey = headers.get(headerNames.sender) ?? ''
  const time = headers.get(headerNames.time) ?? ''
  const nonce = headers.get(headerNames.nonce) ?? ''
  const bodyHash = headers.get(headerNames.bodyHash) ?? ''
  const signature = headers.get(headerNames.signature) ?? ''
  const ticket = headers.get(headerNames.ticket) ?? ''
  const isValid =
    /^0[12][0-9a-f]{64,66}$/.test(publicKey) &&
    /^[0-9]{1,15}$/.test(time) &&
    /^[0-9a-f-]{36}$/.test(nonce) &&
    /^[0-9a-f]{64}$/.test(bodyHash) &&
    /^0[12][0-9a-f]{128}$/.test(signature)
  return isValid ? { publicKey, time: Number(time), nonce, bodyHash, signature, ticket } : null
}

/** Verifies that the owner of a key has signed a request. The body is still to be compared with its hash. */
export const verifyRequest = (
  { publicKey, signature, time, nonce, bodyHash }: RequestSignature,
  request: Pick<RequestToSign, 'path' | 'receiver'>,
): Promise<boolean> =>
  verifySignature(publicKey, decodeHex(hashOf({ ...request, time, nonce, bodyHash }), 'hash'), signature)

/** The first line ensures that a signed request is never a transaction, whose hash is of another function, too. */
const hashOf = ({ path, receiver, time, nonce, bodyHash }: RequestToSign): string =>
  hash('sha256', ['wattfeed committee request', path, receiver, time, nonce, bodyHash].join('\n'))
