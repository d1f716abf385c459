/** Whether the long forms of tests run, as in `bun run soak`. */
export const IS_SOAK = process.env.SOAK === '1'

/** One value of each list. */
export type Combination<L extends readonly (readonly unknown[])[]> = {
  readonly [K in keyof L]: L[K][number]
}

/**
 * Returns every combination of the lists in a soak. Otherwise returns few combinations that together have each pair of
 * values from two lists: not many more than the product of the two longest lists.
 */
export function combinations<L extends readonly (readonly unknown[])[]>(...lists: L): Combination<L>[] {
  const all = lists.reduce<unknown[][]>(
    (rows, list) => rows.flatMap((row) => list.map((value) => [...row, value])),
    [[]],
  )
  return (IS_SOAK ? all : coverPairs(all)) as Combination<L>[]
}

/** Takes the row with most new pairs of values, until no row has a new one. */
function coverPairs(rows: readonly unknown[][]): unknown[][] {
  let left = rows.map((row) => ({ row, pairs: pairsOf(row) }))
  const covered = new Set<string>()
  const taken: unknown[][] = []
  for (;;) {
    left = left
      .map(({ row, pairs }) => ({ row, pairs: pairs.filter((pair) => !covered.has(pair)) }))
      .filter(({ pairs }) => pairs.length > 0)
    const [first, ...others] = left
    if (first === undefined) return taken
    const best = others.reduce((most, each) => (each.pairs.length > most.pairs.length ? each : most), first)
    taken.push(best.row)
    for (const pair of best.pairs) covered.add(pair)
  }
}

const pairsOf = (row: readonly unknown[]): string[] =>
  row.flatMap((one, i) => row.slice(i + 1).map((other, j) => JSON.stringify([i, one, i + 1 + j, other])))

/** Returns all items in a soak, otherwise one of so many. */
export const sampled = <T>(all: readonly T[], among = 3): T[] =>
  all.filter((_, index) => IS_SOAK || index % among === 0)
