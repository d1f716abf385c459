import { fileURLToPath } from 'node:url'
import { frequencies } from '../eia/period.ts'

/** The server in a separate process. */
export interface ServerProcess {
  /** Where it listens: `http://localhost:4030`. */
  url: string
  pid: number
  /** Resolves with the exit code. */
  exited: Promise<number>
  /** Stops it and waits for its exit. */
  stop(): Promise<void>
}

const serverEntry = fileURLToPath(new URL('../index.ts', import.meta.url))

/**
 * Starts the server and waits until it listens.
 *
 * @param settings the server's whole environment: it inherits no settings from this process
 * @throws {ServerStartError} when it exits before; its log says why
 *
 * @example
 * ```ts
 * const server = await startServerProcess({ PORT: '0', CASPER_RPC_URL: node.url })
 * await fetch(`${server.url}/health`)
 * await server.stop()
 * ```
 */
export async function startServerProcess(
  settings: Record<string, string>,
  stderr: 'inherit' | 'ignore' = 'inherit',
): Promise<ServerProcess> {
  const child = Bun.spawn([process.execPath, serverEntry], {
    env: childEnvironment(settings),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr,
  })
  const url = await firstUrl(child.stdout)
  if (url === null) throw new ServerStartError(await child.exited)
  return {
    url,
    pid: child.pid,
    exited: child.exited,
    async stop() {
      child.kill('SIGTERM')
      await child.exited
    },
  }
}

/** The server exited before it listened. */
export class ServerStartError extends Error {
  constructor(readonly exitCode: number) {
    super(`the server did not start (exit code ${exitCode})`)
  }
}

async function firstUrl(output: ReadableStream<Uint8Array>): Promise<string | null> {
  let text = ''
  const decoder = new TextDecoder()
  const reader = output.getReader()
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return null
    text += decoder.decode(value, { stream: true })
    const url = /(http:\/\/localhost:\d+)\b.*\n/.exec(text)?.[1]
    if (url !== undefined) {
      reader.releaseLock()
      return url
    }
  }
}

/** A line of the agent's output. */
export interface AgentLine {
  feed_id: string
  decision: string | null
  value: string | null
  unit: string | null
  transaction_hash: string | null
  error: { message: string } | null
}

/** The agent in a separate process. */
export interface AgentProcess {
  exited: Promise<number>
  stop(): Promise<void>
}

const agentEntry = fileURLToPath(new URL('../agent.ts', import.meta.url))

/** Starts the agent, which polls every feed every `everySeconds`, and passes each line of its output to `onLine`. */
export function startAgentProcess(
  settings: Record<string, string>,
  { everySeconds, onLine }: { everySeconds: number; onLine: (line: AgentLine) => void },
): AgentProcess {
  const intervals = frequencies.flatMap((frequency) => ['--interval', `${frequency}=${everySeconds}s`])
  const child = Bun.spawn([process.execPath, agentEntry, '--json', ...intervals], {
    env: childEnvironment(settings),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  void readLines(child.stdout, (line) => onLine(JSON.parse(line)))
  return {
    exited: child.exited,
    async stop() {
      child.kill('SIGTERM')
      await child.exited
    },
  }
}

async function readLines(output: ReadableStream<Uint8Array>, onLine: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of output) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) onLine(line)
  }
}

const KEPT = ['PATH', 'HOME', 'TMPDIR']

/** Returns the settings plus the paths of this machine, but none of this process's settings, which may be for another network. */
function childEnvironment(settings: Readonly<Record<string, string>>): Record<string, string> {
  const kept = KEPT.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  })
  return { ...Object.fromEntries(kept), ...settings }
}
