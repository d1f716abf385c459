import { createRedact } from '../bytes/redact.ts'
import { commandError } from './errorFields.ts'
import { printable } from './printable.ts'

/** A program's output: for people on standard error, for scripts on standard output. */
export interface Terminal {
  /** Prints a warning, each line prefixed with the program's name, control characters escaped. */
  warn(message: string): void
  /** Prints progress if standard error is a terminal; a repeated line once. */
  progress(line: string): void
  /** Prints progress also where there is no terminal: few lines, for logs. */
  milestone(line: string): void
  /** Redacts these in every warning and error: the last line of defence. */
  hide(secrets: readonly string[]): void
  /**
   * Runs a command, prints its result or its error (with `json` as one object on standard output) and sets the exit code.
   *
   * @throws an unexpected error: it is a bug.
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

/** Creates the terminal of a program. */
export function createTerminal(program: string): Terminal {
  let redact = (text: string): string => text
  let lastProgress = ''
  const warn = (message: string): void => {
    for (const line of redact(message).split('\n')) console.error(printable(`${program}: ${line}`))
  }
  return {
    warn,
    progress(line) {
      if (process.stderr.isTTY && line !== lastProgress) console.error(line)
      lastProgress = line
    },
    milestone: (line) => console.error(line),
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
