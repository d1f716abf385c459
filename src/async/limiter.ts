/**
 * Lets at most `most` pieces of work run at once; the others wait their turn.
 *
 * Ours because it is 600 bytes smaller in the browser bundle than the common library, which is all that the bound
 * on the bundle's size left over.
 */
export function createLimiter(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let free = most
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
