import { printable, printableJson } from './printable.ts'

/**
 * Formats a line of the log for people: time, level, message, fields. The stack of an error follows, line by line. Control
 * characters are escaped, because strangers write some of the texts.
 *
 * pino-pretty would pass them on to the terminal.
 */
export function formatLogLine(line: string): string {
  const { level, time, msg, ...fields }: Record<string, unknown> = JSON.parse(line)
  const start = `${new Date(Number(time)).toISOString().slice(0, 19)}Z ${nameOf(level)} ${printable(String(msg))}`
  const shown = Object.entries(fields).flatMap(([name, value]) => formatField(name, value))
  const stacks = Object.values(fields).flatMap((value) =>
    hasStack(value) && value.stack !== '' ? value.stack.split('\n') : [],
  )
  const end = stacks.map((each) => `\n    ${printable(each)}`).join('')
  return `${shown.length === 0 ? start : `${start}  ${shown.join(' ')}`}${end}\n`
}

const levelNames: Readonly<Record<number, string>> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
}

const nameOf = (level: unknown): string => (levelNames[Number(level)] ?? String(level)).padEnd(5)

const hasStack = (value: unknown): value is { stack: string } => typeof Object(value).stack === 'string'

function formatField(name: string, value: unknown): string[] {
  if (hasStack(value)) {
    const { stack, type, message, ...facts } = Object(value)
    // A stack begins with the message. pino adds an empty one to an object with a message.
    const left = stack === '' ? { message, ...facts } : facts
    return Object.keys(left).length === 0 ? [] : [formatAs(name, left)]
  }
  return [formatAs(name, value)]
}

/** Formats as `name=value`. A text is bare if it has no spaces, quotes or brackets; anything else is JSON. */
function formatAs(name: string, value: unknown): string {
  const isBare = typeof value === 'string' && /^[\w./:+,@%?&=#-]+$/.test(value)
  return `${printable(name)}=${isBare ? value : printableJson(JSON.stringify(value))}`
}
