import pLimit, { type LimitFunction } from 'p-limit'
import { type Peer, PeerError } from './callMember.ts'

/** Requests to one member that wait. */
const MAX_WAITING = 200

/** The requests of one kind to one member. A member that hangs must not take all connections. */
export class PeerLine {
  readonly peer: Peer
  readonly #limit: LimitFunction
  readonly #now: () => number
  #pausedUntil = 0

  /**
   * @param options.concurrency requests in progress at the same time
   * @param options.now milliseconds of a steady clock
   */
  constructor(
    peer: Peer,
    { concurrency, now }: { readonly concurrency: number; readonly now: () => number },
  ) {
    this.peer = peer
    this.#limit = pLimit(concurrency)
    this.#now = now
  }

  /**
   * Sends a request when it is its turn. While the member has asked for a pause, it fails at once.
   *
   * @param onEnd called with each request that had its turn
   * @throws {PeerError}
   */
  async run<T>(
    request: () => Promise<T>,
    onEnd: (end: { readonly durationMs: number; readonly error: PeerError | null }) => void = () => {},
  ): Promise<T> {
    const { name } = this.peer
    if (this.#limit.pendingCount >= MAX_WAITING)
      throw new PeerError(name, `is too slow: ${MAX_WAITING} requests wait`)
    return this.#limit(async () => {
      const startedAt = this.#now()
      const end = (error: PeerError | null) => onEnd({ durationMs: this.#now() - startedAt, error })
      try {
        if (startedAt < this.#pausedUntil) throw new PeerError(name, 'has asked for a pause')
        const answer = await request()
        end(null)
        return answer
      } catch (error) {
        if (!(error instanceof PeerError)) throw error
        this.#pausedUntil = Math.max(this.#pausedUntil, this.#now() + (error.retryAfterMs ?? 0))
        end(error)
        throw error
      }
    })
  }
}
