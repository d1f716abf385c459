import { DecodeError } from '@wattfeed/base'
import { isUndecodable } from '@wattfeed/casper'
import type { EventLogs } from '../client/feeds/eventLogs.ts'
import type { Snapshot } from '../client/snapshot.ts'
import type { FeedRegistered, RevenueAttested } from '../registry/events.ts'
import type { Feed } from '../registry/feed.ts'
import type { RegistryName } from '../registry/layout.ts'
import { createReading } from '../registry/reading.ts'
import type { AttestedData, FeedData, NoValue, ResetReason, SnapshotData } from './items.ts'
import { isAhead, NO_EVENT, type Position } from './position.ts'

/** The event logs at a state root. */
export interface LogView {
  readonly at: Pick<Snapshot, 'stateRootHash' | 'getFeed'>
  readonly logs: EventLogs
}

/** What the position after an event follows from. */
export interface EventMark {
  readonly log: RegistryName
  /** First 8 hex digits of the SHA-256 of the event, as in a position. */
  readonly digest: string
}

export interface ReadEvent extends EventMark {
  readonly index: number
  /**
   * Data of the stream's item; null if the event has none. That is an event of another kind, or of a feed that does not
   * decode, which the list of feeds leaves out too.
   */
  readonly shown: AttestedData | FeedData | null
}

/** An event, and the position after it. */
export interface Step<E> {
  readonly event: E
  readonly position: Position
}

/** Returns the position at the end of the logs, with at most one call. */
export async function endOf(view: LogView): Promise<Position> {
  const lengths = lengthsOf(view)
  const last = lastEventOf(lengths)
  const event = last && (await view.logs.readEvent(last.log, last.index))
  return { ...registriesOf(view), lastEvent: event?.digest ?? NO_EVENT, ...lengths }
}

const registriesOf = ({ logs: { packageHashes } }: LogView) => ({
  feedRegistry: packageHashes.FeedRegistry.slice(0, 8),
  attestationRegistry: packageHashes.AttestationRegistry.slice(0, 8),
})

export const lengthsOf = ({ logs: { lengths } }: LogView): Pick<Position, 'feed' | 'attestation'> => ({
  feed: lengths.FeedRegistry,
  attestation: lengths.AttestationRegistry,
})

/** Returns whether a position is past the end of the logs. */
export const isAheadOf = (position: Position, view: LogView): boolean => isAhead(position, lengthsOf(view))

/** Returns the event that a position names: the last attestation, or before the first one the last registration; else null. */
export function lastEventOf({
  feed,
  attestation,
}: Pick<Position, 'feed' | 'attestation'>): { log: RegistryName; index: number } | null {
  if (attestation > 0) return { log: 'AttestationRegistry', index: attestation - 1 }
  return feed > 0 ? { log: 'FeedRegistry', index: feed - 1 } : null
}

/** Returns why a stream cannot resume after a position; null if it can. Nodes must agree on another event than its last. */
export async function resetReason(view: LogView, position: Position): Promise<ResetReason | null> {
  if (isOfOtherRegistries(view, position)) return 'registry'
  const last = lastEventOf(position)
  if (last === null) return null
  const { digest } = await view.logs.readEvent(last.log, last.index, position.lastEvent)
  return digest === position.lastEvent ? null : 'log'
}

/** Returns whether a position belongs to other registries. */
export function isOfOtherRegistries(view: LogView, position: Position): boolean {
  const { feedRegistry, attestationRegistry } = registriesOf(view)
  return position.feedRegistry !== feedRegistry || position.attestationRegistry !== attestationRegistry
}

/** Maximum number of events that are read at a time. */
const BATCH = 32

/**
 * Reads the next events concurrently, at most {@link BATCH}. Events of the FeedRegistry come first, so that a feed precedes its values.
 */
export async function readSteps<E extends EventMark>(
  from: Position,
  to: Pick<Position, 'feed' | 'attestation'>,
  read: (log: RegistryName, index: number) => Promise<E>,
): Promise<Step<E>[]> {
  const feeds = Math.min(BATCH, Math.max(0, to.feed - from.feed))
  const attestations = Math.min(BATCH - feeds, Math.max(0, to.attestation - from.attestation))
  const events = await Promise.all([
    ...Array.from({ length: feeds }, (_, index) => read('FeedRegistry', from.feed + index)),
    ...Array.from({ length: attestations }, (_, index) =>
      read('AttestationRegistry', from.attestation + index),
    ),
  ])
  let position = from
  return events.map((event) => {
    position = positionAfter(position, event)
    return { event, position }
  })
}

const positionAfter = (position: Position, { log, digest }: EventMark): Position =>
  log === 'FeedRegistry'
    ? {
        ...position,
        feed: position.feed + 1,
        lastEvent: position.attestation === 0 ? digest : position.lastEvent,
      }
    : { ...position, attestation: position.attestation + 1, lastEvent: digest }

/**
 * Reads an event and its data for a stream. The newest events are cached; others take one call. The metadata of a feed
 * without a value takes another call.
 */
export async function readEvent(view: LogView, log: RegistryName, index: number): Promise<ReadEvent> {
  const { digest, event } = await view.logs.readEvent(log, index)
  return { log, index, digest, shown: event && (await dataOf(view, event, index).catch(nullIfUndecodable)) }
}

async function dataOf(
  view: LogView,
  event: FeedRegistered | RevenueAttested,
  log_index: number,
): Promise<ReadEvent['shown']> {
  const { feedId } = event
  const feed = await metadataOf(view, feedId)
  if (feed === null) return null
  if ('value' in event) {
    const { index, value } = event
    const reading = createReading(feedId, feed, value)
    return { ...reading, index, log: 'AttestationRegistry', log_index, ...readAt(view) }
  }
  const place = { index: null, log: 'FeedRegistry', log_index } as const
  return { feed_id: feedId, ...feed, ...noValue, ...place, ...readAt(view) }
}

const noValue: NoValue = { value: null, amount: null, period: null, source_hash: null, updated_at: null }

const readAt = ({ at }: LogView) => ({ state_root_hash: at.stateRootHash })

async function metadataOf({ at, logs }: LogView, feedId: string): Promise<Feed | null> {
  return logs.entries.get(feedId)?.feed ?? at.getFeed(feedId)
}

/** Returns the state of each feed, in registry order. Feeds that do not decode are left out. */
export async function readSnapshot(
  view: LogView,
  ids: Pick<ReadonlySet<string>, 'has'> | null,
): Promise<SnapshotData[]> {
  const wanted = [...view.logs.entries].filter(([id]) => id.isWellFormed() && (ids?.has(id) ?? true))
  const feeds = wanted.map(async ([id, { reading }]): Promise<SnapshotData | null> => {
    if (reading !== null) return { ...reading, ...readAt(view) }
    const feed = await metadataOf(view, id).catch(nullIfUndecodable)
    return feed && { feed_id: id, ...feed, ...noValue, ...readAt(view) }
  })
  return (await Promise.all(feeds)).filter((feed) => feed !== null)
}

function nullIfUndecodable(error: unknown): null {
  if (error instanceof DecodeError || isUndecodable(error)) return null
  throw error
}
