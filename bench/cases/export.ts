import { type Plan, quickPlan } from '../plan.ts'
import type { ExportMeasurement } from '../programs/export.ts'
import { runProgram } from '../runProgram.ts'
import type { Row } from '../table.ts'

const MAX_RSS_MB = 300

/** Measures the computing and writing of an export. A real chain adds one call per value. */
export async function measureExport(plan: Plan): Promise<Row[]> {
  const count = plan === quickPlan ? 1_000 : 1_000_000
  const rows: Row[] = []
  for (const format of ['parquet', 'csv']) {
    const found = (await runProgram('export.ts', count, format)) as ExportMeasurement
    const { rows: exported, files, bytes, seconds, maxRssMb } = found
    rows.push({
      name: `export of ${exported.toLocaleString('en-US')} values as ${format}, invented in its process, no node`,
      other: `${Math.round(exported / seconds).toLocaleString('en-US')} rows/s, ${files} files of ${Math.round(bytes / 1e6)} MB in all, at most ${Math.round(maxRssMb)} MB RSS`,
      target: `${MAX_RSS_MB} MB RSS`,
      reached: maxRssMb <= MAX_RSS_MB,
    })
  }
  return rows
}
