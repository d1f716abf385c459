import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { defineError } from '@wattfeed/base'
import builtInFeeds from '../../library/catalog/feeds.json' with { type: 'json' }
import { readJsonFile } from '../../runtime/readJsonFile.ts'
import { schemaFaults } from '../../runtime/settings/schemaFaults.ts'
import { FeedConfig } from './feedConfig.ts'

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
export async function loadFeeds(path: string | null): Promise<readonly FeedConfig[]> {
  const file = path ?? BUILT_IN
  const content = path === null ? builtInFeeds : await readFeedsFile(path)
  if (!Value.Check(FeedConfigs, content)) throw new FeedsFileError({ file, faults: listFaults(content) })
  const repeated = repeatedFeedIds(content)
  if (repeated.length > 0) throw new FeedsFileError({ file, faults: repeated })
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
    schemaFaults(FeedConfig, feed).map((message) => ({ entry, feedId: feedIdOf(feed), message })),
  )
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
