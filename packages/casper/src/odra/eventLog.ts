import { createCursor, DecodeError } from '@wattfeed/base'
import { absentAsHidden, absentAsNull } from '../state/absent.ts'
import type { GlobalState } from '../state/globalState.ts'
import { clValueBytes } from '../types/storedValueJson.ts'
import type { OdraContract } from './odraContract.ts'

/** The event log of a contract (Casper Event Standard): the dictionary, and the URef of its length. */
export type EventLog = NonNullable<OdraContract['events']>

/**
 * Reads the number of events that a contract has emitted, at a state root.
 *
 * @throws {DecodeError} when the length is missing.
 */
export async function readEventLogLength(
  state: GlobalState,
  { lengthUref }: EventLog,
  stateRootHash: string,
  signal?: AbortSignal,
): Promise<number> {
  const length = await state.query({
    stateRootHash,
    key: lengthUref,
    signal,
    decode(stored) {
      const cursor = createCursor(clValueBytes(stored, '__events_length'), '__events_length')
      const value = cursor.u32()
      cursor.end()
      return value
    },
    absent: absentAsNull,
  })
  if (length === null) throw new DecodeError('__events_length', 'the node returned no value')
  return length
}

/** Which event to read, and how to decode it. */
export interface EventRequest<T> {
  stateRootHash: string
  index: number
  /** Decodes the name and the fields of the event. If it throws, the node is at fault. */
  decode: (bytes: Uint8Array) => T
  signal?: AbortSignal | undefined
}

/** Reads and decodes an event; returns null if it is absent. The result is wrapped, because `decode` may return null. */
export function readEvent<T>(
  state: GlobalState,
  log: EventLog,
  request: EventRequest<T>,
): Promise<{ event: T } | null> {
  const decode = (bytes: Uint8Array) => ({ event: request.decode(bytes) })
  return state.item({ ...itemOf(log, { ...request, decode }), absent: absentAsNull })
}

/** Reads and decodes an event below the length of the log. A node that reports it as absent is at fault. */
export function readCountedEvent<T>(state: GlobalState, log: EventLog, request: EventRequest<T>): Promise<T> {
  return state.item({ ...itemOf(log, request), absent: absentAsHidden })
}

const itemOf = <T>({ seedUref }: EventLog, { stateRootHash, decode, signal, index }: EventRequest<T>) => ({
  stateRootHash,
  seedUref,
  itemKey: String(index),
  what: nameOf(index),
  signal,
  decode: (stored: unknown) => decode(clValueBytes(stored, nameOf(index))),
})

const nameOf = (index: number): string => `__events[${index}]`

/** Creates the error for an absent event below the length of the log. */
export const eventNotThere = (index: number): DecodeError =>
  new DecodeError(nameOf(index), 'the node returned no value')
