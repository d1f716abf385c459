import { type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { defineError } from '@wattfeed/base'
import { datasetFeedId } from '@wattfeed/dataset'
import { findDataset } from '@wattfeed/eia/catalog'
import builtInFeeds from 'wattfeed/feeds.json' with { type: 'json' }
import { readJsonFile } from '../../runtime/readJsonFile.ts'
import { schemaFaults } from '../../runtime/settings/schemaFaults.ts'
import { DatasetConfig, FeedConfig, isDataset, SeriesConfig } from './feedConfig.ts'

export interface FeedsFileFault {
  /** From 0; null if the file as a whole is wrong. */
  readonly entry: number | null
  /** The entry's `feed_id`; null if it has none. */
  readonly feedId: string | null
  /** The fault, and the rule. */
  readonly message: string
}

/** A fault of the file as a whole. */
export const fileFault = (message: string): FeedsFileFault => ({ entry: null, feedId: null, message })

/** A feeds file that breaks its rules, or cannot be read. */
export const FeedsFileError = defineError(
  'FeedsFileError',
  'feeds_file',
  (facts: {
    file: string
    /** Every fault, in the order of the file. */
    faults: readonly FeedsFileFault[]
  }) => facts.faults.map((fault) => `${facts.file}: ${placeOf(fault)}${fault.message}`).join('\n'),
)

const FeedConfigs = Type.Array(FeedConfig)

/** How errors name the built-in feeds. */
const BUILT_IN = 'feeds.json'

/**
 * Reads the feeds of a file, in its order.
 *
 * @param path null for the built-in flagship feeds
 * @throws {FeedsFileError} with every fault.
 */
export async function loadFeeds(path: null): Promise<readonly SeriesConfig[]>
export async function loadFeeds(path: string | null): Promise<readonly FeedConfig[]>
export async function loadFeeds(path: string | null): Promise<readonly FeedConfig[]> {
  const file = path ?? BUILT_IN
  const content = path === null ? builtInFeeds : await readFeedsFile(path)
  if (!Value.Check(FeedConfigs, content)) throw new FeedsFileError({ file, faults: listFaults(content) })
  const faults = [...datasetFaults(content), ...repeatedFeedIds(content)]
  if (faults.length > 0) throw new FeedsFileError({ file, faults })
  return content
}

async function readFeedsFile(path: string): Promise<unknown> {
  const fail = (message: string) => new FeedsFileError({ file: path, faults: [fileFault(message)] })
  // The schema is checked later, by entry.
  const rules = { schema: Type.Any(), kind: 'a feeds file', cure: 'correct its syntax', fail }
  const content = await readJsonFile(path, rules)
  if (content === null) throw fail('does not exist; set FEEDS_FILE to a readable file')
  return content
}

function listFaults(content: unknown): FeedsFileFault[] {
  if (!Array.isArray(content)) return [fileFault('it must be a JSON array of feeds')]
  return content.flatMap((feed, entry) =>
    schemaFaults(schemaOf(feed), feed).map((message) => ({ entry, feedId: feedIdOf(feed), message })),
  )
}

/** The schema of one kind of feed has clearer faults than that of both. */
const schemaOf = (entry: unknown): TSchema =>
  typeof entry === 'object' && entry !== null && 'dataset' in entry ? DatasetConfig : SeriesConfig

/** Readers find a dataset's feed by its id, and its facets come from the catalog. */
function datasetFaults(feeds: readonly FeedConfig[]): FeedsFileFault[] {
  return feeds.flatMap((feed, entry) => {
    if (!isDataset(feed)) return []
    const { feed_id: feedId, route, frequency } = feed
    const rightId = datasetFeedId(route, frequency)
    const messages = [
      ...(findDataset(route) === null
        ? [`the catalog has no dataset ${route}; "feeds datasets" lists those that it has`]
        : []),
      ...(feedId === rightId
        ? []
        : [`the id of this dataset's feed must be ${rightId}; write "feed_id": "${rightId}"`]),
    ]
    return messages.map((message) => ({ entry, feedId, message }))
  })
}

function feedIdOf(entry: unknown): string | null {
  if (typeof entry !== 'object' || entry === null || !('feed_id' in entry)) return null
  return typeof entry.feed_id === 'string' ? entry.feed_id : null
}

function repeatedFeedIds(feeds: readonly FeedConfig[]): FeedsFileFault[] {
  const first = new Map<string, number>()
  return feeds.flatMap(({ feed_id: feedId }, entry) => {
    const before = first.get(feedId)
    if (before === undefined) {
      first.set(feedId, entry)
      return []
    }
    return [{ entry, feedId, message: `feed_id repeats that of entry ${before}; remove one of the two` }]
  })
}

function placeOf({ entry, feedId }: FeedsFileFault): string {
  if (entry === null) return ''
  return `entry ${entry}${feedId === null ? '' : ` (${JSON.stringify(feedId)})`}: `
}

/** A feed id that is not in the feeds file. */
export const UnknownFeedError = defineError(
  'UnknownFeedError',
  'unknown_feed',
  (facts: {
    feedId: string
    /** Ids of the file that contain it, ignoring case. */
    similar: readonly string[]
  }) => {
    const hint =
      facts.similar.length === 0
        ? '"feeds list" shows all feeds'
        : `did you mean ${facts.similar.join(', ')}?`
    return `the feeds file has no feed ${JSON.stringify(facts.feedId)}; ${hint}`
  },
)

const MAX_SIMILAR = 5

/** @throws {UnknownFeedError} */
export function pickFeed(feeds: readonly FeedConfig[], feedId: string): FeedConfig {
  const found = feeds.find(({ feed_id }) => feed_id === feedId)
  if (found !== undefined) return found
  const part = feedId.toUpperCase()
  const similar = feeds.map(({ feed_id }) => feed_id).filter((id) => id.toUpperCase().includes(part))
  throw new UnknownFeedError({ feedId, similar: similar.slice(0, MAX_SIMILAR) })
}
