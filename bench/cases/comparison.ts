import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Plan, quickPlan } from '../plan.ts'
import type { ComparisonMeasurement } from '../programs/comparison.ts'
import { runProgram } from '../runProgram.ts'
import type { Row } from '../table.ts'

/** Measures what two sides send each other to find what differs between their snapshots of a dataset. */
export async function measureComparison(plan: Plan): Promise<Row[]> {
  const size = plan === quickPlan ? 20_000 : 2_000_000
  const folder = mkdtempSync(join(tmpdir(), 'wattfeed-bench-comparison-'))
  try {
    const found = (await runProgram('comparison.ts', folder, String(size))) as ComparisonMeasurement
    const { values, requests, sentBytes, receivedBytes, openMs, compareMs, maxRssMb } = found
    const [sent, received] = [sentBytes, receivedBytes].map((bytes) => (bytes / 1e3).toFixed(0))
    return [
      {
        name: `two snapshots of ${values.toLocaleString('en-US')} values compared, 100 revised and 100 added`,
        other: `${requests} requests of ${sent} kB, answers of ${received} kB; ${(compareMs / 1e3).toFixed(2)} s, after ${(openMs / 1e3).toFixed(1)} s that read the hashes of both; at most ${Math.round(maxRssMb)} MB RSS`,
      },
    ]
  } finally {
    rmSync(folder, { recursive: true })
  }
}
