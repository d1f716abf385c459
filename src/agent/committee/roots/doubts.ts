/** Rounds with a member for which EIA said the same as before. EIA's servers differ for half an hour after a release. */
const MAX_FUTILE = 12
/** How long a member is left out after them; twice as long each further time. */
const FUTILE_MS = 3_600_000
/** Such rounds of all datasets in an hour. Each may take 30 requests, and EIA allows some 9,000 in an hour. */
const MAX_FUTILE_OF_ALL = 60

/** How long a reading must be ago before another member can cause the next one; twice as long each further time. */
const BEHIND_MS = 1_800_000

/** What a member has caused in vain while this one held the same root. */
interface Doubt {
  readonly root: string
  readonly count: number
  /** When the member counts again, by the clock of the caller. */
  readonly until: number
}

/** The rounds in vain with a member for all datasets. */
interface Waste {
  /** When the hour began in which they are counted. */
  readonly since: number
  readonly count: number
}

/** Which readings a member has caused. */
interface Claim {
  readonly root: string
  /** The snapshot from which this one read again. */
  readonly taken: number
  readonly count: number
}

/**
 * What other members have made this one do in vain. An honest one is seldom wrong for long. A hostile one may show another root each time,
 * and so cause requests to EIA indefinitely: it is believed less and less often. A change of the own root ends all doubts about that dataset.
 */
export class Doubts {
  readonly #futile = new Map<string, Doubt>()
  readonly #wasted = new Map<string, Waste>()
  readonly #claims = new Map<string, Claim>()
  readonly #now: () => number

  /** @param now milliseconds of a clock */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Whether a member has too often shown keys for which EIA had nothing new. */
  isFutile(feedId: string, member: string, root: string): boolean {
    const known = this.#futile.get(`${feedId} ${member}`)
    const isDoubted = known?.root === root && this.#now() < known.until
    return isDoubted || this.#wastedBy(member).count >= MAX_FUTILE_OF_ALL
  }

  /** Notes that EIA had nothing new for the keys of a member. */
  noteFutile(feedId: string, member: string, root: string): void {
    const name = `${feedId} ${member}`
    const known = this.#futile.get(name)
    const count = 1 + (known?.root === root ? known.count : 0)
    const waitMs = count < MAX_FUTILE ? 0 : FUTILE_MS * 2 ** (count - MAX_FUTILE)
    this.#futile.set(name, { root, count, until: this.#now() + waitMs })
    const wasted = this.#wastedBy(member)
    this.#wasted.set(member, { ...wasted, count: wasted.count + 1 })
  }

  #wastedBy(member: string): Waste {
    const now = this.#now()
    const known = this.#wasted.get(member)
    // The clock may have been set back.
    return known !== undefined && Math.abs(now - known.since) < FUTILE_MS ? known : { since: now, count: 0 }
  }

  /** Whether a member whose snapshot differs in too much may cause a reading now. Notes it if so. */
  claimsReading(
    feedId: string,
    member: string,
    own: { readonly root: string; readonly taken: number; readonly began: number },
  ): boolean {
    const { root, taken, began } = own
    const name = `${feedId} ${member}`
    const known = this.#claims.get(name)
    const count = known?.root === root ? known.count : 0
    if (known?.taken === taken || this.#now() < began + BEHIND_MS * 2 ** count) return false
    this.#claims.set(name, { root, taken, count: count + 1 })
    return true
  }
}
