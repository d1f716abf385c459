import { join } from 'node:path'
import pLimit from 'p-limit'
import { readSequence } from '../../async/readSequence.ts'
import { itemOf, readCounted } from '../../history/feedHistory.ts'
import { createRevisionCounter } from '../../history/revisions.ts'
import type { Attestation } from '../../registry/attestation.ts'
import { sha256Hex } from '../../runtime/sha256.ts'
import type { ExportedState } from './dataSet.ts'
import { type DataFile, digestOf, type ExportFormat } from './manifest.ts'
import { formatPart, type LocalFile, readPrints } from './parts.ts'
import type { FeedPlan } from './plan.ts'
import { type StagedFile, stagingFolder } from './staging.ts'

/** A new file with its content. */
export type NewFile = Omit<StagedFile, 'name'> & { content: Uint8Array }

export interface ReadRowsOptions {
  readonly at: ExportedState
  readonly out: string
  readonly format: ExportFormat
  readonly concurrency: number
  readonly rowsPerFile: number
  /** Files with the values that the data set excludes, if they exist. */
  readonly filesBefore: (feedId: string) => readonly LocalFile[]
  readonly onRead: (values: number) => void
  /** Called before values of a feed are read again to count its revisions. */
  readonly onReadAgain: (feedId: string, values: number) => void
}

interface Part {
  readonly plan: FeedPlan
  readonly from: number
  readonly to: number
}

/** Reads the missing values of plans and yields them as new files. At most the rows of one file are in memory. */
export async function* readRows(
  plans: readonly FeedPlan[],
  options: ReadRowsOptions,
): AsyncGenerator<NewFile[]> {
  const { at, concurrency, onRead } = options
  const limit = pLimit(concurrency)
  let done = 0
  const readAll = ({ plan, from, to }: Part) =>
    readSequence({ from, to, concurrency }, (index) =>
      limit(async () => {
        const value = await readCounted(at, plan.feed.feed_id, index)
        onRead(++done)
        return value
      }),
    )
  let counting: Counting | null = null
  for (const batch of batchesOf(plans, options.rowsPerFile)) {
    const values = await Promise.all(batch.map(readAll))
    const files: NewFile[] = []
    for (const [index, part] of batch.entries()) {
      if (counting?.plan !== part.plan) counting = await startCounting(part.plan, options)
      files.push(await createFile(part, values[index] ?? [], counting, options.format))
    }
    yield files
  }
}

/** Splits the values to read into files, and batches small files up to the rows of a large one. */
function* batchesOf(plans: readonly FeedPlan[], rowsPerFile: number): Generator<Part[]> {
  let batch: Part[] = []
  let rows = 0
  for (const plan of plans)
    for (let from = plan.next; from < plan.feed.count; from += rowsPerFile) {
      const to = Math.min(plan.feed.count, from + rowsPerFile)
      if (rows + to - from > rowsPerFile) {
        yield batch
        batch = []
        rows = 0
      }
      batch.push({ plan, from, to })
      rows += to - from
    }
  if (batch.length > 0) yield batch
}

interface Counting {
  readonly plan: FeedPlan
  readonly revisionOf: ReturnType<typeof createRevisionCounter>
}

/** Counts the values before the first new one: from files if all of them exist, else from the chain. */
async function startCounting(plan: FeedPlan, options: ReadRowsOptions): Promise<Counting> {
  const local = await countLocal(plan, options)
  if (local !== null) return { plan, revisionOf: local }
  const { at, concurrency, rowsPerFile } = options
  const revisionOf = createRevisionCounter()
  options.onReadAgain(plan.feed.feed_id, plan.next)
  for (let from = 0; from < plan.next; from += rowsPerFile) {
    const range = { from, to: Math.min(plan.next, from + rowsPerFile), concurrency }
    for (const { period, amount } of await readSequence(range, (index) =>
      readCounted(at, plan.feed.feed_id, index),
    ))
      revisionOf(period, amount)
  }
  return { plan, revisionOf }
}

/** Returns null if files lack some of the values. */
async function countLocal(plan: FeedPlan, { out, filesBefore }: ReadRowsOptions) {
  const { files } = plan.exported
  const local: LocalFile[] = [
    ...(plan.exported.from === 0 ? [] : filesBefore(plan.feed.feed_id)),
    ...files.map((file) => ({ file, location: join(out, file.path) })),
    ...plan.staged.map(({ file, name }) => ({ file, location: join(stagingFolder(out), name) })),
  ]
  const revisionOf = createRevisionCounter()
  let next = 0
  for (const each of local) {
    const prints = each.file.from === next ? await readPrints(each) : null
    if (prints === null) return null
    for (const { period, amount } of prints) revisionOf(period, amount)
    next = each.file.to
  }
  return next === plan.next ? revisionOf : null
}

async function createFile(
  { plan, from, to }: Part,
  values: readonly Attestation[],
  { revisionOf }: Counting,
  format: ExportFormat,
): Promise<NewFile> {
  const { feed_id, decimals, route, frequency } = plan.feed
  const rows = values.map((value, offset) =>
    itemOf({ ...value, index: from + offset, revision: revisionOf(value.period, value.amount) }, plan.feed),
  )
  const content = await formatPart(format, rows)
  const last = values.at(-1)
  if (last === undefined) throw new TypeError(`no values of ${feed_id} from ${from} to ${to}`)
  const file: DataFile = {
    path: `${plan.exported.folder}/part-${String(from).padStart(12, '0')}.${format}`,
    from,
    to,
    rows: to - from,
    bytes: content.length,
    sha256: sha256Hex(content),
    last: { feed_id, index: to - 1, attested_at: last.timestamp, sha256: digestOf(last) },
  }
  return { feed_id, decimals, route, frequency, file, content }
}
