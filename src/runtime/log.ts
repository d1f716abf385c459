import pino from 'pino'
import { oneOf } from './parsers.ts'

/** The words of pino that the programs log with. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** From everything to nothing. */
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

export const logLevelSetting = {
  name: 'LOG_LEVEL',
  meaning: 'from which level on lines are logged: JSON on standard error',
  parse: oneOf(logLevels),
  default: 'info',
  // LOGLEVEL and LOG_LEVELS are other programs'.
  isCommonName: true,
} as const

export interface LogOptions {
  level: LogLevel
  /** File descriptor. @default 2, standard error */
  fd?: number
  /** Strikes secrets out of every text that is logged. @default none is known */
  redact?: (text: string) => string
}

/** A log, and what writes the lines that it still holds back. */
export interface OpenLog {
  log: Log
  flush: () => Promise<void>
}

const BLOCK_BYTES = 16_384
const FLUSH_MS = 200

/**
 * Makes the log: one JSON object a line, `time` in epoch milliseconds, written in blocks so that nothing waits
 * for it: the runtime's own buffer, because pino's measures the whole block for each line. `flush` before the
 * process ends.
 *
 * @see https://getpino.io
 */
export function createLog({ level, fd = 2, redact }: LogOptions): OpenLog {
  const lines = Bun.file(fd).writer({ highWaterMark: BLOCK_BYTES })
  const flush = async () => {
    // Where the log cannot be written, there is nowhere to say so: the program goes on.
    await Promise.resolve(lines.flush()).catch(() => {})
  }
  setInterval(flush, FLUSH_MS).unref()
  const write = (line: string) => void lines.write(redact ? redactLine(line, redact) : line)
  return { log: pino({ level, base: null }, { write }), flush }
}

/** Text by text, so that the line is JSON still, whatever the secrets are. */
function redactLine(line: string, redact: (text: string) => string): string {
  const redacted = JSON.parse(line, (_, value) => (typeof value === 'string' ? redact(value) : value))
  return `${JSON.stringify(redacted)}\n`
}
