/** How often something may happen. */
export interface Rate {
  /** At once, after a pause. */
  readonly burst: number
  readonly perSecond: number
}

export interface TokenBucket {
  /** Counts it. Returns 0, or how many milliseconds to wait first; then it does not count. */
  take(): number
}

/** Creates a full bucket. @param now milliseconds of a steady clock */
export function createTokenBucket({ burst, perSecond }: Rate, now: () => number): TokenBucket {
  let [tokens, countedAt] = [burst, now()]
  return {
    take() {
      const time = now()
      tokens = Math.min(burst, tokens + ((time - countedAt) / 1_000) * perSecond)
      countedAt = time
      if (tokens < 1) return ((1 - tokens) / perSecond) * 1_000
      tokens -= 1
      return 0
    },
  }
}
