import type { LeafKey } from '@wattfeed/dataset'
import type { EiaClient } from '@wattfeed/eia'
import type { NotKept } from './snapshotArchive.ts'

/** What a snapshot is taken of. */
export interface SnapshotDataset {
  /** EIA's route, below `/v2/`. */
  readonly route: string
  readonly frequency: string
  /** Ids of the columns; at least one. */
  readonly columns: readonly string[]
  /**
   * How many of the newest periods are read; null for all. They are counted by the calendar, back from the newest period of any series.
   * A period without rows counts, too: 7 periods of daily data are a week, of which prices may have five days. A dataset with
   * forecasts has its newest period in the future.
   */
  readonly periods: number | null
}

/** What `takeSnapshot` is doing. */
export type SnapshotStep =
  /** A killed run is resumed, or a page was added. */
  | {
      readonly step: 'resume' | 'page'
      readonly pages: number
      readonly rows: number
      readonly total: number
    }
  /** Everything is read again. */
  | { readonly step: 'again'; readonly why: string }
  /** All rows are read. So many of some pages are read once more. */
  | { readonly step: 'check'; readonly done: number; readonly pages: number }
  /** The folder of the snapshot's root is no whole snapshot, and is replaced. */
  | { readonly step: 'mend'; readonly folder: string; readonly why: string }
  /** Older snapshots could not be put into the archive, or left it to make room. */
  | { readonly step: 'not_kept'; readonly snapshots: readonly NotKept[] }
  /** What EIA says of the dataset, beside its rows, is not recorded, or not all of it. */
  | { readonly step: 'not_recorded'; readonly why: string }
  /** So many values are in the tree. */
  | { readonly step: 'write'; readonly values: number }

/** What `takeSnapshot` reads, and how. */
export interface SnapshotInput {
  readonly eia: Pick<EiaClient, 'readDatasetPage' | 'readMetadata'>
  readonly dataset: SnapshotDataset
  /** Ids of every facet of the dataset. */
  readonly facets: readonly string[]
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Returns a number from 0 up to 1: it chooses pages that are read once more. @default Math.random */
  readonly random?: (() => number) | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((step: SnapshotStep) => void) | undefined
  /** Pause before a page is requested again after a failure that may pass, in milliseconds; it doubles each time. @default 5000 */
  readonly minPauseMs?: number
}

/** Whether a snapshot of a dataset may have a key, by all but its period. */
export const isKeyOf = (
  key: LeafKey,
  { dataset, facets }: Pick<SnapshotInput, 'dataset' | 'facets'>,
): boolean =>
  key.route === dataset.route &&
  key.frequency === dataset.frequency &&
  dataset.columns.includes(key.column) &&
  Object.keys(key.facets).sort().join() === [...facets].sort().join()
