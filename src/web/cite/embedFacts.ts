import type { SeriesRange } from '@wattfeed/dataset'
import type { ProvenReading } from 'wattfeed'
import type { TrustFields } from './verifyCommand.ts'

/** What the server writes into the page of an embedded chart (its `data-facts`), and the page's scripts read. */
export interface EmbedFacts {
  /** As the embed code names it. */
  readonly trust: TrustFields
  readonly shown: EmbeddedValue | EmbeddedRange
  /** Path of the proof, to which `from` can be added. */
  readonly proof: string
  /** The script that verifies: its path, and its size, which the reader sees before it is loaded. */
  readonly scripts: { readonly verify: string; readonly verifyBytes: number }
}

/** The newest value of a feed, as the page shows it. */
export interface EmbeddedValue extends Pick<ProvenReading, 'amount' | 'period' | 'decimals'> {
  readonly feedId: string
  /** As {@link comparedText} returns them. */
  readonly title: string
  readonly unit: string
}

/** The values of a series that the page draws, and by which root. */
export interface EmbeddedRange {
  readonly range: SeriesRange
  /** Index of the attestation of the root, if the embed code names it; null for the newest. */
  readonly index: number | null
  readonly root: string
  /** As {@link formatValues} returns them. */
  readonly values: string
}

/** Formats the values of a range, to compare them: a line for each, with a unit where it changes. */
export function formatValues(
  values: readonly { period: string; value: string | null; unit: string | null }[],
): string {
  let last: string | null = null
  const lines = values.map(({ period, value, unit }) => {
    const isNew = unit !== last
    last = unit
    return JSON.stringify([period, value, ...(isNew ? [unit] : [])]).slice(1, -1)
  })
  return lines.join('\n').replaceAll('"', "'")
}

/** In UTF-16 units. */
const MAX_COMPARED = 200

/** Returns the part of a feed's title or unit that the page compares with the proof. It shows less of it. */
export const comparedText = (text: string): string => text.slice(0, MAX_COMPARED)
