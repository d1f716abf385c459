import { fileURLToPath } from 'node:url'
import { frequencies } from '../eia/period.ts'

/** The server as a process of its own. */
export interface ServerProcess {
  /** Where it listens: `http://localhost:4030`. */
  url: string
  pid: number
  /** Resolves with the exit code. */
  exited: Promise<number>
  /** Asks it to stop and waits until it has. */
  stop(): Promise<void>
}

const serverEntry = fileURLToPath(new URL('../index.ts', import.meta.url))

/**
 * Starts the server and waits until it listens. Its log goes where `stderr` says. Throws where it exits
 * before: what was wrong stands in its log.
 *
 * @param settings All of the server's settings: none of this process's count.
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

/** The server ended before it listened. */
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

/** One line that the agent prints. */
export interface AgentLine {
  feed_id: string
  decision: string | null
  value: string | null
  unit: string | null
  transaction_hash: string | null
  error: { message: string } | null
}

/** The agent as a process of its own. */
export interface AgentProcess {
  exited: Promise<number>
  stop(): Promise<void>
}

const agentEntry = fileURLToPath(new URL('../agent.ts', import.meta.url))

/** Starts the agent, looking at every feed every so many seconds, and hands on each line that it prints. */
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

/**
 * The environment of a program that is started with settings of its own: those, and where things are on this machine.
 * What else is set here, for another network, would be taken for theirs.
 */
function childEnvironment(settings: Readonly<Record<string, string>>): Record<string, string> {
  const kept = KEPT.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  })
  return { ...Object.fromEntries(kept), ...settings }
}
