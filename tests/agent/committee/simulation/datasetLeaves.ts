import { hash } from 'node:crypto'
import {
  datasetFeedId,
  encodeLeaf,
  hashLeaf,
  type Leaf,
  type LeafKey,
  type Manifest,
} from '@wattfeed/dataset'
import type { Side } from '@wattfeed/dataset/compare'
import { LRUCache } from 'lru-cache'
import type { PeriodCounts } from '../../../../src/agent/datasets/periodCounts.ts'
import type { DatasetConfig } from '../../../../src/feeds/file/feedConfig.ts'
import { createRangedSide, type EncodedLeaf, levelOf } from './rangedSide.ts'

/*
 * The leaves of a dataset, as numbers. A leaf's place is its series and period, in the order of the keys. Its code says what EIA has
 * there. So a snapshot is an array of codes, and its root a hash over them: the same leaves always have the same root.
 */

const SERIES = 102
/** Periods, of which EIA has the first 100 at the start. */
export const PERIODS = 108
export const PLACES = SERIES * PERIODS

/** EIA has no row there. */
export const ABSENT = 0
/** EIA has a row without a value. */
export const WITHHELD = 1

/** What EIA, or a snapshot, has at each place. */
export type Codes = Uint16Array

export const seriesNumbers: readonly number[] = Array.from({ length: SERIES }, (_, number) => number)
export const placeOf = (series: number, period: number): number => series * PERIODS + period
const periodOf = (place: number): number => place % PERIODS

const route = 'natural-gas/stor/wkly'
const frequency = 'weekly'

export const datasetFeed: DatasetConfig = {
  feed_id: datasetFeedId(route, frequency),
  title: 'A dataset',
  description: 'Roots of a dataset',
  source: 'EIA',
  ...{ route, frequency, unit: 'values', decimals: 0 },
  dataset: { columns: ['value'], periods: null },
}

const WEEK_MS = 7 * 24 * 60 * 60_000
const FIRST_WEEK = Date.parse('2025-01-03')

const periodTexts = Array.from({ length: PERIODS }, (_, period) =>
  new Date(FIRST_WEEK + period * WEEK_MS).toISOString().slice(0, 10),
)
const periodNumbers = new Map(periodTexts.map((text, period) => [text, period]))

function keyOf(place: number): LeafKey {
  const duoarea = `R${String(Math.floor(place / PERIODS)).padStart(3, '0')}`
  const facets = { duoarea, process: 'SWO', product: 'EPG0', series: `NW2_${duoarea}` }
  return { route, frequency, column: 'value', facets, period: periodTexts[periodOf(place)] ?? '' }
}

/** Returns the place of a key; null if the dataset cannot have it. */
export function placeOfKey({ facets, period }: LeafKey): number | null {
  const series = Number(facets.duoarea?.slice(1))
  const place = placeOf(series, periodNumbers.get(period) ?? Number.NaN)
  return place >= 0 && place < PLACES ? place : null
}

const leafOf = (place: number, code: number): Leaf => ({
  ...keyOf(place),
  value: code === WITHHELD ? null : String(code),
  unit: 'BCF',
})

/** Returns the code of a leaf. */
export const codeOf = ({ value }: Pick<Leaf, 'value'>): number => (value === null ? WITHHELD : Number(value))

/** All runs have the same leaves. */
const encoded = new Map<number, EncodedLeaf>()

function encodedLeaf(place: number, code: number): EncodedLeaf {
  const name = code * PLACES + place
  const known = encoded.get(name)
  if (known !== undefined) return known
  const bytes = encodeLeaf(leafOf(place, code))
  const leafHash = hashLeaf(bytes)
  const made = { bytes, hash: leafHash, level: levelOf(leafHash) }
  encoded.set(name, made)
  return made
}

/** A snapshot of the dataset. */
export interface Content {
  readonly codes: Codes
  readonly manifest: Manifest
  readonly counts: PeriodCounts
}

/** Makes a snapshot of codes. The caller does not change them any more. */
export function contentOf(codes: Codes, retrievedAt: number): Content {
  const sizes = new Array<number>(PERIODS).fill(0)
  for (let place = 0; place < PLACES; place++)
    if (codes[place] !== ABSENT) sizes[periodOf(place)] = (sizes[periodOf(place)] ?? 0) + 1
  const counts = new Map(
    periodTexts.flatMap((text, period) => {
      const count = sizes[period] ?? 0
      return count === 0 ? [] : [[text, count] as const]
    }),
  )
  const periods = [...counts.keys()]
  return {
    codes,
    counts,
    manifest: {
      ...{ route, frequency, columns: ['value'], periods: null, retrievedAt },
      facets: ['duoarea', 'process', 'product', 'series'],
      size: sizes.reduce((sum, count) => sum + count, 0),
      root: hash('sha256', codes),
      oldestPeriod: periods[0] ?? '',
      newestPeriod: periods.at(-1) ?? '',
    },
  }
}

/** Snapshots that are open as sides. They are the same for all members, and in all runs. */
const sides = new LRUCache<string, Side>({ max: 150 })

/** Opens a snapshot as a side. */
export function openContent(content: Content, name: string): Side {
  const { root, size } = content.manifest
  const side = sides.get(root) ?? { ...createRangedSide(listLeaves(content)), root, size, name }
  sides.set(root, side)
  return { ...side, name }
}

/** Lists the leaves of a snapshot, as bytes with their hashes. */
export function listLeaves({ codes }: Pick<Content, 'codes'>): readonly EncodedLeaf[] {
  const leaves: EncodedLeaf[] = []
  for (let place = 0; place < PLACES; place++) {
    const code = codes[place] ?? ABSENT
    if (code !== ABSENT) leaves.push(encodedLeaf(place, code))
  }
  return leaves
}
