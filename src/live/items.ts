import type { Feed } from '../registry/feed.ts'
import type { Reading } from '../registry/reading.ts'

/** The event itself, the same on every server and node of a chain: two items with the same are one event. */
interface EventIdentity<Log> {
  readonly log: Log
  /** From 0, in the log's order. */
  readonly log_index: number
}

/** The state root that metadata was read at (hex). Another server may have read it at another. */
interface ReadAt {
  readonly state_root_hash: string
}

/** A value that was attested: a reading with this value, and the metadata of the state root it was read at. */
export interface AttestedData extends Reading, EventIdentity<'AttestationRegistry'>, ReadAt {
  /** Position in the feed's history, from 0. */
  readonly index: number
}

/** The fields of a reading where there is no value. */
interface NoValue {
  readonly value: null
  readonly amount: null
  readonly period: null
  readonly source_hash: null
  readonly updated_at: null
}

/** Metadata of a feed, without a value. */
interface ValuelessFeed extends Feed, NoValue {
  readonly feed_id: string
}

/** A feed is new, or its metadata changed. It says nothing of values. */
export interface FeedData extends ValuelessFeed, EventIdentity<'FeedRegistry'>, ReadAt {
  readonly index: null
}

/** What a feed held when the stream began. */
export type SnapshotData = (Reading | ValuelessFeed) & ReadAt

/**
 * Why a stream goes on elsewhere than where it was asked to: `registry` if the position is of other registries, `log` if
 * another event stands at its place (another chain, or a restarted one).
 */
export type ResetReason = 'registry' | 'log'

/**
 * What a stream brings. As JSON (`data:` of an event of this name), `amount` is a string of digits.
 *
 * `position` says where to resume after it. `snapshot` and `reset` have none of their own: a stream that ends there resumes
 * from where it was asked to begin. A `position` item only says how far the stream is.
 */
export type LiveItem =
  | { readonly event: 'attested'; readonly position: string; readonly data: AttestedData }
  | { readonly event: 'feed'; readonly position: string; readonly data: FeedData }
  | { readonly event: 'snapshot'; readonly data: SnapshotData }
  | { readonly event: 'reset'; readonly data: { readonly reason: ResetReason; readonly position: string } }
  | { readonly event: 'position'; readonly position: string }
