import { readSequence, type Sequence } from '../async/readSequence.ts'
import { createCursor, DecodeError } from '../bytes/cursor.ts'
import { absentAsHidden, absentAsNull } from '../casper/state/absent.ts'
import type { GlobalState } from '../casper/state/globalState.ts'
import { clValueBytes } from '../casper/types/storedValueJson.ts'
import type { OdraContract } from './contract.ts'

/** A contract's event log in the Casper Event Standard: the dictionary and the URef of its length. */
export type EventLog = NonNullable<OdraContract['events']>

/**
 * Returns how many events a contract has emitted at a state root.
 *
 * @throws {DecodeError} if it has no log.
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
  if (length === null) throw new DecodeError('__events_length', 'it is not there')
  return length
}

export interface EventsRequest<T> extends Sequence {
  stateRootHash: string
  /** Decodes the event's name and fields. If it throws, the node is at fault. */
  decode: (bytes: Uint8Array) => T
  signal?: AbortSignal | undefined
}

/**
 * Reads and decodes the events from `from` up to (excluding) `to`.
 *
 * @throws {AllNodesFailedError} when one is missing.
 */
export function readEvents<T>(state: GlobalState, log: EventLog, request: EventsRequest<T>): Promise<T[]> {
  return readSequence(request, (index) => readCountedEvent(state, log, { ...request, index }))
}

export interface EventRequest<T> extends Omit<EventsRequest<T>, keyof Sequence> {
  index: number
}

/** Reads and decodes one event; null if there is none. Wrapped, because `decode` may return null. */
export function readEvent<T>(
  state: GlobalState,
  log: EventLog,
  request: EventRequest<T>,
): Promise<{ event: T } | null> {
  const decode = (bytes: Uint8Array) => ({ event: request.decode(bytes) })
  return state.item({ ...itemOf(log, { ...request, decode }), absent: absentAsNull })
}

/** Reads and decodes an event that the log counts: a node that reports it as absent is at fault. */
export function readCountedEvent<T>(state: GlobalState, log: EventLog, request: EventRequest<T>): Promise<T> {
  return state.item({ ...itemOf(log, request), absent: absentAsHidden })
}

const itemOf = <T>({ seedUref }: EventLog, { stateRootHash, decode, signal, index }: EventRequest<T>) => ({
  stateRootHash,
  seedUref,
  itemKey: String(index),
  what: `__events[${index}]`,
  signal,
  decode: (stored: unknown) => decode(clValueBytes(stored, `__events[${index}]`)),
})

/** A log that counts more events than it holds. */
export const eventNotThere = (index: number): DecodeError =>
  new DecodeError(`__events[${index}]`, 'it is not there')
