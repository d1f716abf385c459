import { limitTime } from '@wattfeed/base'
import { DatasetError } from '@wattfeed/dataset'
import { compareSides, type Side } from '@wattfeed/dataset/compare'
import type { WrittenTree } from '@wattfeed/dataset/disk'
import { type Adoption, openBase } from './adoptLeaves.ts'
import { type PlacedLeaf, placeKeys } from './placeLeaves.ts'
import { RowTexts } from './rowTexts.ts'
import { isKeyOf, type SnapshotInput } from './snapshotInput.ts'

/** How many leaves of a snapshot may differ from another member's. If more do, the one that began to read earlier reads again. */
export const MAX_DIFFERING = 10_000

/** Time for one answer of another member, in milliseconds. */
const ANSWER_TIMEOUT_MS = 60_000

export interface OtherOptions extends Pick<SnapshotInput, 'dataset' | 'facets' | 'signal'> {
  /** The folder of the dataset's snapshots. */
  readonly out: string
}

/**
 * Compares a snapshot that is here with another member's, and returns how it differs. Only the root shows whether the other member's leaves are
 * those of its root: it is computed when they are written.
 *
 * @throws {DatasetError} if the snapshot is not here, or an answer is wrong, late, or of another dataset.
 * @throws {DifferenceTooLargeError} if more than 10,000 leaves of a snapshot differ.
 */
export async function compareWithOther(own: Side, other: Side, options: OtherOptions): Promise<Adoption> {
  const base = await openBase(own.root, options)
  const { first: differences } = await compareSides(own, inTime(other, options), {
    maxListed: 2 * MAX_DIFFERING,
    maxDiffering: MAX_DIFFERING,
  })
  if (!differences.every(({ key }) => isKeyOf(key, options)))
    throw new DatasetError({ what: other.name, rule: 'has a leaf of another dataset' })
  const placed = await placeKeys(
    base.snapshot,
    differences.map(({ key }) => key),
  )
  // Both are in the order of the keys.
  const changes = placed.map((each, at): PlacedLeaf => ({ ...each, leaf: differences[at]?.other ?? null }))
  return { base, changes, start: null, texts: new RowTexts([]), assertTree: createAssert(other) }
}

const createAssert =
  ({ name, root, size }: Side) =>
  (tree: WrittenTree): void => {
    // The size is that of the ranges, which were compared.
    if (tree.root !== root)
      throw new DatasetError({
        what: name,
        rule: `its leaves lead to the root ${tree.root} of ${tree.size} values, not to ${root} of ${size}`,
      })
  }

/** A side whose answers come in time, or not at all. */
function inTime(side: Side, { signal }: Pick<OtherOptions, 'signal'>): Side {
  const error = () =>
    new DatasetError({ what: side.name, rule: `did not answer for ${ANSWER_TIMEOUT_MS} ms` })
  const limit = <T>(work: () => Promise<T>) =>
    limitTime({ timeoutMs: ANSWER_TIMEOUT_MS, error, signal }, work)
  return {
    ...side,
    digestsOf: (level, runs) => limit(() => side.digestsOf(level, runs)),
    leavesOf: (indices) => limit(() => side.leavesOf(indices)),
  }
}
