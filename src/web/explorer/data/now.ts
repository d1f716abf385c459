import { signal } from '@preact/signals'

const EVERY_MS = 5_000

let timer: ReturnType<typeof setInterval> | undefined

const update = (): void => {
  now.value = Date.now()
}

/** The time in epoch milliseconds, for ages. It is updated every 5 s while a component reads it. */
export const now = signal(Date.now(), {
  watched() {
    update()
    timer = setInterval(update, EVERY_MS)
  },
  unwatched: () => clearInterval(timer),
})
