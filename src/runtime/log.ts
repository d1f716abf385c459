import pino from 'pino'
import { limitTime } from '../async/limitTime.ts'
import { oneOf } from './parsers.ts'

/** The methods of pino that the programs use. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** From most to least verbose. */
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

export const logLevelSetting = {
  name: 'LOG_LEVEL',
  meaning: 'from which level on lines are logged: JSON on standard error',
  parse: oneOf(logLevels),
  default: 'info',
  // Other programs use LOGLEVEL and LOG_LEVELS.
  isCommonName: true,
} as const

export interface LogOptions {
  level: LogLevel
  /** Fields of every line. @default none */
  base?: Readonly<Record<string, string | number>>
  /** File descriptor. @default 2, standard error */
  fd?: number
  /** Redacts secrets in every logged text. @default none */
  redact?: (text: string) => string
}

/** A log, and a function that writes its buffered lines. */
export interface OpenLog {
  log: Log
  /** Writes whole lines that another process logged. */
  append: (lines: Uint8Array) => Promise<void>
  /** Waits a second at most for what reads the log. */
  flush: () => Promise<void>
}

// In UTF-16 code units.
const BLOCK_LENGTH = 16_384
const FLUSH_MS = 200

/** How much may wait for a reader that has stopped reading: what is logged beyond is left out. */
const MAX_WAITING = 8_000_000

/** How long anything waits for that reader: programs end, and workers are replaced, without it. */
const MAX_FLUSH_MS = 1_000

/**
 * Creates the log: one JSON object a line, `time` in epoch milliseconds, written in blocks, because pino's buffer measures the
 * whole block for each line, and the runtime's writes once a turn. Call `flush` before the process ends.
 *
 * @see https://getpino.io
 */
export function createLog({ level, base = {}, fd = 2, redact }: LogOptions): OpenLog {
  const file = Bun.file(fd).writer()
  let block = ''
  let [handedOver, written, leftOut] = [0, 0, 0]

  function handOver(text: string | Uint8Array): void {
    if (handedOver - written > MAX_WAITING) {
      leftOut += text.length
      return
    }
    handedOver += text.length
    file.write(text)
  }
  const writeBlock = (): void => {
    if (block !== '') handOver(block)
    block = ''
  }
  async function drain(): Promise<void> {
    writeBlock()
    const end = handedOver
    // If the log cannot be written, there is nowhere to report it: go on.
    await Promise.resolve(file.flush()).catch(() => {})
    written = Math.max(written, end)
    if (leftOut === 0) return
    const characters = leftOut
    leftOut = 0
    log.warn({ characters }, 'left out of the log, because what reads it had stopped')
  }
  const flush = async () => {
    const error = () => new Error('nobody reads the log')
    await limitTime({ timeoutMs: MAX_FLUSH_MS, error }, drain).catch(() => {})
  }
  // The runtime flushes what it was given itself.
  process.on('exit', writeBlock)
  setInterval(flush, FLUSH_MS).unref()
  const write = (line: string): void => {
    block += redact ? redactLine(line, redact) : line
    if (block.length >= BLOCK_LENGTH) writeBlock()
  }
  const append = (text: Uint8Array): Promise<void> => {
    writeBlock()
    handOver(text)
    return flush()
  }
  const log = pino({ level, base }, { write })
  const isPlainEnough = log.isLevelEnabled('info') && !redact
  return { log: isPlainEnough ? withPlainInfo(log, base, write) : log, append, flush }
}

/**
 * Writes `info` lines of plain values with the engine's own JSON: a server logs one a request, and pino's costs more than
 * all the rest of an answer. The engine's would leave out what an error says, and throw on a bigint or a cycle.
 */
function withPlainInfo(log: Log, base: object, write: (line: string) => void): Log {
  const baseText = Object.entries(base)
    .map(([name, value]) => `,"${name}":${JSON.stringify(value)}`)
    .join('')
  return {
    info(fields, message) {
      if (!Object.values(fields).every(isPlain)) return log.info(fields, message)
      const text = JSON.stringify(fields).slice(1, -1)
      const comma = text === '' ? '' : ','
      write(`{"level":30,"time":${Date.now()}${baseText}${comma}${text},"msg":${JSON.stringify(message)}}\n`)
    },
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
  }
}

const isPlain = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value == null

/** Redacts text by text, so that the line stays valid JSON whatever the secrets are. */
function redactLine(line: string, redact: (text: string) => string): string {
  const redacted = JSON.parse(line, (_, value) => (typeof value === 'string' ? redact(value) : value))
  return `${JSON.stringify(redacted)}\n`
}
