import { constants } from 'node:os'
import { createRedact } from '@wattfeed/base'
import { pendingTransactions } from '@wattfeed/casper/sqlite'
import { commandError } from './errorFields.ts'
import { nodeHint } from './nodeHint.ts'
import { printable, printableJson } from './printable.ts'

/** A program's output: for people on standard error, for scripts on standard output. */
export interface Terminal {
  /** Prints a warning, each line prefixed with the program's name, control characters escaped. */
  warn(message: string): void
  /** Prints progress if standard error is a terminal; a repeated line once. */
  progress(line: string): void
  /** Prints progress even without a terminal: few lines, for logs. */
  milestone(line: string): void
  /** Redacts these in every warning and error: the last line of defense. */
  hide(secrets: readonly string[]): void
  /**
   * Runs a command, prints its result or its error (with `json` as one object on standard output) and sets the exit code.
   *
   * SIGINT and SIGTERM end the process at once, with exit code 130 and 143: it says which transactions may be in
   * flight. Each is on disk before it is sent, so that the next run resumes it.
   *
   * @throws an unexpected error: it is a bug.
   */
  run(command: Command, work: () => Promise<CommandResult>): Promise<void>
}

interface Command {
  name: string
  json?: boolean | undefined
  /** @default 1 for every error */
  exitCodeOf?: (error: unknown) => number
  /** The message after a signal, for a command that sends no transactions. */
  leaves?: string
}

export interface CommandResult {
  report: object
  text: string
  /** @default 0 */
  exitCode?: number
}

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
    async run({ name, json = false, exitCodeOf = () => 1, leaves }, work) {
      const end = (signal: StopSignal): never => {
        const message = stopMessage(name, signal, leaves)
        if (json)
          console.log(JSON.stringify({ command: name, error: { code: 'stopped', message, retryable: true } }))
        warn(message)
        process.exit(128 + constants.signals[signal])
      }
      for (const signal of STOP_SIGNALS) process.on(signal, end)
      try {
        const { report, text, exitCode = 0 } = await work()
        console.log(json ? printableJson(JSON.stringify(report)) : text)
        process.exitCode = exitCode
      } catch (error) {
        const failure = commandError(error)
        const message = redact(failure.message)
        if (json)
          console.log(printableJson(JSON.stringify({ command: name, error: { ...failure, message } })))
        warn(message)
        const hint = nodeHint(error)
        if (hint !== null) warn(hint)
        process.exitCode = exitCodeOf(error)
      } finally {
        for (const signal of STOP_SIGNALS) process.off(signal, end)
      }
    },
  }
}

const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const
type StopSignal = (typeof STOP_SIGNALS)[number]

function stopMessage(command: string, signal: StopSignal, leaves = 'no transaction is in flight'): string {
  const left = [...pendingTransactions].map(
    ([transactionHash, path]) =>
      `transaction ${transactionHash} may be in flight; it is stored in ${path}, and the next run of "${command}" resumes it`,
  )
  return [`stopped by ${signal}`, ...(left.length === 0 ? [leaves] : left)].join('\n')
}
