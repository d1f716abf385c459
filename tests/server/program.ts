/** What a program left when it ended. */
export interface Ended {
  exitCode: number
  stdout: string
  stderr: string
}

/** A server in a process of its own. */
export interface Program {
  pid: number
  /** The line that it said when it listened. */
  line: string
  url: string
  /** Sends a signal and waits for the end. */
  stop(signal: NodeJS.Signals): Promise<Ended>
  /** Returns what it wrote to standard error so far. */
  logged(): string
  /** Ends it without a word, where it has not ended. */
  kill(): void
}

type Settings = Record<string, string>

// Only what is given: a setting of whoever runs the tests would be one of the server.
const environmentOf = (settings: Settings): Settings => ({
  PATH: process.env.PATH ?? '',
  PORT: '0',
  HOST: '127.0.0.1',
  ...settings,
})

const spawn = (command: readonly string[], settings: Settings, cwd: string) =>
  Bun.spawn([...command], {
    cwd,
    env: environmentOf(settings),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })

/** Runs a program until it ends by itself. */
export async function runToEnd(
  command: readonly string[],
  settings: Settings = {},
  cwd = process.cwd(),
): Promise<Ended> {
  const child = spawn(command, settings, cwd)
  const [exitCode, stdout, stderr] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { exitCode, stdout, stderr }
}

/** Starts a server and waits for its first line. */
export async function startProgram(
  command: readonly string[],
  settings: Settings = {},
  cwd = process.cwd(),
): Promise<Program> {
  const child = spawn(command, settings, cwd)
  let logged = ''
  const stderr = child.stderr.pipeThrough(new TextDecoderStream()).pipeTo(
    new WritableStream({
      write(text) {
        logged += text
      },
    }),
  )
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader()
  let stdout = ''
  while (!stdout.includes('\n')) {
    const { value, done } = await output.read()
    if (done) throw new Error(`the server ended before it listened: ${await stderr.then(() => logged)}`)
    stdout += value
  }
  const line = stdout.slice(0, stdout.indexOf('\n'))
  const port = /:(\d+)$/.exec(line)?.[1] ?? ''
  return {
    pid: child.pid,
    line,
    url: `http://127.0.0.1:${port}`,
    stop: async (signal) => {
      child.kill(signal)
      const exitCode = await child.exited
      for (let next = await output.read(); !next.done; next = await output.read()) stdout += next.value
      await stderr
      return { exitCode, stdout, stderr: logged }
    },
    logged: () => logged,
    kill: () => child.kill('SIGKILL'),
  }
}
