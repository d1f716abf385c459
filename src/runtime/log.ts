import { isatty } from 'node:tty'
import { limitTime } from '@wattfeed/base'
import pino from 'pino'
import { formatLogLine } from './formatLogLine.ts'
import { printableJson } from './printable.ts'
import { oneOf } from './settings/textTypes.ts'

/** The methods of pino that the programs use. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** From most to least verbose. */
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

export const logSettings = {
  LOG_LEVEL: oneOf(logLevels, {
    description: 'lowest level to log on standard error, as lines of text on a terminal, else of JSON',
    default: 'info',
    // Other programs use LOGLEVEL and LOG_LEVELS.
    isCommonName: true,
  }),
}

export interface OpenLog {
  log: Log
  /** Waits at most a second for the log's reader. */
  flush: () => Promise<void>
}

/** Lines are written once they have this many bytes together, or after this time. */
const MIN_WRITE_LENGTH = 8_192
const FLUSH_MS = 200

/** Maximum size of buffered lines, in bytes, when the reader has stopped reading. Later lines are dropped. */
const MAX_WAITING = 8_000_000

const MAX_FLUSH_MS = 1_000

/**
 * Creates the log: one JSON object per line, `time` in epoch milliseconds; on a terminal, lines for people. Invisible
 * characters are escaped. Lines are written in blocks; call `flush` before the process exits.
 *
 * @see https://getpino.io/#/docs/asynchronous
 */
export function createLog({
  level,
  fd = 2,
  redact,
}: {
  level: LogLevel
  /** File descriptor. @default 2, standard error */
  fd?: number
  /** Redacts secrets in every logged text. @default none */
  redact?: (text: string) => string
}): OpenLog {
  const destination = pino.destination({
    dest: fd,
    sync: false,
    minLength: MIN_WRITE_LENGTH,
    maxLength: MAX_WAITING,
    periodicFlush: FLUSH_MS,
  })
  const format = isatty(fd) ? formatLogLine : printableJson
  const streamWrite = (line: string) => format(redact ? redactLine(line, redact) : line)
  const log = pino({ level, base: null, hooks: { streamWrite } }, destination)
  // If the log cannot be written, there is nowhere to report it.
  destination.on('error', () => {})
  reportDropped(destination, log)
  return { log, flush: () => flush(destination) }
}

type Destination = ReturnType<typeof pino.destination>

/** Logs how much was dropped, once the reader continues. */
function reportDropped(destination: Destination, log: Log): void {
  let dropped = 0
  destination.on('drop', (line: string) => {
    dropped += line.length
  })
  destination.on('drain', () => {
    if (dropped === 0) return
    const characters = dropped
    dropped = 0
    log.warn({ characters }, 'dropped log output: its reader had stopped')
  })
}

async function flush(destination: Destination): Promise<void> {
  const error = () => new Error('the log has no reader')
  const flushed = () =>
    new Promise<void>((resolve, reject) => {
      const fail = (): void => reject(error())
      destination.once('error', fail)
      destination.flush(() => {
        destination.off('error', fail)
        resolve()
      })
    })
  // pino writes the rest when the process exits, and would wait forever for a reader that has stopped, or try forever.
  await limitTime({ timeoutMs: MAX_FLUSH_MS, error }, flushed).catch(() => destination.destroy())
}

/** Redacts each text separately, so that the line stays valid JSON for any secret. */
function redactLine(line: string, redact: (text: string) => string): string {
  const redacted = JSON.parse(line, (_, value) => (typeof value === 'string' ? redact(value) : value))
  return `${JSON.stringify(redacted)}\n`
}
