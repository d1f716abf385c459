import type { GlobalState } from '@wattfeed/casper'

/**
 * Reads the items that a count includes. Where nodes are trusted, one of them may have counted an item that no node has: then every
 * node counts. That code is loaded when it is needed.
 *
 * @param read - reads the items below a count
 * @throws {@link CountContradictedError} when every node counts the absent item.
 */
export async function readCountedItems<T>(
  state: GlobalState,
  { count, readCount }: { count: number; readCount: (state: GlobalState) => Promise<number | null> },
  read: (count: number) => Promise<T>,
): Promise<T> {
  try {
    return await read(count)
  } catch (error) {
    const { readRecounted } = await import('./recount.ts')
    return readRecounted(state, { count, readCount, error }, read)
  }
}
