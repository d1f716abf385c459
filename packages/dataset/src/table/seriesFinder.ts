import type { TableIndex } from './tableIndex.ts'

/** Creates a function that returns the place of a leaf's series in the index. Neighbors are often of the same. */
export function createSeriesFinder({ starts }: Pick<TableIndex, 'starts'>): (leaf: number) => number {
  let last = 0
  return (leaf) => {
    if (leaf >= (starts[last] ?? 0) && leaf < (starts[last + 1] ?? 0)) return last
    let low = 0
    let high = starts.length - 1
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if ((starts[middle] ?? 0) <= leaf) low = middle
      else high = middle
    }
    last = low
    return low
  }
}
