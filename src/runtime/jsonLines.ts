import { open, readFile } from 'node:fs/promises'
import { nullIfMissing, parseJson } from '@wattfeed/base'
import { writeThrough } from '@wattfeed/base/disk'

/** An append-only file with one JSON value per line. */
export interface JsonLines {
  /** Appends lines, on disk once this resolves; those of one call stay together. @throws the system's error */
  append(lines: readonly string[]): Promise<void>
}

/**
 * Creates the writer of such a file. A line that a crash or a full disk cut off is not repaired: the next one starts on
 * a new line after it.
 */
export function openJsonLines(path: string): JsonLines {
  let isWhole = false
  let last: Promise<void> = Promise.resolve()

  async function write(lines: readonly string[]): Promise<void> {
    const start = isWhole || (await endsWithLine(path)) ? '' : '\n'
    isWhole = false
    await writeThrough(path, `${start}${lines.map((line) => `${line}\n`).join('')}`, { flags: 'a' })
    isWhole = true
  }

  return {
    append(lines) {
      // One at a time, so that no line ends up in the middle of another.
      const written = last.then(() => write(lines))
      last = written.catch(() => {})
      return written
    },
  }
}

/** The lines of a file that could be parsed, and the numbers of the others, from 1. */
export interface ReadLines<T> {
  readonly entries: readonly T[]
  readonly broken: readonly number[]
}

/**
 * Reads a file of lines of JSON; null if it does not exist.
 *
 * @param parse returns null for a value that it does not understand; gets `undefined` for a line that is not JSON
 * @throws the system's error if the file cannot be read
 */
export async function readJsonLines<T>(
  path: string,
  parse: (value: unknown, line: string) => T | null,
): Promise<ReadLines<T> | null> {
  const text = await readFile(path, 'utf8').catch(nullIfMissing)
  if (text === null) return null
  const entries: T[] = []
  const broken: number[] = []
  for (const [index, line] of text.split('\n').entries()) {
    const entry = line === '' ? undefined : parse(parseJson(line), line)
    if (entry === null) broken.push(index + 1)
    else if (entry !== undefined) entries.push(entry)
  }
  return { entries, broken }
}

/** Returns whether a file is missing, empty, or ends with a whole line. */
async function endsWithLine(path: string): Promise<boolean> {
  const file = await open(path, 'r').catch(nullIfMissing)
  if (file === null) return true
  try {
    const { size } = await file.stat()
    if (size === 0) return true
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
    return buffer.toString() === '\n'
  } finally {
    await file.close()
  }
}
