import type { SeriesAnswer } from '@wattfeed/dataset'
import type { IndexedReading } from './datasetRoots.ts'

/** What a root says of the value of a series for a period. */
export interface Revision {
  /** Index of the attestation. */
  readonly index: number
  /** 64 hex digits. */
  readonly root: string
  /** Number of values in the dataset. */
  readonly size: number
  /** Block time of the attestation, in epoch milliseconds. */
  readonly attested_at: number
  /** `not_covered`: it was made without the column or with other facets. `gone`: its files are not there. */
  readonly statement: 'value' | 'no_period' | 'no_series' | 'not_covered' | 'gone'
  readonly value: string | null
  readonly unit: string | null
  /** Index of the value in the dataset; null without one. */
  readonly leaf_index: number | null
  /** EIA's text of the first period that the root covers; null if it is not known. */
  readonly covers_from: string | null
}

/** @param answer - what the root's snapshot says about a period; null if its files are not there */
export function revisionOf({ reading, index }: IndexedReading, answer: SeriesAnswer | null): Revision {
  const statement = answer === null ? 'gone' : answer.isCovered ? answer.statement : 'not_covered'
  if (statement === 'newest') throw new TypeError('a statement about a period is none about the newest')
  const { leaf = null, leaves: [first] = [], coversFrom = null } = answer ?? {}
  return {
    ...{ index, root: reading.source_hash, size: Number(reading.amount), attested_at: reading.updated_at },
    statement,
    ...{ value: leaf?.value ?? null, unit: leaf?.unit ?? null },
    leaf_index: leaf === null ? null : (first?.index ?? null),
    covers_from: coversFrom,
  }
}
