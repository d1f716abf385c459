import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Plan, quickPlan } from '../plan.ts'
import type { AdoptionMeasurement } from '../programs/adoption.ts'
import { runProgram } from '../runProgram.ts'
import type { Row } from '../table.ts'

/** Measures what it takes to adopt a few differences of a dataset: a snapshot of all values is written. */
export async function measureAdoption(plan: Plan): Promise<Row[]> {
  const size = plan === quickPlan ? 20_000 : 400_000
  const folder = mkdtempSync(join(tmpdir(), 'wattfeed-bench-adoption-'))
  try {
    const found = (await runProgram('adoption.ts', folder, String(size))) as AdoptionMeasurement
    const { values, changes, writeSeconds, adoptSeconds, maxRssMb } = found
    return [
      {
        name: `${changes} differences of a snapshot of ${values.toLocaleString('en-US')} values adopted`,
        other: `${adoptSeconds.toFixed(1)} s, where writing all values takes ${writeSeconds.toFixed(1)} s; at most ${Math.round(maxRssMb)} MB RSS`,
      },
    ]
  } finally {
    rmSync(folder, { recursive: true })
  }
}
