import { sha256 } from '@noble/hashes/sha2.js'
import { type Cursor, DecodeError, encodeHex } from '@wattfeed/base'
import {
  decodeField,
  type EventLog,
  eventNotThere,
  isUndecodable,
  readCountedEvent,
  readEvent,
  readEventLogLength,
  readStruct,
  UnexpectedAnswerError,
} from '@wattfeed/casper'
import { attestedFields } from './attestation.ts'
import type { RegistryName } from './layout.ts'
import type { AttestedValue } from './reading.ts'
import type { RegistryContract } from './registryContract.ts'
import type { RootReader } from './rootReader.ts'

/** Event of the FeedRegistry: a feed was registered, or its metadata changed. */
export interface FeedRegistered {
  feedId: string
}

/** Event of the AttestationRegistry: a value was attested and is now the newest of its feed. */
export interface RevenueAttested {
  feedId: string
  /** Index of the value in the feed's history. */
  index: number
  value: AttestedValue
}

/** An event of a registry's log, as read. */
export interface LogEvent {
  readonly registry: RegistryName
  readonly index: number
  /** The event in hex. */
  readonly bytes: string
  /** First 8 hex digits of the SHA-256 of its bytes. */
  readonly digest: string
  /** The decoded event; null if it does not decode or its kind is unknown. */
  readonly event: FeedRegistered | RevenueAttested | null
  /** Why it does not decode; null if it does. */
  readonly fault: Error | null
}

/** An event that the log had. Logs only grow, so a different event at the same index means another chain. */
export interface KnownEvent extends Pick<LogEvent, 'registry' | 'index'> {
  /** Null if it was not read or did not decode. Then it is compared with the cached feeds. */
  readonly read: LogEvent | null
}

/** Returns the number of events in a registry's log; null if it has no log. */
export async function readLogLength(reader: RootReader, registry: RegistryContract): Promise<number | null> {
  const { state, stateRootHash, signal } = reader
  const { events } = await registry.at(stateRootHash)
  if (events === null) return null
  const length = await readEventLogLength(state, events, stateRootHash, signal)
  reader.confirm(registry)
  return length
}

/**
 * Reads an event within the log's length. An event that does not decode, is of an unknown kind, or has an unexpected digest
 * is read again, from other nodes first. It is accepted only if all reads return the same bytes; two reads suffice for an
 * unexpected digest, because the expectation comes from outside.
 *
 * @throws {@link AllNodesFailedError} when reads disagree, or no node returns the event.
 */
export async function readLogEvent(
  reader: RootReader,
  registry: RegistryContract,
  index: number,
  expectedDigest?: string,
): Promise<LogEvent> {
  const log = await logOf(reader, registry)
  if (log === null) throw eventNotThere(index)
  const doubtful = new Map<string, LogEvent>()
  function decode(data: Uint8Array): LogEvent {
    const found = toLogEvent(registry.name, index, data)
    const isExpected = expectedDigest === undefined || found.digest === expectedDigest
    const isAgreed = doubtful.size === 1 && doubtful.has(found.bytes)
    if (found.fault === null && (isExpected || isAgreed)) return found
    doubtful.set(found.bytes, found)
    throw found.fault ?? new UnexpectedAnswerError(`__events[${index}]`, `expected digest ${expectedDigest}`)
  }
  const { state, stateRootHash, signal } = reader
  try {
    return await readCountedEvent(state, log, { index, stateRootHash, signal, decode })
  } catch (error) {
    const [found, ...others] = doubtful.values()
    if (!isUndecodable(error) || found === undefined || others.length > 0) throw error
    return { ...found, fault: found.fault && error }
  }
}

/**
 * Reads a new event. Where nodes are trusted, two reads must agree on it: a wrong bit would reach every stream, and would look
 * like another chain at the next read.
 *
 * @throws {DecodeError} when three reads differ.
 */
export async function readNewLogEvent(
  reader: RootReader,
  registry: RegistryContract,
  index: number,
): Promise<LogEvent> {
  const read = () => readLogEvent(reader, registry, index)
  if (reader.state.isProven) return read()
  const [first, second] = await Promise.all([read(), read()])
  if (first.bytes === second.bytes) return second
  const third = await read()
  if (third.bytes === first.bytes || third.bytes === second.bytes) return third
  throw new DecodeError(`__events[${index}]`, 'three reads differ')
}

/**
 * Reads the event at the index of a known one, at another state root; null if it is absent, because the node may lag. If
 * the known event decoded and this one does not, the node is wrong; that does not indicate another chain.
 */
export async function readLogEventAgain(
  reader: RootReader,
  registry: RegistryContract,
  { index, read }: KnownEvent,
): Promise<LogEvent | null> {
  const log = await logOf(reader, registry)
  if (log === null) return null
  function decode(data: Uint8Array): LogEvent {
    const found = toLogEvent(registry.name, index, data)
    if (read !== null && read.bytes !== found.bytes && found.fault !== null) throw found.fault
    return found
  }
  const { state, stateRootHash, signal } = reader
  return (await readEvent(state, log, { index, stateRootHash, signal, decode }))?.event ?? null
}

async function logOf({ stateRootHash }: RootReader, registry: RegistryContract): Promise<EventLog | null> {
  return (await registry.at(stateRootHash)).events
}

function toLogEvent(registry: RegistryName, index: number, data: Uint8Array): LogEvent {
  const bytes = encodeHex(data)
  const digest = encodeHex(sha256(data)).slice(0, 8)
  try {
    const event = decoders[registry](data)
    const fault = event === null ? new DecodeError(`__events[${index}]`, 'unknown event kind') : null
    return { registry, index, bytes, digest, event, fault }
  } catch (fault) {
    if (!(fault instanceof DecodeError)) throw fault
    return { registry, index, bytes, digest, event: null, fault }
  }
}

/** The decoders of each registry, which return null for other kinds. */
const decoders = {
  FeedRegistry: decodeFeedRegistered,
  AttestationRegistry: decodeRevenueAttested,
} as const

const registeredFields = { feed_id: 'text', decimals: 'u8', unit: 'text', source: 'text' } as const

const eventFields = { feed_id: 'text', ...attestedFields, index: 'u64', timestamp: 'time' } as const

/** Decodes an item of the FeedRegistry's event log; returns null for other events. */
export function decodeFeedRegistered(bytes: Uint8Array): FeedRegistered | null {
  return decodeEvent(bytes, 'FeedRegistered', (cursor) => {
    const { feed_id } = readStruct(cursor, registeredFields)
    return { feedId: feed_id }
  })
}

/** Decodes an item of the AttestationRegistry's event log; returns null for other events. */
export function decodeRevenueAttested(bytes: Uint8Array): RevenueAttested | null {
  return decodeEvent(bytes, 'RevenueAttested', (cursor) => {
    const { feed_id, index, ...value } = readStruct(cursor, eventFields)
    return { feedId: feed_id, index, value }
  })
}

function decodeEvent<T>(bytes: Uint8Array, name: string, read: (cursor: Cursor) => T): T | null {
  const what = `event ${name}`
  return decodeField(bytes, what, (cursor) => {
    if (cursor.string() === `event_${name}`) return read(cursor)
    cursor.rest()
    return null
  })
}
