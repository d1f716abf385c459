import { WattfeedError } from '../../errors.ts'
import type { Log } from '../../runtime/log.ts'
import { GRACE_MS } from '../listen.ts'
import { createTotals } from './totals.ts'
import type { WorkerProcess, WorkerProcessOptions } from './workerProcess.ts'

export interface RunWorkersOptions {
  count: number
  start: (options: Pick<WorkerProcessOptions, 'number' | 'metricsText'>) => WorkerProcess
  log: Pick<Log, 'info' | 'warn'>
  /** Ends all of them when it aborts. */
  signal: AbortSignal
  /** Called once, when all of them listen. */
  onListening: () => void
  /** @default a timer */
  wait?: (ms: number) => Promise<void>
  /** Milliseconds of any clock. @default performance.now */
  now?: () => number
}

/** A worker ended before it listened. */
export class WorkerStartError extends WattfeedError {
  static override readonly name = 'WorkerStartError'
  readonly code = 'worker_start'
  readonly retryable = false

  constructor(
    /** From 1 on. */
    readonly worker: number,
    /** How it ended: `exit code 1`, `SIGKILL`. */
    readonly end: string,
    /** How often in a row. */
    readonly attempts: number,
  ) {
    const times = attempts === 1 ? '' : `, ${attempts} times in a row`
    super(`worker ${worker} ended before it listened (${end})${times}: see what it wrote before`)
  }
}

/** How often a worker that is to replace another one may end before it listens. */
const MAX_STARTS = 10

/** A worker that ends sooner than this is replaced later each time. */
const STEADY_MS = 10_000

const MAX_PAUSE_MS = 5_000

/** Returns how long to wait before a worker is replaced: nothing at first, then 200 ms, 400 ms and so on. */
const pauseMs = (shortLives: number): number =>
  shortLives === 0 ? 0 : Math.min(MAX_PAUSE_MS, 100 * 2 ** shortLives)

/** What a worker has beyond its own grace until it is killed. */
const KILL_AFTER_MS = GRACE_MS + 1_000

/**
 * Starts workers and replaces those that end, until the signal. Returns when all have ended.
 *
 * The first starts alone: what keeps one from starting would keep all of them, and is said once.
 *
 * @throws {WorkerStartError} when one ends at its start: at once if it is the program's start, else after some attempts
 */
export async function runWorkers(options: RunWorkersOptions): Promise<void> {
  const { count, start, log, signal, onListening, wait = Bun.sleep, now = () => performance.now() } = options
  const totals = createTotals(wait)
  const running = new Set<WorkerProcess>()
  const stopping = Promise.withResolvers<void>()
  let ending: Promise<void> | null = null
  const isStopping = (): boolean => ending !== null

  function endAll(): Promise<void> {
    stopping.resolve()
    ending ??= endEach([...running], wait)
    return ending
  }

  /** Starts a worker; returns it when it listens, or how it ended. */
  async function begin(number: number): Promise<WorkerProcess | string> {
    const worker = start({ number, metricsText: totals.text })
    running.add(worker)
    const ended = worker.ended.then((end) => {
      running.delete(worker)
      return end
    })
    const outcome = await Promise.race([worker.listening.then(() => worker), ended])
    if (outcome === worker) {
      totals.add(worker)
      log.info({ worker: number, pid: worker.pid }, 'a worker listens')
    }
    return outcome
  }

  async function beginFirst(number: number): Promise<WorkerProcess | null> {
    if (isStopping()) return null
    const worker = await begin(number)
    if (typeof worker !== 'string') return worker
    if (isStopping()) return null
    throw new WorkerStartError(number, worker, 1)
  }

  /** Starts a worker in place of one that ended; null if all are to end meanwhile. */
  async function replace(number: number, shortLives: number): Promise<WorkerProcess | null> {
    let end = ''
    for (let attempt = 0; attempt < MAX_STARTS; attempt++) {
      await Promise.race([wait(pauseMs(shortLives + attempt)), stopping.promise])
      if (isStopping()) return null
      const worker = await begin(number)
      if (typeof worker !== 'string') return worker
      end = worker
    }
    if (isStopping()) return null
    throw new WorkerStartError(number, end, MAX_STARTS)
  }

  async function keep(first: WorkerProcess | null): Promise<void> {
    let shortLives = 0
    for (let worker = first; worker !== null; ) {
      const { number, pid } = worker
      const startedAt = now()
      const end = await worker.ended
      if (isStopping()) return
      log.warn({ worker: number, pid, end }, 'a worker ended: another one takes its place')
      const lifeMs = now() - startedAt
      if (lifeMs >= STEADY_MS) shortLives = 0
      worker = await replace(number, shortLives)
      shortLives += 1
    }
  }

  signal.addEventListener('abort', endAll)
  try {
    const first = await beginFirst(1)
    const others = Array.from({ length: count - 1 }, (_, index) => beginFirst(index + 2))
    const workers = [first, ...(await Promise.all(others))]
    if (!isStopping()) onListening()
    await Promise.all(workers.map(keep))
  } finally {
    await endAll()
  }
}

/** Ends workers in order, and kills those that do not end. */
async function endEach(
  workers: readonly WorkerProcess[],
  wait: (ms: number) => Promise<void>,
): Promise<void> {
  for (const worker of workers) worker.kill('SIGTERM')
  const ended = Promise.all(workers.map((worker) => worker.ended))
  const inTime = await Promise.race([ended.then(() => true), wait(KILL_AFTER_MS).then(() => false)])
  if (inTime) return
  for (const worker of workers) worker.kill('SIGKILL')
  await ended
}
