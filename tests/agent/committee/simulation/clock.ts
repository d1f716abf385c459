/** A virtual clock and its events. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
  /** Runs something later, at a whole millisecond. */
  after(ms: number, run: () => unknown): void
  /** Resolves later. */
  sleep(ms: number): Promise<void>
  /** Runs all events up to a time. */
  runUntil(time: number): Promise<void>
}

interface Event {
  readonly at: number
  readonly order: number
  readonly run: () => unknown
}

/** Creates a clock. All work between two events must consist of promises that need no timer and no file. */
export function createClock(start: number): Clock {
  const events: Event[] = []
  let [time, order] = [start, 0]

  function after(ms: number, run: () => unknown): void {
    push(events, { at: time + Math.round(ms), order: order++, run })
  }

  return {
    now: () => time,
    after,
    sleep: (ms) => new Promise((resolve) => after(ms, resolve)),
    async runUntil(end) {
      for (let event = events[0]; event !== undefined && event.at <= end; event = events[0]) {
        pop(events)
        time = event.at
        event.run()
        // Everything that follows from the event happens before the next one.
        await new Promise<void>((resolve) => setImmediate(() => resolve()))
      }
      time = end
    },
  }
}

const isBefore = (a: Event | undefined, b: Event | undefined): boolean =>
  a !== undefined && b !== undefined && (a.at < b.at || (a.at === b.at && a.order < b.order))

function swap(heap: Event[], i: number, j: number): void {
  const [a, b] = [heap[i], heap[j]]
  if (a === undefined || b === undefined) return
  heap[i] = b
  heap[j] = a
}

function push(heap: Event[], event: Event): void {
  heap.push(event)
  for (let i = heap.length - 1; i > 0; ) {
    const parent = (i - 1) >> 1
    if (!isBefore(heap[i], heap[parent])) return
    swap(heap, i, parent)
    i = parent
  }
}

function pop(heap: Event[]): void {
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return
  heap[0] = last
  for (let i = 0; ; ) {
    const [left, right] = [2 * i + 1, 2 * i + 2]
    const child = isBefore(heap[right], heap[left]) ? right : left
    if (!isBefore(heap[child], heap[i])) return
    swap(heap, i, child)
    i = child
  }
}
