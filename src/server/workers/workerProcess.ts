import type { Samples } from '../metrics.ts'
import type { FromWorker, ToWorker } from './worker.ts'

/** A worker, as the process sees it that started it. */
export interface WorkerProcess {
  /** From 1 on; the process that replaces this one has the same. */
  readonly number: number
  readonly pid: number
  /** Resolves when it listens. */
  readonly listening: Promise<void>
  /** Resolves when it has ended and its log is written, with how: `exit code 1`, `SIGKILL`. */
  readonly ended: Promise<string>
  /** Returns its metrics; null if it ends before. */
  samples(): Promise<Samples | null>
  kill(signal: NodeJS.Signals): void
}

export interface WorkerProcessOptions {
  number: number
  /** Its settings, where they differ from this process's. */
  settings: Readonly<Record<string, string>>
  /** Writes whole lines of its log. */
  appendLog: (lines: Uint8Array) => Promise<void>
  /** Returns the metrics of all workers. */
  metricsText: () => Promise<string>
}

/**
 * Starts this program once more, as a worker. Nothing of it is looked up: the running binary starts itself, and from source
 * the running Bun the same file.
 */
export function startWorkerProcess({
  number,
  settings,
  appendLog,
  metricsText,
}: WorkerProcessOptions): WorkerProcess {
  const listening = Promise.withResolvers<void>()
  const scrape = createScrape(() => tell({ is: 'sample' }))
  const child = Bun.spawn([...ownCommand(), 'serve', '--worker', String(number)], {
    env: { ...process.env, ...settings },
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'pipe',
    async ipc(message: FromWorker) {
      if (message.is === 'listening') listening.resolve()
      else if (message.is === 'scrape') tell({ is: 'text', id: message.id, text: await metricsText() })
      else scrape.answer(message.samples)
    },
    onDisconnect: () => scrape.answer(null),
  })
  /** Returns whether it was sent: the worker may be gone before its end is known here. */
  function tell(message: ToWorker): boolean {
    try {
      child.send(message)
      return true
    } catch {
      return false
    }
  }
  const written = writeLines(child.stderr, appendLog)
  async function end(): Promise<string> {
    await Promise.all([child.exited, written])
    return child.signalCode === null ? `exit code ${child.exitCode}` : String(child.signalCode)
  }
  return {
    number,
    pid: child.pid,
    listening: listening.promise,
    ended: end(),
    samples: scrape.samples,
    kill: (signal) => child.kill(signal),
  }
}

/**
 * Asks a worker for its metrics once for all who want them meanwhile: one that hangs is asked once, and remembers nobody.
 *
 * @param ask returns whether it was asked
 */
export function createScrape(ask: () => boolean) {
  let asked: PromiseWithResolvers<Samples | null> | null = null

  function answer(samples: Samples | null): void {
    asked?.resolve(samples)
    asked = null
  }

  return {
    answer,
    async samples(): Promise<Samples | null> {
      if (asked !== null) return asked.promise
      const answered = Promise.withResolvers<Samples | null>()
      asked = answered
      if (!ask()) answer(null)
      return answered.promise
    },
  }
}

/** Where Bun finds the program inside of a compiled binary. */
const BINARY_ROOT = '/$bunfs/'

const ownCommand = (): string[] =>
  Bun.main.startsWith(BINARY_ROOT) ? [process.execPath] : [process.execPath, ...process.execArgv, Bun.main]

/** Writes line by line: pieces of a shared pipe that are longer than 4 KiB would be mixed with those of other workers. */
export async function writeLines(
  output: ReadableStream<Uint8Array>,
  append: WorkerProcessOptions['appendLog'],
): Promise<void> {
  let rest: Uint8Array = new Uint8Array()
  for await (const chunk of output) {
    const end = chunk.lastIndexOf(NEWLINE) + 1
    if (end > 0) await append(Buffer.concat([rest, chunk.subarray(0, end)]))
    rest = end > 0 ? chunk.slice(end) : Buffer.concat([rest, chunk])
  }
  await append(rest)
}

const NEWLINE = 10
