import { LRUCache } from 'lru-cache'
import { RequestError } from './requestError.ts'
import { createTokenBucket, type Rate, type TokenBucket } from './tokenBucket.ts'

/**
 * Limits the signatures that are checked: anyone can name a member's key. A member sends a ticket with its requests, and has
 * checks of its own. What exceeds them counts as that of a stranger, who may have stolen the ticket.
 */
export interface StrangerLimits {
  /**
   * Counts a check for a remote address.
   *
   * @param holder the member whose ticket the request has; null without a valid one
   * @throws {RequestError} if there are too many
   */
  count(address: string, holder: string | null): void
}

export interface StrangerLimitsOptions {
  /** Of one ticket. As much as a member may send. @default 400, then 20 a second */
  perTicket?: Rate
  /** Of one address. A member gets its ticket with its first answer. @default 100, then 5 a second */
  perAddress?: Rate
  /** Of all addresses. A check takes a few milliseconds at most. @default 300, then 50 a second */
  total?: Rate
  /** Milliseconds of a steady clock. @default performance.now */
  now?: () => number
}

/** Addresses that are remembered. With more of them, the total limits the checks. */
const MAX_ADDRESSES = 10_000

export function createStrangerLimits({
  perTicket = { burst: 400, perSecond: 20 },
  perAddress = { burst: 100, perSecond: 5 },
  total = { burst: 300, perSecond: 50 },
  now = () => performance.now(),
}: StrangerLimitsOptions = {}): StrangerLimits {
  const all = createTokenBucket(total, now)
  const byAddress = new LRUCache<string, TokenBucket>({ max: MAX_ADDRESSES })
  const byHolder = new Map<string, TokenBucket>()
  return {
    count(address, holder) {
      if (holder !== null) {
        const ofTicket = byHolder.get(holder) ?? createTokenBucket(perTicket, now)
        byHolder.set(holder, ofTicket)
        if (ofTicket.take() === 0) return
      }
      const network = networkOf(address)
      const own = byAddress.get(network) ?? createTokenBucket(perAddress, now)
      byAddress.set(network, own)
      // One address that sends too much must not use up what all have together.
      const waitMs = own.take() || all.take()
      if (waitMs > 0)
        throw new RequestError(
          429,
          'too_many_requests',
          'too many requests without a ticket of this member; it gives one with its first answer',
          waitMs,
        )
    },
  }
}

/** Returns an IPv4 address, or the first 64 bits of an IPv6 address: their owner has all addresses that follow. */
function networkOf(address: string): string {
  const [start = ''] = address.split('::')
  return start.split(':').slice(0, 4).join(':')
}
