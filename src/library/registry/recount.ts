import { limitTime, WattfeedError } from '@wattfeed/base'
import {
  AllNodesFailedError,
  createGlobalState,
  type GlobalState,
  HiddenValueError,
  type Rpc,
} from '@wattfeed/casper'

/**
 * Nodes contradict each other: one counts an item that all report as absent. Only with `verify: 'off'`, where a count is not proven.
 *
 * @example
 * ```ts
 * import { CountContradictedError } from 'wattfeed'
 *
 * await client.getValueHistory('EIA.PET.PRICE.WTI.DAILY').catch((error) => {
 *   if (!(error instanceof CountContradictedError)) throw error
 *   console.warn(error.item, error.counts)
 * })
 * ```
 */
export class CountContradictedError extends WattfeedError {
  static override readonly name = 'CountContradictedError'
  readonly code = 'count_contradicted'
  readonly retryable = true

  constructor(
    /** The item that is absent: `AttestationRegistry.history[EIA.PET.PRICE.WTI.DAILY#14]`. */
    readonly item: string,
    /** The number of items by the host of each node; null if it did not answer. */
    readonly counts: Readonly<Record<string, number | null>>,
  ) {
    const each = Object.entries(counts).map(([host, count]) => `${host}: ${count ?? 'no answer'}`)
    super(
      `contradiction: ${item} is absent, but counted (counts by node: ${each.join(', ')}); retry, add a node, or set VERIFY=proofs`,
    )
  }
}

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
 * Reads the items that a count includes. Where nodes are trusted and an item is absent at every node, it counts again at each of them,
 * and reads the items of that count.
 *
 * @param read - reads the items below a count
 * @throws {@link CountContradictedError} when every node counts the absent item.
 */
export async function readCountedItems<T>(
  state: GlobalState,
  { count, readCount }: { count: number } & Pick<CountedItem, 'readCount'>,
  read: (count: number) => Promise<T>,
): Promise<T> {
  try {
    return await read(count)
  } catch (error) {
    const item = absentItem(error)
    if (state.isProven || item === null) throw error
    return read(await recount(state, { item, index: count - 1, readCount }))
  }
}

/** Returns the item that the nodes report as absent, although it is counted; null for any other error. */
function absentItem(error: unknown): string | null {
  if (!(error instanceof AllNodesFailedError)) return null
  const failures = error.failures.map((failure) => failure.error)
  return failures.find((each) => each instanceof HiddenValueError)?.what ?? null
}
