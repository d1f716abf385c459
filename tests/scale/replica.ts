import { startDevnetProgram } from '../support/devnetPrograms.ts'
import { freePort } from '../support/ports.ts'
import type { RunningProgram } from '../support/program.ts'

/** A server for disturbances: it keeps its port across restarts. */
export interface Replica extends AsyncDisposable {
  readonly port: number
  start(): Promise<void>
  /** Kills it with SIGKILL. */
  crash(): Promise<void>
  /** Suspends it until `resume`. */
  pause(): void
  resume(): void
  /** Shuts it down and starts it again, as for a new release. */
  upgrade(): Promise<void>
}

/** Creates a server on a free port. */
export async function createReplica(
  settings: Readonly<Record<string, string>>,
  cwd: string,
): Promise<Replica> {
  const port = await freePort()
  const own = { ...settings, PORT: String(port) }
  let program: RunningProgram | null = null

  const start = async (): Promise<void> => {
    program = startDevnetProgram('server', [], own, cwd)
    await program.line('wattfeed listens')
  }
  const signal = (name: NodeJS.Signals): void => {
    if (program !== null && isRunning(program.pid)) process.kill(program.pid, name)
  }
  return {
    port,
    start,
    async crash() {
      await program?.kill('SIGKILL')
    },
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    async upgrade() {
      const ended = await program?.kill('SIGTERM')
      if (ended?.exitCode !== 0) throw new Error(`SIGTERM: ${ended?.exitCode} ${ended?.stderr}`)
      await start()
    },
    async [Symbol.asyncDispose]() {
      signal('SIGKILL')
      await program?.ended
    },
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
