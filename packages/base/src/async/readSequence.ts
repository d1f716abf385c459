export interface Sequence {
  from: number
  /** Exclusive. Nothing is allocated in advance, because a node can claim any number. */
  to: number
  /** Maximum number of reads in flight. */
  concurrency: number
}

/** Reads one item per index and returns the items in order. Stops at the first failure. */
export async function readSequence<T>(
  { from, to, concurrency }: Sequence,
  read: (index: number) => Promise<T>,
): Promise<T[]> {
  const values: T[] = []
  let next = from
  let failed = false
  const work = async () => {
    while (next < to && !failed) {
      const index = next++
      try {
        values[index - from] = await read(index)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, Math.max(0, to - from)) }, work))
  return values
}
