import type { Listener } from './listen.ts'

export interface ShutdownOptions {
  listener: Pick<Listener, 'stop' | 'close'>
  /** Resolves after so many milliseconds. @default a timer */
  wait?: (ms: number) => Promise<void>
}

/** How long requests in flight may take: containers are killed after ten seconds. */
const GRACE_MS = 8_000

/**
 * Makes what stops the server, once however often it is called: it accepts nothing more, gives what is in
 * flight the time it may take, and closes what is still open then.
 */
export function createShutdown({ listener, wait = timer }: ShutdownOptions): () => Promise<void> {
  let stopped: Promise<void> | null = null
  const stop = async (): Promise<void> => {
    const answered = listener.stop()
    const inTime = await Promise.race([answered.then(() => true), wait(GRACE_MS).then(() => false)])
    if (!inTime) await listener.close()
  }
  return () => {
    stopped ??= stop()
    return stopped
  }
}

const timer = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })
