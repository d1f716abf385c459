/** Groups what arrives one by one, so that it can share transactions. */
export interface Batcher<T> {
  add(item: T): void
  /** Hands over what is there. */
  flush(): void
}

export interface BatcherOptions<T> {
  /** Groups items in their order, each group as large as it can be; a further item changes the last group only. */
  group: (items: readonly T[]) => readonly (readonly T[])[]
  /** How many items a group has at most. */
  most: number
  /** How long a group waits for more from its first item on, in milliseconds. */
  waitMs: number
  wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** Takes a group. */
  take: (items: readonly T[]) => void
}

/** Makes a batcher: it hands over a group when it is full, when its first item has waited, or when told. */
export function createBatcher<T>({ group, most, waitMs, wait, take }: BatcherOptions<T>): Batcher<T> {
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
      if (items.length >= most) flush()
      else if (timer === null) startTimer()
    },
  }
}
