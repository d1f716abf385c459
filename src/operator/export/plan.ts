import { dirname, join } from 'node:path'
import pLimit from 'p-limit'
import type { DataSet } from './dataSet.ts'
import type { FeedOnChain } from './feedsOnChain.ts'
import { isIntact } from './isIntact.ts'
import { type DataFile, type ExportedFeed, LAYOUT, type StoredManifest } from './manifest.ts'
import { partitionOf } from './partition.ts'
import type { LocalFile } from './parts.ts'
import { STAGING, type StagedPart } from './staging.ts'

/** The values of a feed that a data set has, and those that it lacks. */
export interface FeedPlan {
  readonly feed: FeedOnChain
  /** The planned result: the files that stay. */
  readonly exported: ExportedFeed
  /** Whether files of the feed are no longer valid. */
  readonly isRewritten: boolean
  readonly staged: readonly StagedPart[]
  /** Index of the first value to read. */
  readonly next: number
  /** Files that may have the values before it, in their order. */
  readonly local: readonly LocalFile[]
}

type Shape = Pick<ExportedFeed, 'decimals' | 'route' | 'frequency'>

/** Returns whether the rows of a feed are still valid: `value` and what a period covers depend on these fields. */
export const isSameShape = (one: Shape, other: Shape): boolean =>
  one.decimals === other.decimals && one.route === other.route && one.frequency === other.frequency

/** Decides for each feed which files stay and which values to read. */
export async function planExport(
  { out, own, since }: Pick<DataSet, 'out' | 'own' | 'since'>,
  feeds: readonly FeedOnChain[],
  staged: readonly StagedPart[],
  onChecked: (files: number) => void,
): Promise<FeedPlan[]> {
  const owned = byId(own)
  const before = byId(since)
  let checked = 0
  const isWhole = async ({ files }: ExportedFeed): Promise<boolean> => {
    for (const file of files) {
      if (!(await isIntact(join(out, file.path), file))) return false
      onChecked(++checked)
    }
    return true
  }
  const stagedOf = Map.groupBy(staged, ({ feed_id }) => feed_id)
  return pLimit(FEEDS_AT_ONCE).map(feeds, async (feed) => {
    const { feed_id } = feed
    const held = owned.get(feed_id)
    const stays = isAsNow(own, held, feed) && (await isWhole(held))
    const earlier = before.get(feed_id)
    const start = stays ? held : startAfter(earlier, isAsNow(since, earlier, feed), held)
    const following = contiguous(stagedOf.get(feed_id) ?? [], start.to)
    return {
      feed,
      exported: exportedFeed(feed, start),
      isRewritten: !stays && held !== undefined && held.files.length > 0,
      staged: following,
      next: following.at(-1)?.file.to ?? start.to,
      local: [
        // A feed that does not start at 0 continues that of `since`.
        ...(start.from === 0 || since === null ? [] : locate(dirname(since.path), earlier?.files ?? [])),
        ...locate(out, start.files),
        ...following.flatMap(({ file }) => locate(join(out, STAGING), [file])),
      ],
    }
  })
}

const FEEDS_AT_ONCE = 16

/** Returns the fields in the order of the manifest. */
const exportedFeed = (
  { feed_id, count, ...metadata }: FeedOnChain,
  { from, replaces, files }: Start,
): ExportedFeed => ({ feed_id, folder: partitionOf(feed_id), ...metadata, from, to: count, replaces, files })

const locate = (folder: string, files: readonly DataFile[]): LocalFile[] =>
  files.map((file) => ({ file, location: join(folder, file.path) }))

const byId = (stored: StoredManifest | null): ReadonlyMap<string, ExportedFeed> =>
  new Map(stored?.manifest.feeds.map((feed) => [feed.feed_id, feed]))

/** Returns whether the rows of a feed in a data set equal those that would be written now. */
const isAsNow = (
  stored: StoredManifest | null,
  written: ExportedFeed | undefined,
  feed: FeedOnChain,
): written is ExportedFeed =>
  stored?.manifest.layout === LAYOUT && written !== undefined && isSameShape(written, feed)

type Start = Pick<ExportedFeed, 'from' | 'to' | 'replaces' | 'files'>

/** Where a feed starts if the data set has no valid rows of it. */
function startAfter(
  before: ExportedFeed | undefined,
  isBeforeAsNow: boolean,
  held: ExportedFeed | undefined,
): Start {
  if (before !== undefined && isBeforeAsNow)
    return { from: before.to, to: before.to, replaces: false, files: [] }
  const replaces = before !== undefined || (held !== undefined && (held.replaces || held.from > 0))
  return { from: 0, to: 0, replaces, files: [] }
}

function contiguous(staged: readonly StagedPart[], from: number): StagedPart[] {
  const found: StagedPart[] = []
  let next = from
  for (const each of staged)
    if (each.file.from === next) {
      found.push(each)
      next = each.file.to
    }
  return found
}
