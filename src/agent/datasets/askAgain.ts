import { join } from 'node:path'
import { defineError } from '@wattfeed/base'
import { DatasetError, type LeafKey } from '@wattfeed/dataset'
import { encodePeriod } from '@wattfeed/eia'
import { type Adoption, openBase } from './adoptLeaves.ts'
import { askKeys } from './askKeys.ts'
import { COUNTS, type PeriodCounts, readCounts } from './periodCounts.ts'
import { isChanged, type PlacedLeaf, placeKeys } from './placeLeaves.ts'
import type { SnapshotDataset, SnapshotInput } from './snapshotInput.ts'
import { windowStart } from './windowStart.ts'

/** EIA has no leaf of the newest period any more, so the window begins earlier, with leaves that the snapshot lacks. */
export const WindowMovedBackError = defineError(
  'WindowMovedBackError',
  'window_moved_back',
  (facts: {
    route: string
    /** EIA's text of the newest period that the snapshot has. */
    newest: string
  }) =>
    `EIA has no value of ${facts.newest} in ${facts.route} any more, so the newest periods are others; only reading the whole dataset again finds their values`,
  { retryable: true },
)

export interface AgainOptions
  extends Pick<SnapshotInput, 'eia' | 'dataset' | 'facets' | 'signal' | 'minPauseMs'> {
  /** The folder of the dataset's snapshots. */
  readonly out: string
}

/**
 * Asks EIA for keys of a snapshot again, and returns how the snapshot with what EIA says now differs. Null if it does not.
 *
 * If a newer period has come, the window of periods moves as it does for a snapshot that is taken: earlier leaves are left out.
 *
 * @throws {WindowMovedBackError} if the window would have to move back. The keys that are named need not be all that EIA has there.
 * @throws {DatasetError} if the snapshot is not here, or not in its form; and what `askKeys` throws.
 */
export async function askAgain(
  root: string,
  keys: readonly LeafKey[],
  options: AgainOptions,
): Promise<Adoption | null> {
  const { out, dataset } = options
  const base = await openBase(root, options)
  const counts = readCounts(join(out, root), BigInt(base.snapshot.manifest.size))
  if (counts === null) throw new DatasetError({ what: COUNTS, rule: 'is missing, or not that of the values' })
  const placed = await placeKeys(base.snapshot, keys)
  const withUnit = new Set(placed.flatMap(({ key, own }) => (own?.unit == null ? [] : [key.column])))
  const { answers, texts } = await askKeys(
    placed.map(({ key }) => key),
    { ...options, withUnit },
  )
  const leaves = new Map(answers.map(({ key, leaf }) => [key, leaf]))
  const changes = placed
    .flatMap((each) => {
      const leaf = leaves.get(each.key)
      return leaf === undefined ? [] : [{ ...each, leaf }]
    })
    .filter(isChanged)
  const start = startAfter(changes, counts, dataset)
  const inWindow = changes.filter(({ leaf }) => leaf === null || start === null || leaf.period >= start)
  return inWindow.length === 0 ? null : { base, changes: inWindow, start, texts }
}

/**
 * The first period of the window that ends with the newest period after the changes; null for all.
 *
 * @throws {WindowMovedBackError} if it is earlier than before
 */
function startAfter(
  changes: readonly PlacedLeaf[],
  before: PeriodCounts,
  { route, frequency, periods }: SnapshotDataset,
): string | null {
  const after = new Map(before)
  for (const { key, own, leaf } of changes)
    after.set(key.period, (after.get(key.period) ?? 0) + Number(leaf !== null) - Number(own !== null))
  const startOf = (newest: string | null) =>
    newest === null ? null : windowStart(frequency, encodePeriod(frequency, newest), periods)
  const newest = newestOf(before)
  const [start, next] = [startOf(newest), startOf(newestOf(after))]
  if (newest !== null && start !== null && (next === null || next < start))
    throw new WindowMovedBackError({ route, newest })
  return next
}

/** EIA's text of the newest period that has leaves; null if none has. */
function newestOf(counts: PeriodCounts): string | null {
  const periods = [...counts].flatMap(([period, count]) => (count > 0 ? [period] : []))
  return periods.sort().at(-1) ?? null
}
