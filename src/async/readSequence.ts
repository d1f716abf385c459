export interface Sequence {
  /** First index. */
  from: number
  /** The index after the last one. A node may claim any number: nothing is allocated for it. */
  to: number
  /** How many reads may be under way at once. */
  concurrency: number
}

/** Reads one item for each index, in order. The first failure ends it: nothing more is asked. */
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
