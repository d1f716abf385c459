import type { AnswerRpc } from '@wattfeed/casper-devnet'

/** Counts the calls that pass through `answer`. */
export interface CallCounter {
  answer: AnswerRpc
  total(): number
  /** Number of calls of each called method. */
  byMethod(): Record<string, number>
  reset(): void
}

export function createCallCounter(inner: AnswerRpc): CallCounter {
  const counts = new Map<string, number>()
  return {
    answer(method, params) {
      counts.set(method, (counts.get(method) ?? 0) + 1)
      return inner(method, params)
    },
    total: () => [...counts.values()].reduce((sum, count) => sum + count, 0),
    byMethod: () => Object.fromEntries(counts),
    reset: () => counts.clear(),
  }
}
