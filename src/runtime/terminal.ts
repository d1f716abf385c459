import { createRedact } from '../bytes/redact.ts'
import { commandError } from './errorFields.ts'

/** Where a program speaks to people, on standard error, and to scripts, on standard output. */
export interface Terminal {
  /** Tells what a person should know, each line behind the program's name. */
  warn(message: string): void
  /** Tells people at a terminal, and nobody else, how far it has got; the same line once. */
  progress(line: string): void
  /** Keeps these out of every warning and error: the last line of defence. */
  hide(secrets: readonly string[]): void
  /**
   * Does what a command does and prints what came of it, with `json` as one object on standard output, or why nothing
   * did, and sets the exit code.
   *
   * @throws what is a bug, with its stack.
   */
  run(command: Command, work: () => Promise<Result>): Promise<void>
}

interface Command {
  name: string
  json?: boolean | undefined
  /** @default 1, whatever went wrong */
  exitCodeOf?: (error: unknown) => number
}

interface Result {
  /** What `--json` prints. */
  report: object
  /** The same for people. */
  text: string
  /** @default 0 */
  exitCode?: number
}

/** The terminal of a program. */
export function createTerminal(program: string): Terminal {
  let redact = (text: string): string => text
  let lastProgress = ''
  const warn = (message: string): void => {
    for (const line of redact(message).split('\n')) console.error(`${program}: ${line}`)
  }
  return {
    warn,
    progress(line) {
      if (process.stderr.isTTY && line !== lastProgress) console.error(line)
      lastProgress = line
    },
    hide(secrets) {
      redact = createRedact(secrets)
    },
    async run({ name, json = false, exitCodeOf = () => 1 }, work) {
      try {
        const { report, text, exitCode = 0 } = await work()
        console.log(json ? JSON.stringify(report) : text)
        process.exitCode = exitCode
      } catch (error) {
        const failure = commandError(error)
        const message = redact(failure.message)
        if (json) console.log(JSON.stringify({ command: name, error: { ...failure, message } }))
        warn(message)
        process.exitCode = exitCodeOf(error)
      }
    },
  }
}
