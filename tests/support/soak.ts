/** Whether the long forms of tests run, as in `bun run soak`. */
export const IS_SOAK = process.env.SOAK === '1'

/**
 * Returns every combination of three lists in a soak. Otherwise returns as few combinations as cover each pair of values
 * from two lists: a third of all, or half if a list has only two values.
 */
export function combinations<A, B, C>(
  ones: readonly A[],
  twos: readonly B[],
  threes: readonly C[],
): (readonly [A, B, C])[] {
  const share = IS_SOAK ? 1 : Math.min(3, ones.length, twos.length, threes.length)
  return ones.flatMap((one, i) =>
    twos.flatMap((two, j) =>
      threes.flatMap((three, k) => ((i + j + k) % share === 0 ? [[one, two, three] as const] : [])),
    ),
  )
}

/** Returns all items in a soak, otherwise every third. */
export const sampled = <T>(all: readonly T[]): T[] => all.filter((_, index) => IS_SOAK || index % 3 === 0)
