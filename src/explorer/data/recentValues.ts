import { shapeOf } from '../../api/shape.ts' with { type: 'macro' }
import { fetchAnswer } from './answers.ts'

/** A feed's newest values, the oldest first, one a period. */
export type RecentValues = readonly number[]

interface Page {
  readonly items: readonly { period: number; value: number }[]
}

const MAX_AT_ONCE = 4
const MAX_REMEMBERED = 500
const LIMIT = 60

const historyShape = shapeOf('historyPageBody')

const remembered = new Map<string, RecentValues>()
const waiting: (() => void)[] = []
let running = 0

/**
 * Reads a feed's newest values, few feeds at once; remembered for as long as the feed's newest value is the same.
 *
 * @param revision - changes with the feed's value
 * @throws {AnswerError}
 */
export async function recentValues(
  feedId: string,
  revision: number,
  signal: AbortSignal,
): Promise<RecentValues> {
  const key = `${revision} ${feedId}`
  const known = remembered.get(key)
  if (known !== undefined) return known
  await turn(signal)
  try {
    const path = `/v1/feeds/${encodeURIComponent(feedId)}/history?order=desc&limit=${LIMIT}`
    const { body } = await fetchAnswer(path, historyShape, { signal })
    const values = latestByPeriod(body)
    remember(key, values)
    return values
  } finally {
    running -= 1
    waiting.shift()?.()
  }
}

/** The latest value of each period, by period. */
export function latestByPeriod({ items }: Page): RecentValues {
  const byPeriod = new Map<number, number>()
  // The newest comes first.
  for (const { period, value } of items) if (!byPeriod.has(period)) byPeriod.set(period, value)
  return [...byPeriod].sort(([one], [other]) => one - other).map(([, value]) => value)
}

/** Waits until fewer than the limit are read. */
async function turn(signal: AbortSignal): Promise<void> {
  while (running >= MAX_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve))
  running += 1
  // What scrolled away while it waited hands on its turn.
  if (signal.aborted) {
    running -= 1
    waiting.shift()?.()
    signal.throwIfAborted()
  }
}

function remember(key: string, values: RecentValues): void {
  remembered.set(key, values)
  const [oldest] = remembered.keys()
  if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest)
}
