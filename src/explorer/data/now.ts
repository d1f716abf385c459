import { createStore, useStore } from './store.ts'

const EVERY_MS = 5_000

const nowStore = createStore(Date.now(), {
  start() {
    nowStore.set(Date.now())
    const timer = setInterval(() => nowStore.set(Date.now()), EVERY_MS)
    return () => clearInterval(timer)
  },
})

/** The time in epoch milliseconds, some seconds behind at most: for ages. */
export const useNow = (): number => useStore(nowStore)
