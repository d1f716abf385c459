import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { acquireLock } from '@wattfeed/base/disk'
import { printable } from '../../runtime/printable.ts'
import { plural } from '../plural.ts'
import { createManifest, type ManifestOptions } from './createManifest.ts'
import {
  assertSameChain,
  commonOf,
  type DataSet,
  ExportChainError,
  type ExportedState,
  openDataSet,
} from './dataSet.ts'
import { type ExportReport, reportOf } from './exportReport.ts'
import { type FeedOnChain, listFeeds } from './feedsOnChain.ts'
import { countRows, type ExportFormat, formatManifest, LAYOUT, MANIFEST, newestMark } from './manifest.ts'
import { MAX_ROWS } from './parts.ts'
import { type FeedPlan, isSameShape, planExport } from './plan.ts'
import { readRows } from './readRows.ts'
import {
  commit,
  dropStaged,
  finishCommit,
  listStaged,
  readStaged,
  type StagedPart,
  writeStaged,
} from './staging.ts'

export interface ExportOptions extends ManifestOptions {
  readonly client: { snapshot(): Promise<ExportedState> }
  readonly chainName: string
  readonly feedRegistryPackageHash: string
  readonly attestationRegistryPackageHash: string
  readonly concurrency: number
  /** The folder of the data set; created if missing. */
  readonly out: string
  readonly format: ExportFormat
  /** Ids; null for all, or those that the data set already has. */
  readonly feeds: readonly string[] | null
  readonly since: string | null
  /** Called often, with a line of progress. */
  readonly progress: (line: string) => void
  /** Called seldom, with a line of progress. */
  readonly milestone: (line: string) => void
  /** @default 20000 */
  readonly rowsPerFile?: number
}

const PROGRESS_EVERY = 1_000

/**
 * Exports every value of the feeds at one state root, or updates an earlier export to it. After a crash, the next run
 * resumes.
 *
 * @throws {DataSetError} if the folder or the other manifest cannot be used.
 * @throws {ExportChainError} if they are of another chain.
 * @throws {LockedError} if another process exports to the folder.
 * @throws {FeedNotRegisteredError} and what the client throws.
 */
export async function runExport(options: ExportOptions): Promise<ExportReport> {
  const { client, out, concurrency, progress, milestone } = options
  const at = await client.snapshot()
  const level = at.verification?.level ?? 'off'
  const common = commonOf(options, { level, isProven: options.proofs !== undefined })
  // Checks the folder before anything is written to it.
  await openDataSet(out, common, options)
  if (options.feeds !== null) await listFeeds(at, options.feeds, { concurrency, onRead: () => {} })
  await mkdir(out, { recursive: true })
  using _ = acquireLock(join(out, '.export.lock'), 'export')
  await finishCommit(out)
  const dataSet = await openDataSet(out, common, options)
  const { own, since } = dataSet
  if (own !== null) await assertSameChain(at, join(out, MANIFEST), own.manifest.newest)
  if (since !== null) await assertSameChain(at, since.path, since.manifest.newest)
  const feeds = await listFeeds(at, dataSet.selection, {
    concurrency,
    onRead: (done) => progress(`${plural(done, 'feed')} checked`),
  })
  const purpose = purposeOf(dataSet, options)
  const staged = await fittingParts(at, await readStaged(out, purpose), feeds)
  if (staged.length === 0) await dropStaged(out)
  if (own !== null && own.manifest.layout !== LAYOUT)
    milestone(`${join(out, MANIFEST)} has the older layout ${own.manifest.layout}: every file is rewritten`)
  const plans = await planExport(dataSet, feeds, staged, (done) =>
    progress(`${plural(done, 'file')} checked`),
  )
  const total = plans.reduce((sum, { feed, next }) => sum + feed.count - next, 0)
  const version = await at.getLogLengths()
  milestone(
    `${plural(total, 'value')} of ${plural(feeds.length, 'feed')} to read at ${version ?? at.stateRootHash}`,
  )
  const added = await stageRows(plans, total, { ...options, at, purpose })
  const manifest = createManifest(plans, added, { at, version, dataSet, options })
  await commit(out, formatManifest(manifest))
  return reportOf(manifest, plans, added, out)
}

/** Identifies an export. The parts that a killed run has finished are used only by the same export. */
const purposeOf = (
  { chain_name, registries, format, level, isProven, selection, own, since }: DataSet,
  { trustedBlockHash }: ExportOptions,
) =>
  JSON.stringify([
    LAYOUT,
    { chain_name, registries, format, level, isProven },
    selection,
    own?.sha256 ?? null,
    since?.sha256 ?? null,
    trustedBlockHash ?? null,
  ])

/** Returns the staged parts that still match the chain. */
async function fittingParts(
  at: ExportedState,
  staged: readonly StagedPart[],
  feeds: readonly FeedOnChain[],
): Promise<readonly StagedPart[]> {
  try {
    await assertSameChain(at, '', newestMark(staged.map(({ file }) => file)))
  } catch (error) {
    if (error instanceof ExportChainError) return []
    throw error
  }
  const byId = new Map(feeds.map((feed) => [feed.feed_id, feed]))
  return staged.filter((part) => {
    const feed = byId.get(part.feed_id)
    return feed !== undefined && isSameShape(feed, part)
  })
}

/** Reads the values that the plans lack, and returns all staged parts. */
async function stageRows(
  plans: readonly FeedPlan[],
  total: number,
  options: ExportOptions & { at: ExportedState; purpose: string },
): Promise<StagedPart[]> {
  const { out, purpose, progress, milestone, rowsPerFile = MAX_ROWS } = options
  const added = plans.flatMap(({ staged }) => staged)
  if (added.length > 0)
    milestone(`${plural(countRows(added.map(({ file }) => file)), 'value')} found from an earlier run`)
  let rows = 0
  const reading = readRows(plans, {
    ...options,
    rowsPerFile,
    onRead: (done) => {
      if (done % PROGRESS_EVERY === 0) progress(`${done} of ${plural(total, 'value')} read`)
    },
    onReadAgain: (feedId, values) =>
      milestone(`${printable(feedId)}: ${plural(values, 'value')} read again, to count revisions`),
  })
  for await (const batch of reading) {
    for (const { content, ...part } of batch) {
      await writeStaged(out, part.file, content)
      added.push(part)
    }
    await listStaged(out, purpose, added)
    const before = rows
    rows += countRows(batch.map(({ file }) => file))
    // Otherwise the garbage of several files accumulates, which takes twice the memory.
    if (Math.floor(rows / MAX_ROWS) > Math.floor(before / MAX_ROWS)) Bun.gc(true)
    milestone(`${rows} of ${plural(total, 'value')} written`)
  }
  return added
}
