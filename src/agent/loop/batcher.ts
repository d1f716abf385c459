/** Groups items that arrive one by one. */
export interface Batcher<T> {
  add(item: T): void
  /** Passes on the items that are waiting. */
  flush(): void
}

export interface BatcherOptions<T> {
  /** Groups items in order, each group as large as possible; a further item changes the last group only. */
  group: (items: readonly T[]) => readonly (readonly T[])[]
  /** The maxItems items in a group. */
  maxItems: number
  /** How long a group waits for more after its first item, in milliseconds. */
  waitMs: number
  wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** Called with each finished group. */
  take: (items: readonly T[]) => void
}

/** Creates a batcher: it passes on a group when it is full, when its first item has waited, or when flushed. */
export function createBatcher<T>({ group, maxItems, waitMs, wait, take }: BatcherOptions<T>): Batcher<T> {
  let items: readonly T[] = []
  let timer: AbortController | null = null

  function stopTimer(): void {
    timer?.abort()
    timer = null
  }

  function startTimer(): void {
    const controller = new AbortController()
    timer = controller
    wait(waitMs, controller.signal).then(flush, () => {})
  }

  function flush(): void {
    stopTimer()
    const groups = group(items)
    items = []
    for (const each of groups) take(each)
  }

  return {
    flush,
    add(item) {
      const groups = group([...items, item])
      const full = groups.slice(0, -1)
      items = groups.at(-1) ?? []
      // The timer is that of the first group's first item.
      if (full.length > 0) stopTimer()
      for (const each of full) take(each)
      if (items.length >= maxItems) flush()
      else if (timer === null) startTimer()
    },
  }
}
