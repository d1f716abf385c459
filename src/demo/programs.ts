import { fileURLToPath } from 'node:url'
import { frequencies } from '@wattfeed/eia'
import type { OutcomeFields } from '../agent/feedOutcome.ts'
import type { Frequency } from '../agent/intervals.ts'
import { isFromSource } from '../runtime/isFromSource.ts'

/** A program of wattfeed in a separate process. */
export interface RunningProgram {
  pid: number
  exited: Promise<number>
  stop(): Promise<void>
}

/** The server in a separate process. */
export interface ServerProcess extends RunningProgram {
  url: string
}

/**
 * Starts the server and waits until it listens.
 *
 * @param settings all settings of the server: it inherits none from this process
 * @throws {ServerStartError} when the server exits before it listens; its log has the reason
 */
export async function startServerProcess(
  settings: Record<string, string>,
  stderr: 'inherit' | 'ignore' = 'inherit',
): Promise<ServerProcess> {
  const child = spawn(['serve'], settings, stderr)
  const url = await firstUrl(child.stdout)
  if (url === null) throw new ServerStartError(await child.exited)
  return { ...stoppable(child), url }
}

/** The server exited before it was listening. */
export class ServerStartError extends Error {
  constructor(readonly exitCode: number) {
    super(`the server failed to start (exit code ${exitCode}); see its log`)
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

/** The parts of a line of the agent's output that the demo reads. */
export type AgentLine = Pick<
  OutcomeFields,
  'feed_id' | 'decision' | 'value' | 'unit' | 'transaction_hash' | 'error'
>

export function startAgentProcess(
  settings: Record<string, string>,
  {
    secondsOf,
    isFreshChain,
    onLine,
  }: {
    /** How often it polls the feeds of a frequency. */
    secondsOf: (frequency: Frequency) => number
    /** Whether the chain has just been created, so that a member of a committee may sign at once. */
    isFreshChain: boolean
    onLine: (line: AgentLine) => void
  },
): RunningProgram {
  const intervals = frequencies.flatMap((frequency) => [
    '--interval',
    `${frequency}=${secondsOf(frequency)}s`,
  ])
  const command = isFreshChain ? ['demo', 'agent'] : ['agent']
  const child = spawn([...command, '--json', ...intervals], settings, 'inherit')
  void readLines(child.stdout, (line) => onLine(JSON.parse(line)))
  return stoppable(child)
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

type Child = Bun.Subprocess<'ignore', 'pipe', 'inherit' | 'ignore'>

/** Starts a program from source, from the npm package or from the binary. */
function spawn(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  stderr: 'inherit' | 'ignore',
): Child {
  return Bun.spawn([...wattfeed(), ...args], {
    env: childEnvironment(settings),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr,
    // Ctrl-C in a terminal does not reach it, so that this process alone decides how everything ends.
    detached: true,
    // It ends when the channel closes, for which killing this process is enough. No messages are sent.
    ipc() {},
  })
}

function wattfeed(): string[] {
  if (Bun.isStandaloneExecutable) return [process.execPath]
  if (isFromSource) return [process.execPath, fileURLToPath(new URL('../index.ts', import.meta.url))]
  // The starter of the npm package tells Bun to read no settings of the user's folder.
  return [process.execPath, ...process.execArgv, Bun.main]
}

const stoppable = (child: Child): RunningProgram => ({
  pid: child.pid,
  exited: child.exited,
  async stop() {
    child.kill('SIGTERM')
    await child.exited
  },
})

const KEPT = ['PATH', 'HOME', 'TMPDIR']

/** Returns the settings and this machine's paths. Other settings of this process may be for another network. */
function childEnvironment(settings: Readonly<Record<string, string>>): Record<string, string> {
  const kept = KEPT.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  })
  return { ...Object.fromEntries(kept), ...settings }
}
