/** Where progress is shown. */
interface Output {
  isTTY?: boolean
  columns?: number
  write(text: string): unknown
}

/**
 * Shows what the demo does until it is ready. On a terminal, that is one line, which is erased at the end. Otherwise each step
 * has a line, and each second of a long one.
 */
export class Progress {
  readonly #output: Output
  readonly #now: () => number
  readonly #startedAt: number
  #step = ''
  #count = ''
  #shownAt = -1
  #hasEnded = false

  /** @param now in milliseconds */
  constructor(output: Output, now: () => number = () => performance.now()) {
    this.#output = output
    this.#now = now
    this.#startedAt = now()
  }

  /** Begins a step, and shows it at once. */
  begin(step: string): void {
    this.#step = step
    this.#count = ''
    this.#shownAt = -1
    this.tick()
  }

  /** Sets how much of the step is done, which the next tick shows. */
  count(done: number, all: number, what: string): void {
    this.#count = `: ${done.toLocaleString('en')} of ${all.toLocaleString('en')} ${what}`
  }

  /** Shows the step and the time again. Silence looks like a fault. */
  tick(): void {
    if (this.#hasEnded) return
    const { isTTY, columns = 80 } = this.#output
    const seconds = Math.floor((this.#now() - this.#startedAt) / 1_000)
    if (!isTTY && seconds === this.#shownAt) return
    this.#shownAt = seconds
    const line = `demo: ${this.#step}${this.#count} (${seconds} s)`
    this.#output.write(isTTY ? `${ERASE}${line.slice(0, columns - 1)}` : `${line}\n`)
  }

  /** Erases the line on a terminal, before something else is printed. */
  clear(): void {
    if (this.#output.isTTY && !this.#hasEnded) this.#output.write(ERASE)
  }

  end(): void {
    this.clear()
    this.#hasEnded = true
  }
}

/** Moves to the line's start, and erases it. */
const ERASE = '\r\x1b[K'

/** Short, because the chain's work delays ticks. */
const TICK_MS = 500

/** Shows progress on standard error until it ends or is disposed of. */
export function startProgress(): Progress & Disposable {
  const progress = new Progress(process.stderr)
  const timer = setInterval(() => progress.tick(), TICK_MS)
  return Object.assign(progress, {
    [Symbol.dispose]() {
      clearInterval(timer)
      progress.end()
    },
  })
}
