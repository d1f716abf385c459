/**
 * Writes a snapshot of invented values, and adopts differences of it, evenly. Prints figures as JSON. Arguments: a folder, and the number
 * of values.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { encodeKey, type Leaf } from '@wattfeed/dataset'
import { adoptLeaves, openBase } from '../../src/agent/datasets/adoptLeaves.ts'
import { placeKeys } from '../../src/agent/datasets/placeLeaves.ts'
import { RowTexts } from '../../src/agent/datasets/rowTexts.ts'
import { writeSnapshot } from '../../src/agent/datasets/writeSnapshot.ts'
import { inventedDataset, inventedSeries } from '../inventedDataset.ts'
import { peakMegabytes } from '../rss.ts'

/** Figures of one adoption. */
export interface AdoptionMeasurement {
  values: number
  changes: number
  /** Seconds to write the snapshot of all values, which are in memory. */
  writeSeconds: number
  /** Seconds to adopt the differences of it. */
  adoptSeconds: number
  /** Highest resident memory of the process, in MB (10^6 bytes). */
  maxRssMb: number
}

const CHANGES = 200

const [, , out = '', valuesText = ''] = process.argv
const values = Number(valuesText)
const days = values / inventedSeries.count

const leafOf = (number: number, age: number, value: number): Leaf => {
  const { period, ...series } = inventedSeries.query(number, age)
  return { ...series, period: period ?? '', value: String(value), unit: '$/GAL' }
}

function* leaves(): Generator<Leaf> {
  for (let number = 0; number < inventedSeries.count; number++)
    for (let age = days - 1; age >= 0; age--) yield leafOf(number, age, (number * 7_919 + age) / 1_000)
}

mkdirSync(out, { recursive: true })
const options = { out: join(out, 'snapshots'), ...inventedDataset }
mkdirSync(options.out)
const writing = performance.now()
const { manifest } = await writeSnapshot({ leaves, nameOf: () => null, retrievedAt: 1 }, options)
const start = performance.now()
const base = await openBase(manifest.root, options)
const changed = Array.from({ length: CHANGES }, (_, at) =>
  leafOf((at * inventedSeries.count) / CHANGES, 0, -1 - at),
)
const placed = await placeKeys(base.snapshot, changed)
const byKey = new Map(changed.map((leaf) => [encodeKey(leaf).toHex(), leaf]))
const changes = placed.map((each) => ({ ...each, leaf: byKey.get(encodeKey(each.key).toHex()) ?? null }))
const adoption = { base, changes, start: null, texts: new RowTexts([]) }
const adopted = await adoptLeaves(adoption, options)
if (adopted.manifest.root === manifest.root) throw new Error('nothing has changed')

const measurement: AdoptionMeasurement = {
  values: adopted.manifest.size,
  changes: CHANGES,
  writeSeconds: (start - writing) / 1_000,
  adoptSeconds: (performance.now() - start) / 1_000,
  maxRssMb: await peakMegabytes(process.pid),
}
console.log(JSON.stringify(measurement))
