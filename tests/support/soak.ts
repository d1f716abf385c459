/** Whether the long forms of tests run, as in `bun run soak`. */
export const IS_SOAK = process.env.SOAK === '1'

/**
 * Returns every combination of three lists in a soak, else a third of them: each value of one list still meets each of
 * another, as long as the remaining list has three values.
 */
export function combinations<A, B, C>(
  ones: readonly A[],
  twos: readonly B[],
  threes: readonly C[],
): (readonly [A, B, C])[] {
  const isLeftOut = (sum: number): boolean => !IS_SOAK && sum % 3 !== 0
  return ones.flatMap((one, i) =>
    twos.flatMap((two, j) =>
      threes.flatMap((three, k) => (isLeftOut(i + j + k) ? [] : [[one, two, three] as const])),
    ),
  )
}

/** Returns all in a soak, else every third. */
export const sampled = <T>(all: readonly T[]): T[] => all.filter((_, index) => IS_SOAK || index % 3 === 0)
