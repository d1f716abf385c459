import { type Cursor, createCursor, DecodeError } from '@wattfeed/base'
import {
  type ClValue,
  compareText,
  decodeClValue,
  decodeKey,
  type EntryPoint,
  type NamedArgument,
  readClValue,
  readEntryPoint,
  readUref,
} from '@wattfeed/casper/types'
import type { Runtime } from '../callContext.ts'
import { decodeInput } from '../executionError.ts'

/** Decodes input from a contract's memory. @throws {ExecutionError} when it cannot be decoded */
export function readInput<T>(
  { memory }: Runtime,
  pointer: number,
  size: number,
  read: (cursor: Cursor) => T,
): T {
  const bytes = memory.read(pointer, size)
  return decodeInput(() => {
    const cursor = createCursor(bytes, 'input')
    const value = read(cursor)
    cursor.end()
    return value
  })
}

export const readKeyInput = ({ memory }: Runtime, pointer: number, size: number): Uint8Array =>
  decodeInput(() => decodeKey(memory.read(pointer, size)))

export const readClValueInput = ({ memory }: Runtime, pointer: number, size: number): ClValue =>
  decodeInput(() => decodeClValue(memory.read(pointer, size)))

export const readUrefInput = (runtime: Runtime, pointer: number, size: number): Uint8Array =>
  readInput(runtime, pointer, size, readUref)

export const readHashInput = (runtime: Runtime, pointer: number, size: number): Uint8Array =>
  readInput(runtime, pointer, size, (cursor) => cursor.bytes(32))

export const readStringInput = (runtime: Runtime, pointer: number, size: number): string =>
  readInput(runtime, pointer, size, (cursor) => cursor.string())

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Reads text without a length prefix; null if it is not UTF-8. */
export function readText({ memory }: Runtime, pointer: number, size: number): string | null {
  const bytes = memory.read(pointer, size)
  try {
    return utf8.decode(bytes)
  } catch {
    return null
  }
}

const MAX_ENTRY_POINT_PAYMENT = 2

/** Reads entry points by name. A byte after each defines who pays; it is checked and ignored. */
export function readEntryPoints(cursor: Cursor): Map<string, EntryPoint> {
  const entryPoints = cursor.list(() => {
    const name = cursor.string()
    const entryPoint = readEntryPoint(cursor)
    const payment = cursor.u8()
    if (payment > MAX_ENTRY_POINT_PAYMENT) throw new DecodeError('EntryPoint', `unknown payment ${payment}`)
    return [name, entryPoint] as const
  })
  return new Map(entryPoints)
}

/** Reads entry points by name, in the form that they had before protocol 2: nothing defines who pays. */
export const readOlderEntryPoints = (cursor: Cursor): Map<string, EntryPoint> =>
  new Map(cursor.list(() => [cursor.string(), readEntryPoint(cursor)]))

/** Reads the names of topics to add, sorted. There is no operation other than adding. */
export function readTopics(cursor: Cursor): string[] {
  const topics = cursor.list(() => {
    const topic = cursor.string()
    const operation = cursor.u8()
    if (operation !== 0) throw new DecodeError('topics', `unknown operation ${operation}`)
    return topic
  })
  return [...new Set(topics)].sort(compareText)
}

export const readArguments = (cursor: Cursor): NamedArgument[] =>
  cursor.list(() => ({ name: cursor.string(), ...readClValue(cursor) }))

/** Reads a set of URefs. Returns 33 bytes for each, sorted. */
export function readUrefs(cursor: Cursor): Uint8Array[] {
  const urefs = new Map(cursor.list(readUref).map((uref) => [uref.toHex(), uref]))
  return [...urefs.values()].sort(Buffer.compare)
}
