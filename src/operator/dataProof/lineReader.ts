import { readSync } from 'node:fs'

/** A block of a network takes at most 1 MB of JSON, and an element of the trie up to 11 MB of base64. */
const MAX_LINE_BYTES = 16 * 1024 * 1024

const CHUNK_BYTES = 256 * 1024

const NEWLINE = 10

/** A line, and the offset after it. */
export interface Line {
  text: string
  end: number
}

/** Reads lines of an open file. */
export interface LineReader {
  /** Reads the line at an offset; null at the end of the file. A fault is a text that continues "line 3". */
  read(offset: number): Line | { fault: string } | null
  /** Reads the text between two offsets again. */
  readAgain(from: number, to: number): string
}

/** Creates a reader with one buffer, so that reading line after line takes few calls to the system. */
export function createLineReader(descriptor: number): LineReader {
  let buffer = Buffer.alloc(CHUNK_BYTES)
  let start = 0
  let length = 0

  function load(offset: number, size: number): void {
    if (buffer.length !== size) buffer = Buffer.alloc(size)
    start = offset
    length = readFully(descriptor, buffer, offset)
  }

  return {
    read(offset) {
      if (offset < start || offset >= start + length) load(offset, CHUNK_BYTES)
      for (;;) {
        const held = buffer.subarray(offset - start, length)
        const newline = held.indexOf(NEWLINE)
        const size = newline === -1 ? held.length : newline
        if (size > MAX_LINE_BYTES) return { fault: `is longer than ${MAX_LINE_BYTES} bytes` }
        if (newline !== -1) return { text: held.toString('utf8', 0, newline), end: offset + newline + 1 }
        if (length < buffer.length) return held.length === 0 ? null : { fault: 'is cut off' }
        load(offset, Math.max(CHUNK_BYTES, 2 * held.length))
      }
    },
    readAgain(from, to) {
      const text = Buffer.alloc(to - from)
      return text.toString('utf8', 0, readFully(descriptor, text, from))
    },
  }
}

/** Returns the number of bytes read, which is less than the size of the target only at the end of the file. */
function readFully(descriptor: number, target: Buffer, offset: number): number {
  let length = 0
  while (length < target.length) {
    const read = readSync(descriptor, target, length, target.length - length, offset + length)
    if (read === 0) break
    length += read
  }
  return length
}
