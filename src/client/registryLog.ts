import type { Sequence } from '../async/readSequence.ts'
import { encodeHex } from '../bytes/hex.ts'
import { readEvent, readEventLogLength, readEvents } from '../odra/eventLog.ts'
import type { Registry } from './registry.ts'
import type { RootReader } from './rootReader.ts'

/** How many events a registry has emitted, or null where it keeps no log. */
export async function readLogLength(reader: RootReader, registry: Registry): Promise<number | null> {
  const { rpc, stateRootHash, signal } = reader
  const { events } = await registry.at(stateRootHash)
  if (events === null) return null
  const length = await readEventLogLength(rpc, events, stateRootHash, signal)
  reader.confirm(registry)
  return length
}

/** One event of a registry's log. */
export interface LogEvent<T> {
  /** Hex. */
  bytes: string
  /** Null where it has another name than the one that is wanted. */
  event: T | null
}

/** Decodes an event's bytes; null where it has another name. */
export type DecodeEvent<T> = (bytes: Uint8Array) => T | null

/** The events of a range; none where the registry keeps no log. */
export async function readLog<T>(
  { rpc, stateRootHash, signal }: RootReader,
  registry: Registry,
  range: Sequence,
  decode: DecodeEvent<T>,
): Promise<LogEvent<T>[]> {
  const { events } = await registry.at(stateRootHash)
  if (events === null) return []
  return readEvents(rpc, events, {
    ...range,
    stateRootHash,
    signal,
    decode: (bytes) => ({ bytes: encodeHex(bytes), event: decode(bytes) }),
  })
}

/** The bytes of the event at an index in hex, or null where there is none. */
export async function readLogEvent(
  { rpc, stateRootHash, signal }: RootReader,
  registry: Registry,
  index: number,
): Promise<string | null> {
  const { events } = await registry.at(stateRootHash)
  const found = events && (await readEvent(rpc, events, { index, stateRootHash, signal, decode: encodeHex }))
  return found?.event ?? null
}
