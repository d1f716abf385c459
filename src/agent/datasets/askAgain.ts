import { join } from 'node:path'
import { DatasetError, type LeafKey } from '@wattfeed/dataset'
import { encodePeriod } from '@wattfeed/eia'
import { type Adoption, openBase } from './adoptLeaves.ts'
import { askKeys } from './askKeys.ts'
import { COUNTS, type PeriodCounts, readCounts } from './periodCounts.ts'
import { isChanged, type PlacedLeaf, placeKeys } from './placeLeaves.ts'
import type { SnapshotDataset, SnapshotInput } from './snapshotInput.ts'
import { windowStart } from './windowStart.ts'

export interface AgainOptions
  extends Pick<SnapshotInput, 'eia' | 'dataset' | 'facets' | 'signal' | 'minPauseMs'> {
  /** The folder of the dataset's snapshots. */
  readonly out: string
}

/**
 * Asks EIA for keys of a snapshot again, and returns how the snapshot with what EIA says now differs. Null if it does not.
 *
 * If the newest period is another then, the window of periods moves as it does for a snapshot that is taken: earlier leaves are left out.
 *
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

/** The first period of the window that ends with the newest period after the changes; null for all. */
function startAfter(
  changes: readonly PlacedLeaf[],
  before: PeriodCounts,
  { frequency, periods }: SnapshotDataset,
): string | null {
  const counts = new Map(before)
  for (const { key, own, leaf } of changes)
    counts.set(key.period, (counts.get(key.period) ?? 0) + Number(leaf !== null) - Number(own !== null))
  const [newest] = [...counts]
    .flatMap(([period, count]) => (count > 0 ? [period] : []))
    .sort()
    .reverse()
  return newest === undefined ? null : windowStart(frequency, encodePeriod(frequency, newest), periods)
}
