/**
 * Reads the history of a feed in pages, and caches it. For Bun, Node.js and browsers.
 *
 * @module wattfeed/history
 */

export { InvalidArgumentError, WattfeedError } from '@wattfeed/base'
export { type Coverage, coverageOf, type DatedSeries } from '@wattfeed/eia'
export {
  createHistory,
  type FeedHistory,
  type History,
  type HistoryItem,
  type HistoryOptions,
  type HistoryPage,
  type OpenOptions,
  type ReadToOptions,
} from './feedHistory.ts'
export type { HistoryQuery } from './historyQuery.ts'
export { type HistoryStatus, HistoryTooLargeError } from './knownValues.ts'
