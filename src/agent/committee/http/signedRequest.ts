import { decodeHex } from '../../../bytes/hex.ts'
import { verifySignature } from '../../../casper/consensus/verifySignature.ts'
import type { Signer } from '../../../casper/transaction/signer.ts'
import { sha256Hex } from '../../../runtime/sha256.ts'

/** A request of one member to another, as signed by its sender. */
export interface RequestToSign {
  /** `/v1/proposals` */
  readonly path: string
  /** Account hash of the receiver's key. It prevents the receiver from passing the request on as the sender's. */
  readonly receiver: string
  /** Time of the newest block that the sender knows, in epoch milliseconds. Receivers reject old requests. */
  readonly time: number
  /** A random text. Receivers reject a nonce that they have seen. */
  readonly nonce: string
  readonly body: string
}

/** The headers of a signed request. */
const headerNames = {
  sender: 'wattfeed-member',
  time: 'wattfeed-time',
  nonce: 'wattfeed-nonce',
  signature: 'wattfeed-signature',
} as const

/** Returns the headers with which a member signs a request. */
export function signRequest(signer: Pick<Signer, 'approve'>, request: RequestToSign): Record<string, string> {
  const { signer: publicKey, signature } = signer.approve(hashOf(request))
  return {
    [headerNames.sender]: publicKey,
    [headerNames.time]: String(request.time),
    [headerNames.nonce]: request.nonce,
    [headerNames.signature]: signature,
  }
}

/** The parts of a signed request that are in its headers. */
export interface RequestSignature extends Pick<RequestToSign, 'time' | 'nonce'> {
  /** Public key in hex with the algorithm's byte. */
  readonly publicKey: string
  readonly signature: string
}

/** Reads the headers of a signed request; null if it has none, or malformed ones. */
export function readSignature({ headers }: Request): RequestSignature | null {
  const publicKey = headers.get(headerNames.sender) ?? ''
  const time = headers.get(headerNames.time) ?? ''
  const nonce = headers.get(headerNames.nonce) ?? ''
  const signature = headers.get(headerNames.signature) ?? ''
  const isValid =
    /^0[12][0-9a-f]{64,66}$/.test(publicKey) &&
    /^[0-9]{1,15}$/.test(time) &&
    /^[0-9a-f-]{36}$/.test(nonce) &&
    /^0[12][0-9a-f]{128}$/.test(signature)
  return isValid ? { publicKey, time: Number(time), nonce, signature } : null
}

/** Verifies that the owner of a key has signed a request. */
export const verifyRequest = (
  { publicKey, signature, time, nonce }: RequestSignature,
  request: Pick<RequestToSign, 'path' | 'receiver' | 'body'>,
): Promise<boolean> =>
  verifySignature(publicKey, decodeHex(hashOf({ ...request, time, nonce }), 'hash'), signature)

/** The first line ensures that a signed request is never a transaction, whose hash is of another function, too. */
const hashOf = ({ path, receiver, time, nonce, body }: RequestToSign): string =>
  sha256Hex(['wattfeed committee request', path, receiver, time, nonce, sha256Hex(body)].join('\n'))
