import { hash } from 'node:crypto'
import { readSequence } from '@wattfeed/base'
import pLimit from 'p-limit'
import type { Attestation } from 'wattfeed'
import { createRevisionCounter, readCounted } from 'wattfeed/internal'
import type { ExportedState } from './dataSet.ts'
import { type DataFile, digestOf, type ExportFormat } from './manifest.ts'
import { formatPart, itemsOf, readPrints } from './parts.ts'
import type { FeedPlan } from './plan.ts'
import type { StagedPart } from './staging.ts'

type NewPart = StagedPart & { content: Uint8Array }

interface Reading {
  readonly at: ExportedState
  readonly format: ExportFormat
  readonly concurrency: number
  readonly rowsPerFile: number
  readonly onRead: (values: number) => void
  /** Called before values of a feed are read again to count its revisions. */
  readonly onReadAgain: (feedId: string, values: number) => void
}

/** The values of one new file. */
interface Range {
  readonly plan: FeedPlan
  readonly from: number
  readonly to: number
}

type RevisionCounter = ReturnType<typeof createRevisionCounter>

/** Reads the missing values of plans and yields them as new parts. At most the rows of one file are in memory. */
export async function* readRows(plans: readonly FeedPlan[], reading: Reading): AsyncGenerator<NewPart[]> {
  const { at, concurrency, onRead } = reading
  const limit = pLimit(concurrency)
  let done = 0
  const readAll = ({ plan, from, to }: Range) =>
    readSequence({ from, to, concurrency }, (index) =>
      limit(async () => {
        const value = await readCounted(at, plan.feed.feed_id, index)
        onRead(++done)
        return value
      }),
    )
  let counted: FeedPlan | null = null
  let revisionOf: RevisionCounter = () => 0
  for (const batch of batchesOf(plans, reading.rowsPerFile)) {
    const values = await Promise.all(batch.map(readAll))
    const parts: NewPart[] = []
    for (const [index, range] of batch.entries()) {
      const { plan } = range
      if (counted !== plan) revisionOf = (await countLocal(plan)) ?? (await countAgain(plan, reading))
      counted = plan
      parts.push(await createPart(range, values[index] ?? [], revisionOf, reading.format))
    }
    yield parts
  }
}

/** Splits the values to read into files, and batches small files up to the rows of a large one. */
function* batchesOf(plans: readonly FeedPlan[], rowsPerFile: number): Generator<Range[]> {
  let batch: Range[] = []
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

/** Counts the values before the first new one from files; null if these lack some. */
async function countLocal({ feed, local, next }: FeedPlan): Promise<RevisionCounter | null> {
  const revisionOf = createRevisionCounter(feed.feed_id)
  let counted = 0
  for (const each of local) {
    const prints = each.file.from === counted ? await readPrints(each) : null
    if (prints === null) return null
    for (const print of prints) revisionOf(print)
    counted = each.file.to
  }
  return counted === next ? revisionOf : null
}

/** Counts them from the chain. */
async function countAgain({ feed, next }: FeedPlan, reading: Reading): Promise<RevisionCounter> {
  const { at, concurrency, rowsPerFile } = reading
  const revisionOf = createRevisionCounter(feed.feed_id)
  reading.onReadAgain(feed.feed_id, next)
  for (let from = 0; from < next; from += rowsPerFile) {
    const range = { from, to: Math.min(next, from + rowsPerFile), concurrency }
    const values = await readSequence(range, (index) => readCounted(at, feed.feed_id, index))
    for (const value of values) revisionOf(value)
  }
  return revisionOf
}

async function createPart(
  { plan, from, to }: Range,
  values: readonly Attestation[],
  revisionOf: RevisionCounter,
  format: ExportFormat,
): Promise<NewPart> {
  const { feed_id, decimals, route, frequency } = plan.feed
  const content = await formatPart(format, itemsOf(values, from, revisionOf, plan.feed))
  const last = values.at(-1)
  if (last === undefined) throw new TypeError(`no values of ${feed_id} from ${from} to ${to}`)
  const file: DataFile = {
    path: `${plan.exported.folder}/part-${String(from).padStart(12, '0')}.${format}`,
    from,
    to,
    rows: to - from,
    bytes: content.length,
    sha256: hash('sha256', content),
    last: { feed_id, index: to - 1, attested_at: last.timestamp, sha256: digestOf(last) },
  }
  return { feed_id, decimals, route, frequency, file, content }
}
