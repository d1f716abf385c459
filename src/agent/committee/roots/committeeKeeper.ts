import type { DatasetConfig } from '../../../feeds/file/feedConfig.ts'
import { asError } from '../../../runtime/asError.ts'
import type { DatasetKeeper } from '../../datasets/datasetKeeper.ts'
import type { Peers } from '../memberState.ts'
import { SlowComparisonError, untilAborted } from './compareInTime.ts'
import type { MemberRoots } from './memberRoots.ts'

export interface CommitteeKeeperParts {
  readonly roots: MemberRoots
  readonly peers: Pick<Peers, 'sideOf'>
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** Called when the snapshot of the newest root on chain could not be fetched from a member. */
  readonly onNotFetched: (feed: DatasetConfig, member: string, error: Error) => void
}

/**
 * Returns the keeper of a member. It holds what it takes from EIA. If the committee has attested a snapshot that is not here, it fetches
 * that from a member, so that all have it.
 */
export const createCommitteeKeeper = (keeper: DatasetKeeper, parts: CommitteeKeeperParts): DatasetKeeper => ({
  ...keeper,
  async take(feed, spare, signal) {
    const taken = await keeper.take(feed, spare, signal)
    parts.roots.hold(feed, taken)
    const base = taken.manifest.root
    if (spare !== null && spare !== base) await fetchFrom(keeper, { feed, base, root: spare, signal }, parts)
    return taken
  },
})

/** How long a member may take to show what its snapshot has. Others wait for what is taken. */
const FETCH_MS = 60_000

interface Wanted {
  readonly feed: DatasetConfig
  /** The root of a snapshot that is here. */
  readonly base: string
  /** The root of the snapshot to fetch. */
  readonly root: string
  readonly signal: AbortSignal
}

/** Fetches a snapshot from the first member that has it and sends it. */
async function fetchFrom(
  keeper: DatasetKeeper,
  { feed, base, root, signal }: Wanted,
  { roots, peers, wait, onNotFetched }: CommitteeKeeperParts,
): Promise<void> {
  if ((await keeper.openSide(feed, root)) !== null) return
  for (const { member, size } of roots.listOthers(feed).filter((other) => other.root === root)) {
    const [slow, ended] = [new AbortController(), new AbortController()]
    const side = peers.sideOf(member, feed.feed_id, { root, size })
    const tooSlow = new SlowComparisonError({ other: side.name, limitMs: FETCH_MS })
    wait(FETCH_MS, ended.signal).then(
      () => slow.abort(tooSlow),
      () => {},
    )
    try {
      return await keeper.fetch(feed, base, untilAborted(side, slow.signal), signal)
    } catch (error) {
      signal.throwIfAborted()
      onNotFetched(feed, member, asError(error))
    } finally {
      ended.abort()
    }
  }
}
