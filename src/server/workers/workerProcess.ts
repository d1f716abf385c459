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
  const asked = new Map<number, (samples: Samples | null) => void>()
  let lastId = 0
  const child = Bun.spawn([...ownCommand(), 'serve', '--worker', String(number)], {
    env: { ...process.env, ...settings },
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'pipe',
    async ipc(message: FromWorker) {
      if (message.is === 'listening') listening.resolve()
      else if (message.is === 'scrape') tell({ is: 'text', id: message.id, text: await metricsText() })
      else {
        asked.get(message.id)?.(message.samples)
        asked.delete(message.id)
      }
    },
    onDisconnect() {
      for (const answer of asked.values()) answer(null)
      asked.clear()
    },
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
    samples: () =>
      new Promise((resolve) => {
        asked.set(++lastId, resolve)
        if (!tell({ is: 'sample', id: lastId })) resolve(null)
      }),
    kill: (signal) => child.kill(signal),
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
