import { useLayoutEffect, useState } from 'preact/hooks'

/** A value that components follow. */
export interface Store<T> {
  get(): T
  set(value: T): void
  /** Calls `listener` at every change. Returns a function that ends it. */
  subscribe(listener: () => void): () => void
}

export interface StoreOptions {
  /** Called while somebody listens; what it returns is called when nobody does any more. */
  start?: () => () => void
}

/** Creates a store. */
export function createStore<T>(initial: T, { start }: StoreOptions = {}): Store<T> {
  let value = initial
  let stop: (() => void) | null = null
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(next) {
      if (next === value) return
      value = next
      for (const listener of listeners) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      if (listeners.size === 1) stop = start?.() ?? null
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) stop?.()
      }
    },
  }
}

/** The value of a store; the component renders again when it changes. */
export function useStore<T>(store: Store<T>): T {
  const [value, setValue] = useState(store.get)
  // Before the page is painted: what a store asks the server for is not to wait for that.
  useLayoutEffect(() => {
    const update = () => setValue(() => store.get())
    update()
    return store.subscribe(update)
  }, [store])
  return value
}
