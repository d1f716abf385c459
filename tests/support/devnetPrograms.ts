import { fileURLToPath } from 'node:url'
import type { Ended } from '../server/program.ts'
import { wattfeed } from './binary.ts'

const programs = {
  agent: wattfeed('agent'),
  contracts: wattfeed('contracts'),
  devnet: wattfeed('devnet'),
  // With the prover's packages of this repository.
  eligibility: [process.execPath, fileURLToPath(new URL('../../src/eligibility.ts', import.meta.url))],
  feeds: wattfeed('feeds'),
  server: wattfeed('serve'),
  verify: wattfeed('verify'),
} as const

/** A program of wattfeed, by the name of its command. */
export type ProgramName = keyof typeof programs

export type Settings = Readonly<Record<string, string>>

/** A running program. */
export interface RunningProgram extends AsyncDisposable {
  readonly pid: number
  /** Resolves with the first line of its output that contains the text; throws if it exits before. */
  line(text: string, stream?: 'stdout' | 'stderr'): Promise<string>
  /** Waits for an event; throws if the program exits before. */
  until(reached: Promise<unknown>): Promise<void>
  /** Sends a signal and waits for the exit. */
  kill(signal?: NodeJS.Signals): Promise<Ended>
  /** Resolves when it has exited. */
  ended: Promise<Ended>
}

/** Starts a program of wattfeed in a separate process, with only these settings. */
export function startDevnetProgram(
  name: ProgramName,
  args: readonly string[],
  settings: Settings,
  cwd: string,
): RunningProgram {
  const child = Bun.spawn([...programs[name], ...args], {
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
      throw new Error(`${name} ended (${exitCode}) before it printed ${text}: ${stdout}${stderr}`)
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

/** Runs a program until it exits. */
export const runDevnetProgram = (...program: Parameters<typeof startDevnetProgram>): Promise<Ended> =>
  startDevnetProgram(...program).ended

/** Reads a stream once, for any number of waiters. */
function createTail(stream: ReadableStream<Uint8Array>) {
  let text = ''
  let hasEnded = false
  let next = Promise.withResolvers<void>()
  const notify = (): void => {
    next.resolve()
    next = Promise.withResolvers()
  }
  const whole = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true })
      notify()
    }
    hasEnded = true
    notify()
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
