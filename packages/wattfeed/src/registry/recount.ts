import { limitTime } from '@wattfeed/base'
import {
  AllNodesFailedError,
  createGlobalState,
  type GlobalState,
  HiddenValueError,
  type Rpc,
} from '@wattfeed/casper'
import { CountContradictedError } from './countContradictedError.ts'

/** How long a node may take to count. */
const COUNT_MS = 2_000

interface CountedItem {
  /** Names the item, with the contract. */
  readonly item: string
  readonly index: number
  readonly readCount: (state: GlobalState) => Promise<number | null>
}

/**
 * Asks each node for a count, because one has counted an item that all report as absent. Returns the count that most of the others
 * agree on, and penalizes those that count the item.
 *
 * @throws {@link CountContradictedError} when every node counts it.
 */
export async function recount(
  { trusted: rpc }: GlobalState,
  { item, index, readCount }: CountedItem,
): Promise<number> {
  if (rpc === undefined) throw new TypeError('a proven count needs no other')
  const timeout = { timeoutMs: COUNT_MS, error: () => new Error('too slow') }
  const answers = await Promise.all(
    rpc.nodes.map(async (node) => {
      const alone: Rpc = { ...rpc, call: (request) => rpc.call({ ...request, only: node }) }
      const read = async () => (await readCount(createGlobalState(alone))) ?? 0
      return { node, count: await limitTime(timeout, read).catch(() => null) }
    }),
  )
  const counts = Object.fromEntries(answers.map(({ node, count }) => [node.host, count]))
  const error = new CountContradictedError(item, counts)
  const others = answers.flatMap(({ count }) => (count !== null && count <= index ? count : []))
  const [agreed] = others.toSorted((a, b) => votes(others, b) - votes(others, a) || b - a)
  if (agreed === undefined) throw error
  for (const { node, count } of answers) if (count !== null && count > index) rpc.penalize(node, error)
  return agreed
}

const votes = (counts: readonly number[], count: number): number =>
  counts.filter((each) => each === count).length

/**
 * Reads the items that a count includes, after that has failed. If an item is absent at every node, it counts again at each of them, and
 * reads the items of that count.
 *
 * @param read - reads the items below a count
 * @throws {@link CountContradictedError} when every node counts the absent item.
 * @throws `error` if it is another one, or the count is proven.
 */
export async function readRecounted<T>(
  state: GlobalState,
  { count, readCount, error }: { count: number; error: unknown } & Pick<CountedItem, 'readCount'>,
  read: (count: number) => Promise<T>,
): Promise<T> {
  const item = absentItem(error)
  if (state.isProven || item === null) throw error
  return read(await recount(state, { item, index: count - 1, readCount }))
}

/** Reads the items that a count includes, and those of another count as {@link readRecounted}. */
export async function readCountedItems<T>(
  state: GlobalState,
  counted: { count: number } & Pick<CountedItem, 'readCount'>,
  read: (count: number) => Promise<T>,
): Promise<T> {
  try {
    return await read(counted.count)
  } catch (error) {
    return readRecounted(state, { ...counted, error }, read)
  }
}

/** Returns the item that the nodes report as absent, although it is counted; null for any other error. */
function absentItem(error: unknown): string | null {
  if (!(error instanceof AllNodesFailedError)) return null
  const failures = error.failures.map((failure) => failure.error)
  return failures.find((each) => each instanceof HiddenValueError)?.what ?? null
}
