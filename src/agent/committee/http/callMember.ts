import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import {
  codeOfError,
  limitTime,
  parseJson,
  parseRetryAfter,
  readBytes,
  tlsFault,
  uncompressed,
  WattfeedError,
} from '@wattfeed/base'
import type { Fetch } from '@wattfeed/eia'
import { printable } from '../../../runtime/printable.ts'
import { BYTES, MAX_BODY_BYTES } from './messages.ts'

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

interface Call {
  path: string
  /** What is posted; without it, the request is a GET. */
  post?: { readonly body: string; readonly headers: Readonly<Record<string, string>> }
  fetch: Fetch
  timeoutMs: number
}

export interface MemberCall<T extends TSchema> extends Call {
  schema: T
}

export interface MemberDownload extends Call {
  maxBytes: number
}

const MAX_RETRY_AFTER_MS = 60_000

/**
 * Calls an endpoint of another member. Redirects are not followed, because they may lead elsewhere.
 *
 * @throws {PeerError}
 */
export async function callMember<T extends TSchema>(
  peer: CalledPeer,
  { schema, ...call }: MemberCall<T>,
): Promise<Static<T>> {
  const answer = await ask(peer, call, MAX_BODY_BYTES)
  const json = parseJson(textOf(answer))
  if (answer.response.status === 200 && Value.Check(schema, json)) return json
  throw unexpected(peer, answer)
}

/**
 * Calls an endpoint of another member that answers with bytes, as {@link callMember} does.
 *
 * @throws {PeerError}
 */
export async function downloadFrom(
  peer: CalledPeer,
  { maxBytes, ...call }: MemberDownload,
): Promise<Uint8Array> {
  const answer = await ask(peer, call, maxBytes)
  const { response, bytes } = answer
  if (response.status === 200 && response.headers.get('content-type') === BYTES) return bytes
  throw unexpected(peer, answer)
}

type CalledPeer = Pick<Peer, 'name' | 'address'>

interface Answer {
  readonly response: Response
  readonly bytes: Uint8Array
}

/** Sends a request, and reads its answer. */
function ask(
  { name, address }: CalledPeer,
  { path, post, fetch, timeoutMs }: Call,
  maxBytes: number,
): Promise<Answer> {
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

  async function request(signal: AbortSignal): Promise<Answer> {
    const response = await fetch(`${address.replace(/\/+$/, '')}${path}`, {
      ...uncompressed,
      ...(post && { method: 'POST', body: post.body }),
      headers: { ...uncompressed.headers, 'content-type': 'application/json', ...post?.headers },
      redirect: 'manual',
      signal,
    })
    const bytes = await readBytes(
      response,
      response.status === 200 ? maxBytes : MAX_BODY_BYTES,
      (reason) => new PeerError(name, `sends an answer that is ${reason}`),
    )
    return { response, bytes }
  }
}

const textOf = ({ bytes }: Answer): string => new TextDecoder().decode(bytes)

function unexpected({ name }: CalledPeer, answer: Answer): PeerError {
  const { status, headers } = answer.response
  return new PeerError(
    name,
    `answers HTTP ${status}: ${printable(textOf(answer)).slice(0, 300)}`,
    parseRetryAfter(headers.get('retry-after'), MAX_RETRY_AFTER_MS),
  )
}
