import { sha256 } from '@noble/hashes/sha2.js'
import { readSequence, type Sequence } from '../async/readSequence.ts'
import { DecodeError } from '../bytes/cursor.ts'
import { decodeHex, encodeHex } from '../bytes/hex.ts'
import { isUndecodable } from '../casper/rpc/rpcErrors.ts'
import {
  type EventLog,
  eventNotThere,
  readCountedEvent,
  readEvent,
  readEventLogLength,
} from '../odra/eventLog.ts'
import { decodeFeedRegistered, decodeRevenueAttested } from '../registry/events.ts'
import type { RegistryName } from '../registry/layout.ts'
import type { AttestedValue } from '../registry/reading.ts'
import type { RegistryContract } from '../registry/registryContract.ts'
import type { RootReader } from '../registry/rootReader.ts'
import type { Live, LiveSource, LogLengths } from './live.ts'

/** Returns how many events a registry has emitted, or null if it keeps no log. */
export async function readLogLength(reader: RootReader, registry: RegistryContract): Promise<number | null> {
  const { state, stateRootHash, signal } = reader
  const { events } = await registry.at(stateRootHash)
  if (events === null) return null
  const length = await readEventLogLength(state, events, stateRootHash, signal)
  reader.confirm(registry)
  return length
}

/** One event of a registry's log. */
export interface LogEvent<T> {
  /** Hex. */
  bytes: string
  /** Null if it does not decode, or is of an unknown kind. */
  event: T | null
  /** What the nodes say then, else null. */
  fault: Error | null
}

/** Decodes an event's bytes; null for other kinds of events. */
export type DecodeEvent<T> = (bytes: Uint8Array) => T | null

/** First 8 hex digits of the SHA-256 of an event's bytes, which are hex. */
export const digestOf = (bytes: string): string => encodeHex(sha256(decodeHex(bytes, 'event'))).slice(0, 8)

/** Which events to read. */
export interface LogRange extends Sequence {
  /** The digest that they are known to have. */
  expected?: string | undefined
}

/** Reads the events of a range; none if the registry keeps no log. */
export async function readLog<T>(
  reader: RootReader,
  registry: RegistryContract,
  range: LogRange,
  decode: DecodeEvent<T>,
): Promise<LogEvent<T>[]> {
  const { events } = await registry.at(reader.stateRootHash)
  if (events === null) return []
  return readSequence(range, (index) =>
    readLogEvent(reader, events, { index, decode, expected: range.expected }),
  )
}

/**
 * Reads an event that the log counts. One that does not decode, is of an unknown kind, or is not the expected one, is read
 * again, from other nodes first. It counts as the chain's only if every read gives the same bytes.
 *
 * @throws {AllNodesFailedError}
 */
async function readLogEvent<T>(
  { state, stateRootHash, signal }: RootReader,
  log: EventLog,
  { index, decode, expected }: { index: number; decode: DecodeEvent<T>; expected: string | undefined },
): Promise<LogEvent<T>> {
  const doubtful = new Set<string>()
  function decodeOrDoubt(data: Uint8Array): LogEvent<T> {
    const bytes = encodeHex(data)
    doubtful.add(bytes)
    const event = decode(data)
    if (event === null) throw unknownKind(index)
    if (expected !== undefined && digestOf(bytes) !== expected)
      throw new DecodeError(`__events[${index}]`, `its digest is not ${expected}`)
    doubtful.delete(bytes)
    return { bytes, event, fault: null }
  }
  try {
    return await readCountedEvent(state, log, { index, stateRootHash, signal, decode: decodeOrDoubt })
  } catch (error) {
    const [bytes, ...others] = doubtful
    if (!isUndecodable(error) || bytes === undefined || others.length > 0) throw error
    // It decodes where it is only not the expected one.
    const event = readable(bytes, decode)
    return { bytes, event, fault: event === null ? error : null }
  }
}

/** Reads the event at a known event's index at another root; null if there is none. */
async function readEventBytes(
  { state, stateRootHash, signal }: RootReader,
  registry: RegistryContract,
  { index, bytes: known }: KnownEvent,
): Promise<string | null> {
  const { events } = await registry.at(stateRootHash)
  const decode = decodeEvent[registry.name]
  const decodeOrFail = (data: Uint8Array): string => {
    const bytes = encodeHex(data)
    // Bytes that do not decode where others did are the node's fault: they do not show another chain.
    if (known !== null && known !== bytes && decode(data) === null) throw unknownKind(index)
    return bytes
  }
  const request = { index, stateRootHash, signal, decode: decodeOrFail }
  return (events && (await readEvent(state, events, request)))?.event ?? null
}

const unknownKind = (index: number): DecodeError =>
  new DecodeError(`__events[${index}]`, 'it is of an unknown kind')

/** How an event of each registry decodes. */
const decodeEvent = {
  FeedRegistry: decodeFeedRegistered,
  AttestationRegistry: decodeRevenueAttested,
} as const

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
  const bytes = await readEventBytes(reader, registry, known)
  if (bytes === null) return null
  const isReadable = known.bytes !== null || isDecodable(bytes, decodeEvent[known.registry])
  return { ...known, bytes: isReadable ? bytes : null }
}

/**
 * Returns the bytes of another event that stands where the known one was, so that the root may be of another chain; null
 * if there is none.
 *
 * @throws {DecodeError} when the log counts the known event but does not hold it.
 */
export function otherEvent(live: Live, lengths: LogLengths, found: KnownEvent | null): string | null {
  const known = live.lastEvent
  if (known === null) return null
  if (found !== null) return isSameEvent(live, known, found) ? null : found.bytes
  const length = known.registry === 'FeedRegistry' ? lengths.feed : lengths.attestation
  if (length !== null && length > known.index) throw eventNotThere(known.index)
  return null
}

function isSameEvent({ entries }: Live, known: KnownEvent, { bytes }: KnownEvent): boolean {
  if (bytes === null) return true
  if (known.bytes !== null) return known.bytes === bytes
  if (known.registry === 'FeedRegistry') {
    const registered = readable(bytes, decodeFeedRegistered)
    return registered === null || entries.has(registered.feedId)
  }
  // The newest attestation of all is also the newest of its feed.
  const attested = readable(bytes, decodeRevenueAttested)
  if (attested === null) return true
  const entry = entries.get(attested.feedId)
  if (entry === undefined) return false
  // A value that is missing was hidden by a node, or does not decode: it shows no other chain.
  return entry.fault !== null || entry.value === null || isSameValue(entry.value, attested.value)
}

const isDecodable = (hex: string, decode: DecodeEvent<unknown>): boolean => {
  try {
    decode(decodeHex(hex, 'event'))
    return true
  } catch {
    return false
  }
}

/** Decodes an event; null for other kinds, or if this version cannot decode it. */
const readable = <T>(hex: string, decode: DecodeEvent<T>): T | null =>
  isDecodable(hex, decode) ? decode(decodeHex(hex, 'event')) : null

const isSameValue = (known: AttestedValue, value: AttestedValue): boolean =>
  known.period === value.period &&
  known.amount === value.amount &&
  known.source_hash === value.source_hash &&
  known.timestamp === value.timestamp
