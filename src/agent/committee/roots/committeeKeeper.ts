import type { Side } from '@wattfeed/dataset/compare'
import type { DatasetConfig } from '../../../feeds/file/feedConfig.ts'
import { asError } from '../../../runtime/asError.ts'
import type { DatasetKeeper } from '../../datasets/datasetKeeper.ts'
import type { Peers } from '../memberState.ts'
import { boundedSide, SlowMemberError } from './boundedSide.ts'
import type { MemberRoots } from './memberRoots.ts'

/** How long a member may take for all answers. The dataset is not read again before, so none may answer each request just in time. */
const FETCH_MS = 60_000

export interface CommitteeKeeperParts {
  readonly roots: MemberRoots
  readonly peers: Pick<Peers, 'sideOf' | 'members'>
  /** Milliseconds of a steady clock. */
  readonly steadyNow: () => number
  /** Called when the snapshot of the newest root on chain could not be fetched from a member. */
  readonly onNotFetched: (feed: DatasetConfig, member: string, error: Error) => void
}

/**
 * Returns the keeper of a member. It holds what it takes from EIA. If the committee has attested a snapshot that is not here, it fetches
 * that from a member, so that all have it.
 */
export const createCommitteeKeeper = (keeper: DatasetKeeper, parts: CommitteeKeeperParts): DatasetKeeper => ({
  ...keeper,
  async take(feed, newest, signal) {
    const taken = await keeper.take(feed, newest, signal)
    parts.roots.hold(feed, taken)
    const base = taken.manifest.root
    if (newest !== null && newest.source_hash !== base)
      await fetchFrom(
        keeper,
        { feed, base, root: newest.source_hash, size: Number(newest.amount), signal },
        parts,
      )
    return taken
  },
})

interface Wanted {
  readonly feed: DatasetConfig
  /** The root of a snapshot that is here. */
  readonly base: string
  /** The snapshot to fetch. */
  readonly root: string
  readonly size: number
  readonly signal: AbortSignal
}

/** Fetches a snapshot from the first member that sends it. Those that announce it come first: the others may have kept it. */
async function fetchFrom(
  keeper: DatasetKeeper,
  { feed, base, root, size, signal }: Wanted,
  { roots, peers, steadyNow, onNotFetched }: CommitteeKeeperParts,
): Promise<void> {
  if ((await keeper.openSide(feed, root)) !== null) return
  const holders = roots.listOthers(feed).flatMap((other) => (other.root === root ? other.member : []))
  for (const member of new Set([...holders, ...peers.members]))
    try {
      const side = peers.sideOf(member, feed.feed_id, { root, size })
      return await keeper.fetch(feed, base, inTime(side, steadyNow), signal)
    } catch (error) {
      signal.throwIfAborted()
      onNotFetched(feed, member, asError(error))
    }
}

/** A side that gets no further request once it has taken too long. Each request has its own limit. */
function inTime(side: Side, steadyNow: () => number): Side {
  const endsAt = steadyNow() + FETCH_MS
  return boundedSide(side, () => {
    if (steadyNow() >= endsAt) throw new SlowMemberError({ other: side.name, limitMs: FETCH_MS })
  })
}
