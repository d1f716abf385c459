/**
 * Writes two snapshots of invented values, of which 100 are revised and 100 added, evenly, and compares them. Prints figures as JSON.
 * Arguments: a folder, and the number of values.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DAY_MS } from '@wattfeed/base'
import type { Leaf } from '@wattfeed/dataset'
import { compareSides, type Side, sideOfFiles } from '@wattfeed/dataset/compare'
import { folderFiles, writeTree } from '@wattfeed/dataset/disk'
import { peakMegabytes } from '../rss.ts'

/** Figures of a comparison. */
export interface ComparisonMeasurement {
  values: number
  /** Milliseconds to read the hashes of both, one after the other. */
  openMs: number
  compareMs: number
  /** What the other side is asked for. */
  requests: number
  /** Requests as JSON, and answers. */
  sentBytes: number
  receivedBytes: number
  /** Highest resident memory of the process, in MB (10^6 bytes). */
  maxRssMb: number
}

const CHANGES = 100
/** No test depends on the date. */
const FIRST_MS = Date.UTC(1990, 0, 1)

const [, , out = '', valuesText = ''] = process.argv
const values = Number(valuesText)
const series = 20 * CHANGES
const depth = values / series

function leafOf(number: number, at: number, { process = 'PF4', revision = 0 } = {}): Leaf {
  const id = String(number).padStart(5, '0')
  return {
    ...{ route: 'petroleum/pri/spt', frequency: 'daily', column: 'value', unit: '$/GAL' },
    facets: { duoarea: `R${id}`, process, product: `EPC${id}`, series: `EER_EPC${id}_PF4_R${id}_DPG` },
    period: new Date(FIRST_MS + at * DAY_MS).toISOString().slice(0, 10),
    value: String(((number * 7_919 + at * 104_729) % 100_000) / 1_000 + revision),
  }
}

function* leaves(isLater: boolean): Generator<Leaf> {
  for (let number = 0; number < series; number++) {
    const isChanged = isLater && number % (series / CHANGES) === 7
    for (let at = 0; at < depth; at++)
      yield leafOf(number, at, { revision: isChanged && at === depth - 1 ? 1 : 0 })
    if (isChanged) yield leafOf(number, 0, { process: 'PF5' })
  }
}

async function open(name: string, isLater: boolean) {
  const folder = join(out, name)
  mkdirSync(folder)
  const tree = await writeTree(folder, leaves(isLater))
  const { route, frequency, facets } = leafOf(0, 0)
  const manifest = {
    ...{ route, frequency, columns: ['value'], facets: Object.keys(facets), periods: null, retrievedAt: 1 },
    ...tree,
  }
  const from = performance.now()
  const side = await sideOfFiles(folderFiles(folder), manifest, { name })
  return { side, ms: performance.now() - from }
}

const sent = { requests: 0, sentBytes: 0, receivedBytes: 0 }

async function count(request: unknown, answer: Promise<Uint8Array>): Promise<Uint8Array> {
  const bytes = await answer
  sent.requests += 1
  sent.sentBytes += JSON.stringify(request).length
  sent.receivedBytes += bytes.length
  return bytes
}

const [earlier, later] = [await open('earlier', false), await open('later', true)]
const other: Side = {
  ...later.side,
  digestsOf: (level, runs) =>
    count([level, ...runs.map(({ first, past }) => [first, past])], later.side.digestsOf(level, runs)),
  leavesOf: (indices) => count(indices, later.side.leavesOf(indices)),
}
const from = performance.now()
const { changed, onlyOwn, onlyOther } = await compareSides(earlier.side, other, { maxListed: 2 * CHANGES })
const compareMs = performance.now() - from
if (changed !== CHANGES || onlyOther !== CHANGES || onlyOwn !== 0)
  throw new Error(`found ${changed} revised, ${onlyOther} added, ${onlyOwn} removed`)

const measurement: ComparisonMeasurement = {
  ...{ values, compareMs, ...sent },
  openMs: earlier.ms + later.ms,
  maxRssMb: await peakMegabytes(process.pid),
}
console.log(JSON.stringify(measurement))
