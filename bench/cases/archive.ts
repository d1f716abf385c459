import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { percentile } from '../percentile.ts'
import { type Plan, quickPlan } from '../plan.ts'
import type { ArchiveMeasurement } from '../programs/archive.ts'
import { runProgram } from '../runProgram.ts'
import type { Row } from '../table.ts'

const MAX_RATIO = 3

/** Measures the archive of a year of weekly roots, and answers from it. A small dataset stands for a large one. */
export async function measureArchive(plan: Plan): Promise<Row[]> {
  const [values, weeks] = plan === quickPlan ? [5_000, 4] : [100_000, 52]
  const folder = mkdtempSync(join(tmpdir(), 'wattfeed-bench-archive-'))
  try {
    const found = (await runProgram(
      'archive.ts',
      folder,
      String(values),
      String(weeks),
    )) as ArchiveMeasurement
    return [sizeRow(found), answerRow(found)]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function sizeRow({
  values,
  weeks,
  revised,
  snapshotBytes,
  archiveBytes,
  archiveMs,
}: ArchiveMeasurement): Row {
  const ratio = (snapshotBytes + archiveBytes) / snapshotBytes
  const [one, archive] = [snapshotBytes, archiveBytes].map((bytes) => (bytes / 1e6).toFixed(1))
  return {
    name: `${weeks} weekly roots of ${values.toLocaleString('en-US')} values, a hundredth revised each week: the disk of one`,
    other: `${ratio.toFixed(2)} times: ${one} MB and ${archive} MB of archive; ${percentile(archiveMs, 0.5).toFixed(0)} ms to archive one; ${Math.min(...revised)} to ${Math.max(...revised)} values revised each week`,
    target: `${MAX_RATIO} times`,
    reached: ratio <= MAX_RATIO,
  }
}

const answerRow = ({
  values,
  weeks,
  foundMs,
  oldestMs,
  latestMs,
  rebuiltBytes,
  maxRssMb,
}: ArchiveMeasurement): Row => ({
  name: `a value of ${values.toLocaleString('en-US')} proven by the oldest of ${weeks} roots, from the archive`,
  p50Ms: percentile(foundMs, 0.5),
  p99Ms: percentile(foundMs, 0.99),
  other: `${oldestMs.toFixed(0)} ms to rebuild it, ${latestMs.toFixed(0)} ms for the newest in the archive; ${(rebuiltBytes / 1e6).toFixed(1)} MB in memory; at most ${Math.round(maxRssMb)} MB RSS`,
})
