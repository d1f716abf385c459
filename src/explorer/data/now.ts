import { signal } from '@preact/signals'

const EVERY_MS = 5_000

let timer: ReturnType<typeof setInterval> | undefined

const update = (): void => {
  now.value = Date.now()
}

/** The time in epoch milliseconds, at most some seconds behind: for ages. */
export const now = signal(Date.now(), {
  watched() {
    update()
    timer = setInterval(update, EVERY_MS)
  },
  unwatched: () => clearInterval(timer),
})
