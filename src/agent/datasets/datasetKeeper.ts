import { join } from 'node:path'
import pLimit from 'p-limit'
import { type DatasetConfig, datasetOf } from '../../feeds/file/feedConfig.ts'
import type { Report } from '../events.ts'
import type { ChainValue } from '../plan/decide.ts'
import { type PeriodCounts, readCounts } from './periodCounts.ts'
import type { takeSnapshot } from './takeSnapshot.ts'
import type { TakenSnapshot } from './writeSnapshot.ts'

/** Takes the snapshots of datasets, one at a time, because they share EIA's rate limit and the disk. */
export interface DatasetKeeper {
  /**
   * Reads a dataset from EIA and writes its snapshot, in minutes to hours. Returns its manifest and counts.
   *
   * @param spare - the newest root on chain, whose snapshot stays however many are newer; null if there is none
   * @throws the errors of `takeSnapshot`, and the reason of an abort.
   */
  take(
    feed: DatasetConfig,
    spare: string | null,
    signal: AbortSignal,
  ): Promise<Pick<TakenSnapshot, 'manifest' | 'counts'>>
  /** Returns the counts of the snapshot of a root; null if it is not there as a whole. */
  countsOf(feed: DatasetConfig, root: Pick<ChainValue, 'source_hash' | 'amount'>): PeriodCounts | null
}

/** `takeSnapshot`, which tests replace. */
export type TakeSnapshot = typeof takeSnapshot

export interface KeeperOptions {
  readonly eia: Parameters<TakeSnapshot>[0]['eia']
  readonly takeSnapshot: TakeSnapshot
  /** `DATASETS_DIR` */
  readonly folder: string
  /** `KEEP_SNAPSHOTS`; null keeps all. */
  readonly keep: number | null
  /** `KEEP_ARCHIVED`; null keeps all. */
  readonly archived: number | null
  /** Called with each page. */
  readonly report: Report
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Returns a number from 0 up to 1. */
  readonly random: () => number
}

export function createDatasetKeeper(options: KeeperOptions): DatasetKeeper {
  const { eia, takeSnapshot, folder, keep, archived, report, now, random } = options
  const oneAtATime = pLimit(1)
  return {
    take: (feed, spare, signal) =>
      oneAtATime(async () => {
        signal.throwIfAborted()
        const { feed_id: feedId } = feed
        const { facets, ...dataset } = datasetOf(feed)
        const startedAt = now()
        const { manifest, counts, isNew } = await takeSnapshot({
          eia,
          dataset,
          facets,
          out: snapshotsOf(folder, feedId),
          now,
          random,
          signal,
          onProgress: (step) => void report({ event: 'dataset_step', feedId, step }),
          keep,
          archived,
          spare,
        })
        void report({ event: 'snapshot', feedId, manifest, isNew, durationMs: now() - startedAt })
        return { manifest, counts }
      }),
    countsOf: ({ feed_id: feedId }, { source_hash: root, amount }) =>
      readCounts(join(snapshotsOf(folder, feedId), root), amount),
  }
}

/** The folder of a feed's snapshots, each in a folder named by its root. */
const snapshotsOf = (folder: string, feedId: string): string => join(folder, feedId.toLowerCase())
