import { defineError } from '@wattfeed/base'
import pLimit from 'p-limit'
import { runInWorker } from '../../runtime/runInWorker.ts'

export const ChartBusyError = defineError(
  'ChartBusyError',
  'chart_busy',
  (facts: { waiting: number }) => `the queue of pictures is full (${facts.waiting} waiting); retry later`,
  { retryable: true },
)

export const ChartWorkerError = defineError(
  'ChartWorkerError',
  'chart_worker',
  (facts: { reason: string }) => `the worker that renders pictures failed: ${facts.reason}`,
)

export interface PictureTask {
  readonly svg: string
  /** Width of the picture in pixels; its height follows. */
  readonly width: number
}

export type RenderPicture = (task: PictureTask) => Promise<Uint8Array<ArrayBuffer>>

const MAX_WAITING = 8
const TIMEOUT_MS = 60_000

const limit = pLimit(1)

/**
 * Renders each picture in a worker of its own, one at a time, so that pictures neither block other requests nor keep memory: the
 * renderer takes about 40 MB.
 *
 * @param run runs a task in a worker
 * @throws {ChartBusyError} when the queue is full.
 * @throws {ChartWorkerError} when the worker fails, exits or times out.
 */
export async function renderPicture(task: PictureTask, run: RenderPicture = renderInWorker) {
  if (limit.pendingCount >= MAX_WAITING) throw new ChartBusyError({ waiting: limit.pendingCount })
  return limit(() => run(task))
}

function renderInWorker(input: PictureTask): Promise<Uint8Array<ArrayBuffer>> {
  // The URL is also valid in the binary, where all files are in one folder.
  const url = new URL('./pictureWorker.ts', import.meta.url)
  const failed = (reason: string) => new ChartWorkerError({ reason })
  return runInWorker({ url, input, timeoutMs: TIMEOUT_MS, failed })
}
