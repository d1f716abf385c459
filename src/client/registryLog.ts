import type { Sequence } from '../async/readSequence.ts'
import { DecodeError } from '../bytes/cursor.ts'
import { decodeHex, encodeHex } from '../bytes/hex.ts'
import { eventNotThere, readEvent, readEventLogLength, readEvents } from '../odra/eventLog.ts'
import { decodeFeedRegistered, decodeRevenueAttested } from '../registry/events.ts'
import type { RegistryName } from '../registry/layout.ts'
import type { AttestedValue } from '../registry/reading.ts'
import type { Live, LiveSource, LogLengths } from './live.ts'
import type { Registry } from './registry.ts'
import type { RootReader } from './rootReader.ts'

/** Returns how many events a registry has emitted, or null if it keeps no log. */
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
  /** Null for other kinds of events. */
  event: T | null
}

/** Decodes an event's bytes; null for other kinds of events. */
export type DecodeEvent<T> = (bytes: Uint8Array) => T | null

/** Reads the events of a range; none if the registry keeps no log. */
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

/** Reads the event at an index as hex; null if there is none. */
export async function readLogEvent(
  { rpc, stateRootHash, signal }: RootReader,
  registry: Registry,
  index: number,
): Promise<string | null> {
  const { events } = await registry.at(stateRootHash)
  const found = events && (await readEvent(rpc, events, { index, stateRootHash, signal, decode: encodeHex }))
  return found?.event ?? null
}

/**
 * An event at a known index. Logs only grow, so another event at that index means another chain; a missing one proves
 * nothing, as the node may lag.
 */
export interface KnownEvent {
  readonly registry: RegistryName
  readonly index: number
  /** Hex; null if it was not read: then the known feeds say what it must hold. */
  readonly bytes: string | null
}

/** Returns the AttestationRegistry's newest event (it has a block time), else the FeedRegistry's; null if none. */
export function newestEvent(
  lengths: LogLengths,
  known: KnownEvent | null,
  read: { registered: readonly LogEvent<unknown>[] | null; attested: readonly LogEvent<unknown>[] | null },
): KnownEvent | null {
  const registry = lengths.attestation ? 'AttestationRegistry' : 'FeedRegistry'
  const index = ((lengths.attestation || lengths.feed) ?? 0) - 1
  if (index < 0) return null
  if (known?.registry === registry && known.index === index) return known
  const events = registry === 'FeedRegistry' ? read.registered : read.attested
  return { registry, index, bytes: events?.at(-1)?.bytes ?? null }
}

/** Reads the event at a known event's index at another root; null if there is none, or none is known. */
export async function readKnownEvent(
  source: LiveSource,
  known: KnownEvent | null,
  reader: RootReader,
): Promise<KnownEvent | null> {
  if (known === null) return null
  const registry = known.registry === 'FeedRegistry' ? source.feedRegistry : source.attestationRegistry
  const bytes = await readLogEvent(reader, registry, known.index)
  return bytes === null ? null : { ...known, bytes }
}

/**
 * Returns whether another event replaced the known one, so that the root is of another chain.
 *
 * @throws {DecodeError} when the log counts the known event but does not hold it.
 */
export function isOtherChain(live: Live, lengths: LogLengths, found: KnownEvent | null): boolean {
  const known = live.lastEvent
  if (known === null) return false
  if (found !== null) return !isSameEvent(live, known, found)
  const length = known.registry === 'FeedRegistry' ? lengths.feed : lengths.attestation
  if (length !== null && length > known.index) throw eventNotThere(known.index)
  return false
}

function isSameEvent({ entries }: Live, known: KnownEvent, { bytes }: KnownEvent): boolean {
  if (known.bytes !== null || bytes === null) return known.bytes === bytes
  if (known.registry === 'FeedRegistry') {
    const registered = readable(bytes, decodeFeedRegistered)
    return registered === null || entries.has(registered.feedId)
  }
  // The newest attestation of all is also the newest of its feed.
  const attested = readable(bytes, decodeRevenueAttested)
  if (attested === null) return true
  const entry = entries.get(attested.feedId)
  return entry?.fault ? true : isSameValue(entry?.value ?? null, attested.value)
}

/** Decodes an event; null for other kinds, or if this version cannot decode it. */
function readable<T>(hex: string, decode: (bytes: Uint8Array) => T | null): T | null {
  try {
    return decode(decodeHex(hex, 'event'))
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}

const isSameValue = (known: AttestedValue | null, value: AttestedValue): boolean =>
  known?.period === value.period &&
  known.amount === value.amount &&
  known.source_hash === value.source_hash &&
  known.timestamp === value.timestamp
