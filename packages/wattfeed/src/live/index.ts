/**
 * Follows new values, from nodes or from a server. For Bun, Node.js and browsers.
 *
 * @module wattfeed/live
 */

export { InvalidArgumentError, WattfeedError } from '@wattfeed/base'
export { StreamError } from './eventStream.ts'
export type { AttestedData, FeedData, LiveItem, ResetReason, SnapshotData } from './items.ts'
export { formatPosition, type Position, parsePosition } from './position.ts'
export { PositionAheadError, type WatchOptions, watch } from './watch.ts'
export { type ReconnectEvent, type WatchServerOptions, watchServer } from './watchServer.ts'
