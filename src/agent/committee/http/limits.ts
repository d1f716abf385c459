import { LRUCache } from 'lru-cache'
import { RETRY_AFTER_MS, RequestError } from './requestError.ts'

/** How often something may happen. */
export interface Rate {
  /** How many requests may come at once after a pause. */
  readonly burst: number
  readonly perSecond: number
}

/** What is left of a rate at a time of a steady clock. */
interface Bucket {
  readonly tokens: number
  readonly countedAt: number
}

interface Buckets {
  get(key: string): Bucket | undefined
  set(key: string, bucket: Bucket): unknown
}

/** Counts something that may happen only so often. Returns 0, or how many milliseconds to wait first; then it does not count. */
function take(buckets: Buckets, key: string, rate: Rate, time: number): number {
  const waitMs = waitFor(buckets, key, rate, time)
  if (waitMs === 0) spend(buckets, key, rate, time, 1)
  return waitMs
}

/** Returns how many milliseconds must pass until something may happen again. */
function waitFor(buckets: Buckets, key: string, rate: Rate, time: number): number {
  return Math.max(0, (1 - tokensOf(buckets, key, rate, time)) / rate.perSecond) * 1_000
}

/** Counts tokens, which may be more than are left. */
function spend(buckets: Buckets, key: string, rate: Rate, time: number, tokens: number): void {
  buckets.set(key, { tokens: tokensOf(buckets, key, rate, time) - tokens, countedAt: time })
}

function tokensOf(buckets: Buckets, key: string, { burst, perSecond }: Rate, time: number): number {
  const { tokens, countedAt } = buckets.get(key) ?? { tokens: burst, countedAt: time }
  return Math.min(burst, tokens + ((time - countedAt) / 1_000) * perSecond)
}

/** Of a member: announcement, proposal and approval of every feed. */
const MESSAGES: Rate = { burst: 400, perSecond: 20 }

/** Of a member: the largest comparison, of 100,000 leaves, takes about 210 requests. Two usual ones in a minute take ten each. */
const DOWNLOADS: Rate = { burst: 240, perSecond: 0.5 }

/**
 * Of a member: for how many milliseconds its downloads are prepared. Of 2,000,000 leaves, one may take three seconds, because all hashes are
 * read to open an older snapshot. The usual ones take a tenth of one. An honest member gives up after a minute of three comparisons in ten
 * minutes, and after a minute of fetching.
 */
const PREPARING: Rate = { burst: 120_000, perSecond: 100 }

const UNLIMITED: Rate = { burst: Number.POSITIVE_INFINITY, perSecond: 0 }

/** Limits the requests of each member, so that none can starve the others. Honest members do not reach the defaults. */
export class SenderLimits {
  readonly #rules: {
    readonly rate: Rate
    readonly work: Rate
    readonly concurrency: number
    readonly now: () => number
  }
  readonly #buckets = new Map<string, Bucket>()
  readonly #work = new Map<string, Bucket>()
  readonly #running = new Map<string, number>()
  readonly #nonces = new Map<string, LRUCache<string, true>>()

  /**
   * @param rules.rate of a member
   * @param rules.work of a member: milliseconds of its timed work
   * @param rules.concurrency requests of a member that are in progress at the same time; most of them wait for EIA
   * @param rules.now milliseconds of a steady clock
   */
  constructor({
    rate = MESSAGES,
    work = UNLIMITED,
    concurrency = 64,
    now = () => performance.now(),
  }: { rate?: Rate; work?: Rate; concurrency?: number; now?: () => number } = {}) {
    this.#rules = { rate, work, concurrency, now }
  }

  /**
   * Counts a member's request as in progress until the result is disposed of.
   *
   * @throws {RequestError} if it repeats a nonce, or the member sends too much.
   */
  enter(member: string, nonce: string): Disposable {
    const { rate, work, concurrency, now } = this.#rules
    const nonces = this.#nonces.get(member) ?? new LRUCache<string, true>({ max: MAX_NONCES })
    this.#nonces.set(member, nonces)
    // Before the count, because another program may repeat the member's request.
    if (nonces.has(nonce))
      throw new RequestError(401, 'repeated_nonce', `this member has received the nonce ${nonce} before`)
    const waitMs = take(this.#buckets, member, rate, now())
    if (waitMs > 0) throw tooMany(`at most ${rate.perSecond} requests per second`, waitMs)
    const idleMs = waitFor(this.#work, member, work, now())
    if (idleMs > 0) throw tooMany(`at most ${work.perSecond} ms of work per second`, idleMs)
    const running = this.#running.get(member) ?? 0
    if (running >= concurrency) throw tooMany(`at most ${concurrency} requests in progress`, RETRY_AFTER_MS)
    nonces.set(nonce, true)
    this.#count(member, 1)
    return { [Symbol.dispose]: () => this.#count(member, -1) }
  }

  /** Does work for a member, and counts how long it takes. */
  async timed<T>(member: string, work: () => Promise<T>): Promise<T> {
    const { work: rate, now } = this.#rules
    const startedAt = now()
    try {
      return await work()
    } finally {
      spend(this.#work, member, rate, now(), now() - startedAt)
    }
  }

  #count(member: string, change: 1 | -1): void {
    this.#running.set(member, (this.#running.get(member) ?? 0) + change)
  }
}

/** Limits the downloads of each member: it has one at a time. @param now milliseconds of a steady clock */
export const createDownloadLimits = (now = () => performance.now()): SenderLimits =>
  new SenderLimits({ rate: DOWNLOADS, work: PREPARING, concurrency: 1, now })

/** More than a member may send while a request is not stale. */
const MAX_NONCES = 10_000

const tooMany = (rule: string, retryAfterMs: number): RequestError =>
  new RequestError(429, 'too_many_requests', `a member may have ${rule}`, retryAfterMs)

/**
 * Limits the signatures that are checked: anyone can name a member's key. A member sends a ticket with its requests, and has
 * checks of its own. What exceeds them counts as that of a stranger, who may have stolen the ticket.
 */
export class StrangerLimits {
  readonly #rules: {
    readonly perTicket: Rate
    readonly perAddress: Rate
    readonly total: Rate
    readonly now: () => number
  }
  readonly #all = new Map<string, Bucket>()
  readonly #byAddress = new LRUCache<string, Bucket>({ max: MAX_ADDRESSES })
  readonly #byHolder = new Map<string, Bucket>()

  /**
   * @param rules.perTicket as much as a member may send
   * @param rules.perAddress a member gets its ticket with its first answer
   * @param rules.total a check takes a few milliseconds at most
   * @param rules.now milliseconds of a steady clock
   */
  constructor({
    perTicket = {
      burst: MESSAGES.burst + DOWNLOADS.burst,
      perSecond: MESSAGES.perSecond + DOWNLOADS.perSecond,
    },
    perAddress = { burst: 100, perSecond: 5 },
    total = { burst: 300, perSecond: 50 },
    now = () => performance.now(),
  }: { perTicket?: Rate; perAddress?: Rate; total?: Rate; now?: () => number } = {}) {
    this.#rules = { perTicket, perAddress, total, now }
  }

  /**
   * Counts a check for a remote address.
   *
   * @param holder the member whose ticket the request has; null without a valid one
   * @throws {RequestError} if there are too many
   */
  count(address: string, holder: string | null): void {
    const { perTicket, perAddress, total, now } = this.#rules
    const time = now()
    if (holder !== null && take(this.#byHolder, holder, perTicket, time) === 0) return
    // One address that sends too much must not use up what all have together.
    const waitMs =
      take(this.#byAddress, networkOf(address), perAddress, time) || take(this.#all, '', total, time)
    if (waitMs > 0)
      throw new RequestError(
        429,
        'too_many_requests',
        'too many requests without a ticket of this member; it gives one with its first answer',
        waitMs,
      )
  }
}

/** Addresses that are remembered. With more of them, the total limits the checks. */
const MAX_ADDRESSES = 10_000

/** Returns an IPv4 address, or the first 64 bits of an IPv6 address: their owner has all addresses that follow. */
function networkOf(address: string): string {
  const [start = ''] = address.split('::')
  return start.split(':').slice(0, 4).join(':')
}
