import { fileURLToPath } from 'node:url'
import type { Ended } from '../server/program.ts'

const entries = {
  agent: 'src/agent.ts',
  contracts: 'src/contracts.ts',
  devnet: 'src/devnet.ts',
  eligibility: 'contracts/prover/eligibility.ts',
  feeds: 'src/feeds.ts',
  server: 'src/index.ts',
  verify: 'src/verify.ts',
} as const

/** A program of wattfeed, by the name that its command has. */
export type ProgramName = keyof typeof entries

export type Settings = Readonly<Record<string, string>>

/** A program that runs. */
export interface RunningProgram extends AsyncDisposable {
  readonly pid: number
  /** Resolves with the first line of its output, from its start on, that has the text; throws where it ends before. */
  line(text: string, stream?: 'stdout' | 'stderr'): Promise<string>
  /** Waits for something that happens while it runs; throws where it ends before. */
  until(reached: Promise<unknown>): Promise<void>
  /** Sends a signal and waits for the end. */
  kill(signal?: NodeJS.Signals): Promise<Ended>
  /** Resolves when it has ended. */
  ended: Promise<Ended>
}

/** Starts a program of wattfeed in a process of its own, with these settings and no others. */
export function startDevnetProgram(
  name: ProgramName,
  args: readonly string[],
  settings: Settings,
  cwd: string,
): RunningProgram {
  const entry = fileURLToPath(new URL(`../../${entries[name]}`, import.meta.url))
  const child = Bun.spawn([process.execPath, entry, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOST: '127.0.0.1', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: createTail(child.stdout), stderr: createTail(child.stderr) }
  const ended = (async () => {
    const [exitCode, stdout, stderr] = await Promise.all([
      child.exited,
      output.stdout.whole,
      output.stderr.whole,
    ])
    return { exitCode, stdout, stderr }
  })()
  const kill = (signal: NodeJS.Signals = 'SIGKILL'): Promise<Ended> => {
    child.kill(signal)
    return ended
  }
  return {
    pid: child.pid,
    ended,
    kill,
    async line(text, stream = 'stdout') {
      const found = await output[stream].find(text)
      if (found !== null) return found
      const { exitCode, stdout, stderr } = await ended
      throw new Error(`${name} ended (${exitCode}) before it said ${text}: ${stdout}${stderr}`)
    },
    async until(reached) {
      const early = ended.then(({ exitCode, stdout, stderr }) => {
        throw new Error(`${name} ended too early (${exitCode}): ${stdout}${stderr}`)
      })
      await Promise.race([reached, early])
    },
    async [Symbol.asyncDispose]() {
      await kill()
    },
  }
}

/** Runs a program to its end. */
export const runDevnetProgram = (...program: Parameters<typeof startDevnetProgram>): Promise<Ended> =>
  startDevnetProgram(...program).ended

/** Reads a stream once, for any number of waiters. */
function createTail(stream: ReadableStream<Uint8Array>) {
  let text = ''
  let hasEnded = false
  let next = Promise.withResolvers<void>()
  const tell = (): void => {
    next.resolve()
    next = Promise.withResolvers()
  }
  const whole = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true })
      tell()
    }
    hasEnded = true
    tell()
    return text
  })()
  return {
    whole,
    async find(words: string): Promise<string | null> {
      for (;;) {
        const lines = text.split('\n').slice(0, -1)
        const found = lines.find((line) => line.includes(words))
        if (found !== undefined) return found
        if (hasEnded) return null
        await next.promise
      }
    },
  }
}
