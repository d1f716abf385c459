import { closeSync, openSync, readSync } from 'node:fs'
import { defineError } from '@wattfeed/base'
import { blake2b } from '../blake2b.ts'

/** A record in the middle of a log is damaged. */
export const CorruptRecordError = defineError(
  'CorruptRecordError',
  'corrupt_record',
  (facts: {
    path: string
    /** Offset of the record in bytes. */
    offset: number
  }) => `${facts.path} is damaged at byte ${facts.offset}; restore a backup or use an empty directory`,
)

/** A record, and the offset of the next one. */
export interface StoredRecord {
  value: unknown
  end: number
}

const CHECKSUM_BYTES = 16
const CHUNK_BYTES = 1 << 20
const NEWLINE = 0x0a

/** Formats a record as a line: the checksum in hex, a space, JSON. */
export function formatRecord(record: unknown): Buffer {
  const json = Buffer.from(JSON.stringify(record))
  return Buffer.concat([Buffer.from(`${checksum(json)} `), json, Buffer.of(NEWLINE)])
}

const checksum = (bytes: Uint8Array): string => blake2b(bytes).subarray(0, CHECKSUM_BYTES).toHex()

/**
 * Reads the records of a file in order. Skips an incomplete last record, which remains when a process dies while writing.
 *
 * @throws {CorruptRecordError} when a record other than the last is damaged
 */
export function* readRecords(path: string): Generator<StoredRecord> {
  let damagedAt: number | null = null
  for (const { bytes, start } of readLines(path)) {
    if (damagedAt !== null) throw new CorruptRecordError({ path, offset: damagedAt })
    const value = parseRecord(bytes)
    if (value === undefined) damagedAt = start
    else yield { value, end: start + bytes.length + 1 }
  }
}

/** Parses a record; undefined if the checksum does not match. */
function parseRecord(line: Buffer): unknown {
  const jsonStart = 2 * CHECKSUM_BYTES + 1
  const json = line.subarray(jsonStart)
  if (line.subarray(0, jsonStart).toString('latin1') !== `${checksum(json)} `) return undefined
  return JSON.parse(json.toString())
}

function* readLines(path: string): Generator<{ bytes: Buffer; start: number }> {
  const file = openSync(path, 'r')
  const chunk = Buffer.alloc(CHUNK_BYTES)
  try {
    let rest = Buffer.alloc(0)
    let start = 0
    for (let length = readSync(file, chunk); length > 0; length = readSync(file, chunk)) {
      rest = Buffer.concat([rest, chunk.subarray(0, length)])
      for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
        yield { bytes: rest.subarray(0, end), start }
        start += end + 1
        rest = rest.subarray(end + 1)
      }
    }
  } finally {
    closeSync(file)
  }
}
