/**
 * Writes a snapshot for each week of a dataset of which a hundredth is revised each week, archives all but the newest, and reads the
 * oldest. Prints figures as JSON. Arguments: a folder, the number of values, and of weeks.
 */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeHex } from '@wattfeed/base'
import { encodeKey, formatManifest, type Leaf, MANIFEST, openSnapshot, readSeries } from '@wattfeed/dataset'
import { ARCHIVE, openArchived } from '@wattfeed/dataset/archive'
import { folderFiles, writeTree } from '@wattfeed/dataset/disk'
import { archiveSnapshot } from '../../src/agent/datasets/snapshotArchive.ts'
import { peakMegabytes } from '../rss.ts'

/** Figures of an archive. */
export interface ArchiveMeasurement {
  values: number
  weeks: number
  /** Number of values of each root that the next one has, too, but with another value. */
  revised: number[]
  /** Size of the newest snapshot, without its table of all rows, in bytes. */
  snapshotBytes: number
  /** Size of the archive, in bytes. */
  archiveBytes: number
  /** Milliseconds to archive each snapshot. */
  archiveMs: number[]
  /** Milliseconds to rebuild the oldest snapshot in memory, and the newest in the archive. */
  oldestMs: number
  latestMs: number
  /** What the oldest takes in memory, in bytes. */
  rebuiltBytes: number
  /** Milliseconds to prove a value of the oldest, when it is rebuilt. */
  foundMs: number[]
  /** Highest resident memory of the process, in MB (10^6 bytes). */
  maxRssMb: number
}

const SERIES = 500
const REVISED = 100
const ROUNDS = 200
/** A week has 7 days; no test depends on the date. */
const WEEK_MS = 7 * 86_400_000
const FIRST_MS = Date.UTC(1980, 0, 4)

const [, , out = '', valuesText = '', weeksText = ''] = process.argv
const [values, weeks] = [Number(valuesText), Number(weeksText)]
const depth = Math.max(1, Math.round(values / SERIES))

const periodOf = (at: number): string => new Date(FIRST_MS + at * WEEK_MS).toISOString().slice(0, 10)

const leafOf = (series: number, at: number, version: number): Leaf => {
  const id = String(series).padStart(5, '0')
  return {
    ...{
      route: 'petroleum/pri/spt',
      frequency: 'weekly',
      column: 'value',
      period: periodOf(at),
      unit: '$/GAL',
    },
    facets: { duoarea: `R${id}`, process: 'PF4', product: `EPC${id}`, series: `EER_EPC${id}_PF4_R${id}_DPG` },
    value: String(((series * 7_919 + at * 104_729 + version * 31) % 100_000) / 1_000),
  }
}

/**
 * A mix of the numbers, so that each week revises other values, and some again. Without the shifts, revised values would lie at a few
 * distances only, which a difference takes less for.
 */
function isRevised(series: number, at: number, week: number): boolean {
  let mixed = Math.imul(series * 65_537 + at * 257 + week * 7_919, 2_654_435_761)
  mixed = Math.imul(mixed ^ (mixed >>> 16), 2_246_822_507)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 3_266_489_909)
  return (mixed ^ (mixed >>> 16)) >>> 0 < 2 ** 32 / REVISED
}

/** The dataset after so many weeks: each has a period more than the one before. */
function* leavesOf(week: number): Generator<Leaf> {
  for (let series = 0; series < SERIES; series++)
    for (let at = 0; at < depth + week; at++) {
      let version = 0
      for (let each = 1; each <= week; each++) if (isRevised(series, at, each)) version = each
      yield leafOf(series, at, version)
    }
}

async function write(week: number): Promise<string> {
  const started = join(out, 'started')
  mkdirSync(started)
  const tree = await writeTree(started, leavesOf(week))
  const { route, frequency, facets } = leafOf(0, 0, 0)
  const manifest = {
    ...{ route, frequency, columns: ['value'], facets: Object.keys(facets).sort(), periods: null },
    ...{ ...tree, retrievedAt: week + 1 },
  }
  writeFileSync(join(started, MANIFEST), formatManifest(manifest))
  renameSync(started, join(out, tree.root))
  return tree.root
}

/** Counts the values of a root that the next one has, too, with another value. Reads both from their files. */
async function countRevised(before: string, next: string): Promise<number> {
  const [earlier, later] = await Promise.all(
    [before, next].map((root) => openSnapshot(folderFiles(join(out, root)))),
  )
  if (!earlier || !later) throw new Error('there is no manifest')
  let [kept, revised] = [0, 0]
  for (let at = 0; at < later.manifest.size && kept < earlier.manifest.size; at++) {
    const [own, other] = [await earlier.leafAt(kept), await later.leafAt(at)]
    // A period that only the later one has.
    if (Buffer.compare(encodeKey(own), encodeKey(other)) !== 0) continue
    kept++
    if (own.value !== other.value) revised++
  }
  if (kept < earlier.manifest.size) throw new Error(`${next} lacks values of ${before}`)
  return revised
}

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)

const roots = [await write(0)]
const archiveMs: number[] = []
const revised: number[] = []
for (let week = 1; week < weeks; week++) {
  const [before = '', root] = [roots.at(-1), await write(week)]
  roots.push(root)
  revised.push(await countRevised(before, root))
  const from = performance.now()
  const notKept = await archiveSnapshot(out, before, root)
  archiveMs.push(performance.now() - from)
  if (notKept.length > 0) throw new Error(JSON.stringify(notKept))
  rmSync(join(out, before), { recursive: true })
}

async function open(root = '') {
  const from = performance.now()
  const archived = await openArchived(folderFiles(out), root, 2 ** 28)
  if (archived === null) throw new Error(`${root} is not in the archive`)
  return { archived, ms: performance.now() - from }
}

const latest = await open(roots.at(-2))
const oldest = await open(roots[0])
const snapshot = await openSnapshot(oldest.archived.files)
if (snapshot === null) throw new Error('there is no manifest')
const tree = { root: decodeHex(snapshot.manifest.root, 'root'), size: snapshot.manifest.size }
const foundMs: number[] = []
for (let round = 0; round < ROUNDS; round++) {
  const { value, ...query } = leafOf((round * 37) % SERIES, (round * 101) % depth, 0)
  const from = performance.now()
  const found = await readSeries(snapshot, query, tree)
  foundMs.push(performance.now() - from)
  if (found.leaf?.value !== value) throw new Error('the oldest snapshot has another value')
}

const measurement: ArchiveMeasurement = {
  ...{ values, weeks, revised, archiveMs, foundMs },
  snapshotBytes: bytesIn(join(out, roots.at(-1) ?? '')),
  archiveBytes: bytesIn(join(out, ARCHIVE)),
  oldestMs: oldest.ms,
  latestMs: latest.ms,
  rebuiltBytes: oldest.archived.bytes,
  maxRssMb: await peakMegabytes(process.pid),
}
console.log(JSON.stringify(measurement))
