/** Settings of a program by name. */
export type Settings = Readonly<Record<string, string>>

/** The result of a program that exited. */
export interface Ended {
  exitCode: number
  stdout: string
  stderr: string
}

export interface RunningProgram extends AsyncDisposable {
  readonly pid: number
  /** Resolves with the first output line that contains the text; throws if the program exits before. */
  line(text: string, stream?: 'stdout' | 'stderr'): Promise<string>
  /** Returns the text that it has written to standard error. */
  logged(): string
  /** Waits for an event; throws if the program exits before. */
  until(reached: Promise<unknown>): Promise<void>
  /** Sends a signal and waits until the program exits. */
  kill(signal?: NodeJS.Signals): Promise<Ended>
  /** Resolves when it has exited. */
  ended: Promise<Ended>
}

/** Starts a program in a separate process, with only these settings. */
export function spawnProgram(
  command: readonly string[],
  { env, cwd }: { env: Settings; cwd: string },
): RunningProgram {
  const child = Bun.spawn([...command], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
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
  const failure = ({ exitCode, stdout, stderr }: Ended, before: string): Error =>
    new Error(`${command.join(' ')} ended (${exitCode}) before ${before}: ${stdout}${stderr}`)
  return {
    pid: child.pid,
    ended,
    kill,
    logged: output.stderr.text,
    async line(text, stream = 'stdout') {
      const found = await output[stream].find(text)
      if (found !== null) return found
      throw failure(await ended, `it printed "${text}"`)
    },
    async until(reached) {
      const early = ended.then((end) => {
        throw failure(end, 'what the test waits for')
      })
      await Promise.race([reached, early])
    },
    async [Symbol.asyncDispose]() {
      await kill()
    },
  }
}

// A setting in the environment of the tests must not reach the program.
const environmentOf = (settings: Settings): Settings => ({
  PATH: process.env.PATH ?? '',
  PORT: '0',
  HOST: '127.0.0.1',
  ...settings,
})

/** Runs a program until it exits. */
export const runToEnd = (
  command: readonly string[],
  settings: Settings = {},
  cwd = process.cwd(),
): Promise<Ended> => spawnProgram(command, { env: environmentOf(settings), cwd }).ended

export interface Program extends RunningProgram {
  /** The line that it printed when it started to listen. */
  firstLine: string
  url: string
}

/** Starts a server and waits for its first line. */
export async function startProgram(
  command: readonly string[],
  settings: Settings = {},
  cwd = process.cwd(),
): Promise<Program> {
  const program = spawnProgram(command, { env: environmentOf(settings), cwd })
  const firstLine = await program.line('')
  const port = /:(\d+)$/.exec(firstLine)?.[1] ?? ''
  return { ...program, firstLine, url: `http://127.0.0.1:${port}` }
}

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
    text: () => text,
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
