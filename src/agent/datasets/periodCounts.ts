import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { isSystemError, parseJson } from '@wattfeed/base'
import type { Leaf } from '@wattfeed/dataset'

/** How many values a snapshot has of each period, by EIA's text of it. */
export type PeriodCounts = ReadonlyMap<string, number>

/** The file of a snapshot with its counts. Readers do not need it: the agent compares the next snapshot with it. */
export const COUNTS = 'periods.json'

const Counts = Type.Record(Type.String(), Type.Integer({ minimum: 1 }))

/** Passes leaves on, and counts them by their periods. */
export async function* countPeriods(
  leaves: AsyncIterable<Leaf>,
  counts: Map<string, number>,
): AsyncGenerator<Leaf> {
  for await (const leaf of leaves) {
    counts.set(leaf.period, (counts.get(leaf.period) ?? 0) + 1)
    yield leaf
  }
}

/** Returns the text of `periods.json`. The same counts give the same text. */
export const formatCounts = (counts: PeriodCounts): string =>
  `${JSON.stringify(Object.fromEntries([...counts].toSorted()), null, 2)}\n`

/** Reads the counts of a snapshot with so many values; null if its folder has none, or those of another number of values. */
export function readCounts(folder: string, size: bigint): PeriodCounts | null {
  const json = parseJson(readText(join(folder, COUNTS)))
  if (!Value.Check(Counts, json)) return null
  const counts = new Map(Object.entries(json))
  return BigInt(sumOf(counts.values())) === size ? counts : null
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isSystemError(error)) return ''
    throw error
  }
}

/** Adds up counts. */
export const sumOf = (counts: Iterable<number>): number => {
  let sum = 0
  for (const count of counts) sum += count
  return sum
}
