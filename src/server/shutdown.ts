import { GRACE_MS } from '../runtime/stopSignal.ts'
import type { Listener } from './listen.ts'

/**
 * Returns a function that stops the server. It ends the streams, stops accepting connections, waits {@link GRACE_MS} for
 * requests in flight, and closes the remaining connections. Repeated calls wait for the first.
 */
export function createShutdown(
  listener: Pick<Listener, 'stop' | 'close'>,
  endStreams: () => void,
  wait: (ms: number) => Promise<void> = timer,
): () => Promise<void> {
  let stopped: Promise<void> | null = null
  const stop = async (): Promise<void> => {
    endStreams()
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
