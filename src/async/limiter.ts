/**
 * Returns a function that runs at most `max` tasks at once; the others wait their turn.
 *
 * Hand-written because the usual library adds 600 bytes, and the browser bundle's size limit leaves no room.
 */
export function createLimiter(max: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let free = max
  return async (work) => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}
