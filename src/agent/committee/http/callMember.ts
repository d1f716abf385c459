import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import {
  codeOfError,
  limitTime,
  parseJson,
  parseRetryAfter,
  readText,
  tlsFault,
  uncompressed,
  WattfeedError,
} from '@wattfeed/base'
import type { Fetch } from '@wattfeed/eia'
import { printable } from '../../../runtime/printable.ts'
import { MAX_BODY_BYTES } from './messages.ts'

/** A member that does not answer, or not as the protocol says. */
export class PeerError extends WattfeedError {
  static override readonly name = 'PeerError'
  readonly code = 'peer'
  readonly retryable = true

  constructor(
    /** The member's name, or the account hash of its key. */
    readonly member: string,
    /** Continues "member north": `answers HTTP 500: …` */
    readonly reason: string,
    /** When the member asked to send the next request, in milliseconds; null if it did not. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(`member ${member} ${reason}`)
  }
}

export interface Peer {
  readonly accountHash: string
  /** Hex with the algorithm's byte. */
  readonly publicKey: string
  /** For people: its name in the members file, else its account hash. */
  readonly name: string
  /** Where its agent listens: `https://north.example` */
  readonly address: string
}

export interface MemberCall<T extends TSchema> {
  path: string
  schema: T
  /** What is posted; without it, the request is a GET. */
  post?: { readonly body: string; readonly headers: Readonly<Record<string, string>> }
  fetch: Fetch
  timeoutMs: number
}

const MAX_RETRY_AFTER_MS = 60_000

/**
 * Calls an endpoint of another member. Redirects are not followed, because they may lead elsewhere.
 *
 * @throws {PeerError}
 */
export function callMember<T extends TSchema>(
  { name, address }: Pick<Peer, 'name' | 'address'>,
  { path, schema, post, fetch, timeoutMs }: MemberCall<T>,
): Promise<Static<T>> {
  const error = () => new PeerError(name, `does not answer within ${timeoutMs} ms`)
  return limitTime({ timeoutMs, error }, async ({ signal }) => {
    try {
      return await request(signal)
    } catch (fault) {
      // The runtime's messages do not help, and may have the URL.
      if (fault instanceof PeerError) throw fault
      const tls = tlsFault(codeOfError(fault))
      throw new PeerError(
        name,
        tls === null ? 'refuses or closes the connection' : `cannot be called: ${tls}`,
      )
    }
  })

  async function request(signal: AbortSignal): Promise<Static<T>> {
    const response = await fetch(`${address.replace(/\/+$/, '')}${path}`, {
      ...uncompressed,
      ...(post && { method: 'POST', body: post.body }),
      headers: { ...uncompressed.headers, 'content-type': 'application/json', ...post?.headers },
      redirect: 'manual',
      signal,
    })
    const text = await readText(
      response,
      MAX_BODY_BYTES,
      (reason) => new PeerError(name, `sends an answer that is ${reason}`),
    )
    const json = parseJson(text)
    if (response.status === 200 && Value.Check(schema, json)) return json
    throw new PeerError(
      name,
      `answers HTTP ${response.status}: ${printable(text).slice(0, 300)}`,
      parseRetryAfter(response.headers.get('retry-after'), MAX_RETRY_AFTER_MS),
    )
  }
}
