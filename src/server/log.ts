import pino from 'pino'

/** The words of pino that the server logs with. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** `LOG_LEVEL`, from everything to nothing. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

export interface LogOptions {
  level: LogLevel
  /** File descriptor. @default 2, standard error */
  fd?: number
}

const BLOCK_BYTES = 16_384
const FLUSH_MS = 200

/**
 * Makes the log: one JSON object a line, `time` in epoch milliseconds, written in blocks so that no request
 * waits for it: the runtime's own buffer, because pino's measures the whole block for each line. `flush` before the process ends.
 *
 * @see https://getpino.io
 */
export function createLog({ level, fd = 2 }: LogOptions): { log: Log; flush: () => Promise<void> } {
  const lines = Bun.file(fd).writer({ highWaterMark: BLOCK_BYTES })
  const flush = async () => {
    // Where the log cannot be written, there is nowhere to say so: the server goes on.
    await Promise.resolve(lines.flush()).catch(() => {})
  }
  setInterval(flush, FLUSH_MS).unref()
  return { log: pino({ level, base: null }, { write: (line) => void lines.write(line) }), flush }
}
