import { LRUCache } from 'lru-cache'
import { RETRY_AFTER_MS, RequestError } from './requestError.ts'
import { createTokenBucket, type TokenBucket } from './tokenBucket.ts'

/** Limits the requests of each member, so that none can starve the others. */
export interface SenderLimits {
  /**
   * Counts a member's request as in progress until the result is disposed of.
   *
   * @throws {RequestError} if it repeats a nonce, or the member sends too much.
   */
  enter(member: string, nonce: string): Disposable
}

export interface SenderLimitsOptions {
  /** Requests that a member may send at once: announcement, proposal and approval of every feed. @default 400 */
  burst?: number
  /** @default 20 */
  perSecond?: number
  /** Requests of a member that are in progress at the same time. Most of them wait for EIA. @default 64 */
  concurrency?: number
  /** Milliseconds of a steady clock. @default performance.now */
  now?: () => number
}

interface Sender {
  readonly bucket: TokenBucket
  running: number
  readonly nonces: LRUCache<string, true>
}

/** More than a member may send while a request is not stale. */
const MAX_NONCES = 10_000

export function createSenderLimits({
  burst = 400,
  perSecond = 20,
  concurrency = 64,
  now = () => performance.now(),
}: SenderLimitsOptions = {}): SenderLimits {
  const senders = new Map<string, Sender>()

  function senderOf(member: string): Sender {
    const sender = senders.get(member) ?? {
      bucket: createTokenBucket({ burst, perSecond }, now),
      running: 0,
      nonces: new LRUCache({ max: MAX_NONCES }),
    }
    senders.set(member, sender)
    return sender
  }

  return {
    enter(member, nonce) {
      const sender = senderOf(member)
      // Before the count, because another program may repeat the member's request.
      if (sender.nonces.has(nonce))
        throw new RequestError(401, 'repeated_nonce', `this member has received the nonce ${nonce} before`)
      const waitMs = sender.bucket.take()
      if (waitMs > 0) throw tooMany(`at most ${perSecond} requests per second`, waitMs)
      if (sender.running >= concurrency)
        throw tooMany(`at most ${concurrency} requests in progress`, RETRY_AFTER_MS)
      sender.nonces.set(nonce, true)
      sender.running += 1
      return {
        [Symbol.dispose]() {
          sender.running -= 1
        },
      }
    },
  }
}

const tooMany = (rule: string, retryAfterMs: number): RequestError =>
  new RequestError(429, 'too_many_requests', `a member may have ${rule}`, retryAfterMs)
