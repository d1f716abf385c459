import type { Feed } from '../registry/feed.ts'
import type { Reading } from '../registry/reading.ts'

/** Identity of an event, the same on every server and node of a chain. */
interface EventIdentity<Log> {
  /** The registry whose log holds the event. */
  readonly log: Log
  /** Index of the event in the log, from 0. */
  readonly log_index: number
}

interface ReadAt {
  /** State root that the metadata was read at: 64 hex digits. It may differ between servers. */
  readonly state_root_hash: string
}

/** A new attestation: a reading with its value, and the feed's metadata. */
export interface AttestedData extends Reading, EventIdentity<'AttestationRegistry'>, ReadAt {
  /** Index of the value in the feed's history, from 0. */
  readonly index: number
}

/** The fields of a reading without a value. */
export type NoValue = { readonly [Name in Exclude<keyof Reading, keyof Feed | 'feed_id'>]: null }

/** Metadata of a feed, without a value. */
interface ValuelessFeed extends Feed, NoValue {
  /** Id of the feed. */
  readonly feed_id: string
}

/** A new feed, or new metadata of a feed. It has no value, even if the feed has one. */
export interface FeedData extends ValuelessFeed, EventIdentity<'FeedRegistry'>, ReadAt {
  /** Always null: the event is not a value. */
  readonly index: null
}

/** State of a feed at the start of the stream: a reading, or metadata without a value. */
export type SnapshotData = (Reading | ValuelessFeed) & ReadAt

/**
 * Why a stream cannot resume at the requested position.
 *
 * - `registry`: the position belongs to other registries.
 * - `log`: the chain has a different event at that position, because the chain was replaced or restarted.
 */
export type ResetReason = 'registry' | 'log'

/**
 * One item of a stream. A server sends it as an event of this name, with `data` as JSON and `amount` as decimal text.
 *
 * `position` is where to resume after the item. `snapshot` and `reset` items have none: a stream that breaks there resumes
 * at the position before them. A `position` item only reports progress.
 *
 * - `attested`: a new attestation.
 * - `feed`: a new feed, or new metadata.
 * - `snapshot`: the state of a feed at the start of the stream.
 * - `reset`: the stream cannot resume, and continues at `position`. Discard your state.
 * - `position`: progress, without an event.
 */
export type LiveItem =
  | { readonly event: 'attested'; readonly position: string; readonly data: AttestedData }
  | { readonly event: 'feed'; readonly position: string; readonly data: FeedData }
  | { readonly event: 'snapshot'; readonly data: SnapshotData }
  | { readonly event: 'reset'; readonly data: { readonly reason: ResetReason; readonly position: string } }
  | { readonly event: 'position'; readonly position: string }
