import { sha256 } from '@noble/hashes/sha2.js'
import { DecodeError } from '../bytes/cursor.ts'
import { encodeHex } from '../bytes/hex.ts'
import { isUndecodable } from '../casper/rpc/rpcErrors.ts'
import {
  type EventLog,
  eventNotThere,
  readCountedEvent,
  readEvent,
  readEventLogLength,
} from '../odra/eventLog.ts'
import {
  decodeFeedRegistered,
  decodeRevenueAttested,
  type FeedRegistered,
  type RevenueAttested,
} from '../registry/events.ts'
import type { RegistryName } from '../registry/layout.ts'
import type { RegistryContract } from '../registry/registryContract.ts'
import type { RootReader } from '../registry/rootReader.ts'

/** One event of a registry's log. */
export interface LogEvent {
  readonly registry: RegistryName
  readonly index: number
  /** Hex. */
  readonly bytes: string
  /** First 8 hex digits of the SHA-256 of its bytes. */
  readonly digest: string
  /** Null if it does not decode, or is of an unknown kind. */
  readonly event: FeedRegistered | RevenueAttested | null
  /** Why there is no event; null if there is one. */
  readonly fault: Error | null
}

/** An event that the log holds. Logs only grow, so another event at the same place means another chain. */
export interface KnownEvent extends Pick<LogEvent, 'registry' | 'index'> {
  /** Null if it was not read, or did not decode: then the known feeds say what it must hold. */
  readonly read: LogEvent | null
}

/** How an event of each registry decodes; null for other kinds of events. */
const decodeEvent = {
  FeedRegistry: decodeFeedRegistered,
  AttestationRegistry: decodeRevenueAttested,
} as const

/** Returns how many events a registry has emitted, or null if it keeps no log. */
export async function readLogLength(reader: RootReader, registry: RegistryContract): Promise<number | null> {
  const { state, stateRootHash, signal } = reader
  const { events } = await registry.at(stateRootHash)
  if (events === null) return null
  const length = await readEventLogLength(state, events, stateRootHash, signal)
  reader.confirm(registry)
  return length
}

/**
 * Reads an event that the log counts. One that does not decode, is of an unknown kind, or has another digest than the
 * expected one, is read again, from other nodes first. It counts as the chain's only if every read gives the same bytes.
 *
 * @throws {AllNodesFailedError}
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
    if (found.fault === null && isExpected) return found
    doubtful.set(found.bytes, found)
    throw found.fault ?? new DecodeError(`__events[${index}]`, `its digest is not ${expectedDigest}`)
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
 * Reads the event at the index of a known one, at another root; null if there is none, because the node may lag. Bytes
 * that do not decode where others did are the node's fault: they do not show another chain.
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
    const event = decodeEvent[registry](data)
    const fault = event === null ? new DecodeError(`__events[${index}]`, 'it is of an unknown kind') : null
    return { registry, index, bytes, digest, event, fault }
  } catch (fault) {
    if (!(fault instanceof DecodeError)) throw fault
    return { registry, index, bytes, digest, event: null, fault }
  }
}
