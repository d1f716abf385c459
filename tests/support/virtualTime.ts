/**
 * Time that passes only while nothing else can happen: no fetch is in flight and no signature is being computed. Reads with
 * pauses of many seconds take milliseconds. The same seed always gives the same times, on a machine of any speed.
 */
export interface VirtualTime {
  /** Milliseconds since the clock was made; never goes back. */
  monotonicMs(): number
  /** Sets the result of `Date.now`. */
  setWall(epochMs: number): void
  /** The true time, independent of the local clock's setting. */
  trueMs(): number
  /** Sets the local clock wrong by this number of milliseconds; 0 corrects it. */
  setSkew(ms: number): void
  /** Lets time pass until the work has ended. Throws if nothing could ever end it. */
  settle<T>(work: Promise<T>): Promise<T>
  /** Counts real work, such as file access: no time passes until it has ended. */
  track<T>(work: Promise<T>): Promise<T>
  /** Lets this amount of time pass. */
  elapse(ms: number): Promise<void>
  /** Starts at 0 again. Drops timers that are still set, so code that waits for them never resumes. */
  reset(): Promise<void>
  /** Restores the process's own clock. */
  restore(): void
}

interface Timer {
  at: number
  order: number
  run: () => void
}

/** Turns of the event loop without activity, after which only the passing of time can cause an event. */
const QUIET_TURNS = 6

/**
 * Replaces timers, clocks, chance and WebCrypto's entry points for the process, until {@link VirtualTime.restore}.
 *
 * @param random takes the place of `Math.random`
 */
export function createVirtualTime(random: () => number): VirtualTime {
  const real = {
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
    dateNow: Date.now,
    performanceNow: performance.now,
    mathRandom: Math.random,
    verify: crypto.subtle.verify,
    importKey: crypto.subtle.importKey,
  }
  const turn = setImmediate
  const timers = new Map<object, Timer>()
  const underWay = new Set<Promise<unknown>>()
  let [nowMs, order, activity, wallOffset, skewMs] = [0, 0, 0, 0, 0]

  const setTimer = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): object => {
    const timer = createHandle()
    activity += 1
    timers.set(timer, { at: nowMs + Math.max(0, Number(ms) || 0), order: ++order, run: () => run(...args) })
    return timer
  }

  const clearTimer = (timer: object): void => {
    if (timers.delete(timer)) activity += 1
  }

  function track<T>(working: Promise<T>): Promise<T> {
    activity += 1
    const ended = working.then(
      () => {},
      () => {},
    )
    underWay.add(ended)
    ended.then(() => underWay.delete(ended))
    return working
  }

  const counted =
    <Args extends unknown[], T>(work: (...args: Args) => Promise<T>) =>
    (...args: Args): Promise<T> =>
      track(work.apply(crypto.subtle, args))

  async function quiet(): Promise<void> {
    for (let idle = 0, seen = activity; idle < QUIET_TURNS; idle++) {
      await new Promise<void>((resolve) => turn(() => resolve()))
      if (underWay.size > 0) await Promise.race(underWay)
      else if (seen === activity) continue
      idle = -1
      seen = activity
    }
  }

  const next = (): [object, Timer] | null => {
    let first: [object, Timer] | null = null
    for (const entry of timers) if (first === null || isBefore(entry[1], first[1])) first = entry
    return first
  }

  function fire([handle, timer]: [object, Timer]): void {
    timers.delete(handle)
    nowMs = Math.max(nowMs, timer.at)
    activity += 1
    timer.run()
  }

  Object.assign(globalThis, { setTimeout: setTimer, clearTimeout: clearTimer })
  Date.now = () => Math.floor(wallOffset + nowMs + skewMs)
  performance.now = () => nowMs
  Math.random = random
  Object.assign(crypto.subtle, { verify: counted(real.verify), importKey: counted(real.importKey as never) })

  return {
    monotonicMs: () => nowMs,
    setWall(epochMs) {
      wallOffset = epochMs - nowMs
    },
    trueMs: () => Math.floor(wallOffset + nowMs),
    setSkew(ms) {
      skewMs = ms
    },
    track,
    async settle(work) {
      let isOver = false
      const over = () => {
        isOver = true
        activity += 1
      }
      work.then(over, over)
      for (;;) {
        await quiet()
        if (isOver) return work
        const timer = next()
        if (timer === null) throw new Error('the work waits for nothing and does not end')
        fire(timer)
      }
    },
    async elapse(ms) {
      const end = nowMs + ms
      await quiet()
      for (let timer = next(); timer !== null && timer[1].at <= end; timer = next()) {
        fire(timer)
        await quiet()
      }
      nowMs = end
    },
    async reset() {
      await quiet()
      timers.clear()
      nowMs = 0
      skewMs = 0
    },
    restore() {
      Object.assign(globalThis, { setTimeout: real.setTimeout, clearTimeout: real.clearTimeout })
      Object.assign(crypto.subtle, { verify: real.verify, importKey: real.importKey })
      Date.now = real.dateNow
      performance.now = real.performanceNow
      Math.random = real.mathRandom
    },
  }
}

const isBefore = (a: Timer, b: Timer): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)

/** The parts of `setTimeout`'s result that code for browsers uses too. */
function createHandle(): object {
  const handle = { ref: () => handle, unref: () => handle, hasRef: () => true }
  return handle
}
