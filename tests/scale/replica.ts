import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { type RunningProgram, startDevnetProgram } from '../support/devnetPrograms.ts'

/** A server that can be disturbed: it keeps its port however often it is started anew. */
export interface Replica extends AsyncDisposable {
  readonly port: number
  start(): Promise<void>
  /** Kills it; its workers are to end by themselves. */
  crash(): Promise<void>
  /** Kills one of its workers, in whose place it starts another; one without workers is started anew. */
  crashWorker(): Promise<void>
  /** Stops all of its processes where they are, until `resume`. */
  pause(): void
  resume(): void
  /** Ends it in order and starts it anew, as for a new release. */
  upgrade(): Promise<void>
}

/** Creates a server on a free port, with its workers. */
export async function createReplica(
  settings: Readonly<Record<string, string>>,
  { workers, cwd }: { workers: number; cwd: string },
): Promise<Replica> {
  const port = await freePort()
  const own = { ...settings, PORT: String(port), ...(workers > 1 ? { WORKERS: String(workers) } : {}) }
  let program: RunningProgram | null = null

  const start = async (): Promise<void> => {
    program = startDevnetProgram('server', [], own, cwd)
    await program.line('wattfeed listens')
  }
  const processes = (): number[] => (program === null ? [] : [program.pid, ...childrenOf(program.pid)])
  const signal = (pids: readonly number[], name: NodeJS.Signals): void => {
    for (const pid of pids) if (isRunning(pid)) process.kill(pid, name)
  }
  const crash = async (): Promise<void> => {
    await program?.kill('SIGKILL')
  }
  return {
    port,
    start,
    crash,
    async crashWorker() {
      const [worker] = program === null ? [] : childrenOf(program.pid)
      if (worker !== undefined) return signal([worker], 'SIGKILL')
      await crash()
      await start()
    },
    pause: () => signal(processes(), 'SIGSTOP'),
    resume: () => signal(processes(), 'SIGCONT'),
    async upgrade() {
      const ended = await program?.kill('SIGTERM')
      if (ended?.exitCode !== 0) throw new Error(`SIGTERM: ${ended?.exitCode} ${ended?.stderr}`)
      await start()
    },
    async [Symbol.asyncDispose]() {
      signal(processes(), 'SIGKILL')
      await program?.ended
    },
  }
}

/** Linux only, as are workers. */
function childrenOf(pid: number): number[] {
  try {
    const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return pids.trim().split(/\s+/).filter(Boolean).map(Number)
  } catch {
    return []
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Returns a port that was free just now. */
function freePort(): Promise<number> {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
