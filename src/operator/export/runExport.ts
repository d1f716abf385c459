import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { acquireLock } from '../../runtime/lockFile.ts'
import { printable } from '../../runtime/printable.ts'
import {
  assertSameChain,
  commonOf,
  type DataSet,
  ExportChainError,
  type ExportedState,
  openDataSet,
} from './dataSet.ts'
import { type ExportReport, reportOf, rowsOf, words } from './exportReport.ts'
import {
  type ExportFormat,
  formatManifest,
  LAYOUT,
  MANIFEST,
  type Manifest,
  newerMark,
  newestMark,
} from './manifest.ts'
import { MAX_ROWS } from './parts.ts'
import { type FeedOnChain, type FeedPlan, isSameShape, listFeeds, planExport } from './plan.ts'
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

export interface ExportOptions {
  readonly client: { snapshot(): Promise<ExportedState> }
  readonly chainName: string
  readonly feedRegistryPackageHash: string
  readonly attestationRegistryPackageHash: string
  /** The block that verification starts from, at `full`. */
  readonly trustedBlockHash?: string | undefined
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
  /** The file that proves the data set, which is moved there afterwards. */
  readonly proofs?: Manifest['proofs']
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
    onRead: (done) => progress(`${words(done, 'feed')} checked`),
  })
  const purpose = purposeOf(dataSet, options)
  const staged = await fittingParts(at, await readStaged(out, purpose), feeds)
  if (staged.length === 0) await dropStaged(out)
  if (own !== null && own.manifest.layout !== LAYOUT)
    milestone(`${join(out, MANIFEST)} has the older layout ${own.manifest.layout}: every file is rewritten`)
  const plans = await planExport(dataSet, feeds, staged, (done) => progress(`${words(done, 'file')} checked`))
  const total = plans.reduce((sum, { feed, next }) => sum + feed.count - next, 0)
  const version = await at.getLogLengths()
  milestone(
    `${words(total, 'value')} of ${words(feeds.length, 'feed')} to read at ${version ?? at.stateRootHash}`,
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
    milestone(`${words(rowsOf(added.map(({ file }) => file)), 'value')} found from an earlier run`)
  let rows = 0
  const reading = readRows(plans, {
    ...options,
    rowsPerFile,
    onRead: (done) => {
      if (done % PROGRESS_EVERY === 0) progress(`${done} of ${words(total, 'value')} read`)
    },
    onReadAgain: (feedId, values) =>
      milestone(`${printable(feedId)}: ${words(values, 'value')} read again, to count revisions`),
  })
  for await (const batch of reading) {
    for (const { content, ...part } of batch) {
      await writeStaged(out, part.file, content)
      added.push(part)
    }
    await listStaged(out, purpose, added)
    const before = rows
    rows += rowsOf(batch.map(({ file }) => file))
    // Otherwise the garbage of several files accumulates, which takes twice the memory.
    if (Math.floor(rows / MAX_ROWS) > Math.floor(before / MAX_ROWS)) Bun.gc(true)
    milestone(`${rows} of ${words(total, 'value')} written`)
  }
  return added
}

function createManifest(
  plans: readonly FeedPlan[],
  added: readonly StagedPart[],
  context: { at: ExportedState; version: string | null; dataSet: DataSet; options: ExportOptions },
): Manifest {
  const { at, version, dataSet, options } = context
  const { own, since, selection, chain_name, registries, format } = dataSet
  const addedTo = Map.groupBy(added, ({ feed_id }) => feed_id)
  const feeds = plans.map(({ exported }) => {
    const files = addedTo.get(exported.feed_id)?.map(({ file }) => file) ?? []
    return { ...exported, files: [...exported.files, ...files] }
  })
  const files = feeds.flatMap(({ files }) => files)
  const before = newerMark(own?.manifest.newest ?? null, since?.manifest.newest ?? null)
  return {
    kind: 'wattfeed export',
    layout: LAYOUT,
    version,
    state_root_hash: at.stateRootHash,
    chain_name,
    registries,
    newest: newerMark(before, newestMark(files)),
    verification: verificationOf(at, own?.manifest ?? null, options),
    format,
    selection: selection && [...selection],
    since: since ? summaryOf(since) : (own?.manifest.since ?? null),
    rows: rowsOf(files),
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    ...(options.proofs === undefined ? {} : { proofs: options.proofs }),
    feeds,
  }
}

const summaryOf = ({ sha256, manifest: { version, state_root_hash } }: NonNullable<DataSet['since']>) => ({
  sha256,
  version,
  state_root_hash,
})

function verificationOf(
  { verification }: ExportedState,
  own: Manifest | null,
  { trustedBlockHash }: ExportOptions,
): Manifest['verification'] {
  if (verification === null) return null
  const before = own?.verification?.trusted_block_hashes ?? []
  const trusted = trustedBlockHash === undefined ? [] : [trustedBlockHash.toLowerCase()]
  return {
    level: verification.level,
    trusted_block_hashes: [...new Set([...before, ...trusted])],
    block_hash: verification.blockHash,
    block_height: verification.blockHeight,
    block_timestamp: verification.blockTimestamp,
    era_id: verification.eraId,
    weight_signed: verification.weightSigned.toString(),
    weight_total: verification.weightTotal.toString(),
  }
}
