import { createCursor, DecodeError } from '../bytes/cursor.ts'
import { clValueBytes } from '../casper/clValue.ts'
import { getDictionaryItem } from '../casper/dictionaryItem.ts'
import { queryGlobalState } from '../casper/globalState.ts'
import { readSequence, type Sequence } from '../casper/readSequence.ts'
import type { Rpc } from '../casper/rpc.ts'
import type { OdraContract } from './contract.ts'

/** A contract's event log in the Casper Event Standard: the dictionary and the URef of its length. */
export type EventLog = NonNullable<OdraContract['events']>

/**
 * How many events a contract has emitted at a state root.
 *
 * Throws a {@link DecodeError} where the log is not there.
 */
export async function readEventLogLength(
  rpc: Rpc,
  { lengthUref }: EventLog,
  stateRootHash: string,
  signal?: AbortSignal,
): Promise<number> {
  const length = await queryGlobalState(rpc, {
    stateRootHash,
    key: lengthUref,
    signal,
    decode(stored) {
      const cursor = createCursor(clValueBytes(stored, '__events_length'), '__events_length')
      const value = cursor.u32()
      cursor.end()
      return value
    },
  })
  if (length === null) throw new DecodeError('__events_length', 'it is not there')
  return length
}

export interface EventsRequest<T> extends Sequence {
  stateRootHash: string
  /** Decodes the bytes of the event's name and fields. What it throws counts as the node's fault. */
  decode: (bytes: Uint8Array) => T
  signal?: AbortSignal | undefined
}

/**
 * Events number `from` up to (not including) `to`, decoded.
 *
 * Throws a {@link DecodeError} where one is not there.
 */
export function readEvents<T>(rpc: Rpc, log: EventLog, request: EventsRequest<T>): Promise<T[]> {
  return readSequence(request, (index) => readEvent(rpc, log, request, index))
}

async function readEvent<T>(
  rpc: Rpc,
  { seedUref }: EventLog,
  { stateRootHash, decode, signal }: EventsRequest<T>,
  index: number,
): Promise<T> {
  const what = `__events[${index}]`
  const found = await getDictionaryItem(rpc, {
    stateRootHash,
    seedUref,
    itemKey: String(index),
    what,
    signal,
    // Wrapped, because an event that is of no interest may decode to null.
    decode: (bytes) => ({ event: decode(bytes) }),
  })
  if (found === null) throw new DecodeError(what, 'it is not there')
  return found.event
}
