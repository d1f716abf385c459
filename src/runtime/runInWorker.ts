import { limitTime } from '@wattfeed/base'

export interface WorkerTask {
  /** A module that answers one message. */
  url: URL
  input: unknown
  timeoutMs: number
  /** Creates the error of a worker that fails, exits or times out. */
  failed(reason: string): Error
}

/** Sends a message to a worker of its own, and returns its answer. The worker then ends, and its memory is free. */
export function runInWorker<Answer>({ url, input, timeoutMs, failed }: WorkerTask): Promise<Answer> {
  const worker = new Worker(url.href)
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  worker.onmessage = ({ data }) => resolve(data)
  worker.onerror = ({ message }) => reject(failed(message))
  worker.addEventListener('close', () => reject(failed('it exited')))
  worker.postMessage(input)
  const error = () => failed(`no result within ${timeoutMs} ms`)
  return limitTime({ timeoutMs, error }, () => promise).finally(() => worker.terminate())
}
