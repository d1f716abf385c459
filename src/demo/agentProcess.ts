import { fileURLToPath } from 'node:url'
import { childEnvironment } from '../devnet/childEnvironment.ts'

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

const entry = fileURLToPath(new URL('../agent.ts', import.meta.url))

const FREQUENCIES = [
  'hourly',
  'local-hourly',
  'daily',
  'weekly',
  'four-week-average',
  'monthly',
  'quarterly',
  'annual',
]

/** Starts the agent, looking at every feed every so many seconds, and hands on each line that it prints. */
export function startAgentProcess(
  settings: Record<string, string>,
  { everySeconds, onLine }: { everySeconds: number; onLine: (line: AgentLine) => void },
): AgentProcess {
  const intervals = FREQUENCIES.flatMap((frequency) => ['--interval', `${frequency}=${everySeconds}s`])
  const child = Bun.spawn([process.execPath, entry, '--json', ...intervals], {
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
