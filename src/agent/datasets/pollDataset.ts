import { asError } from '../asError.ts'
import type { DatasetConfig } from '../feeds/feedConfig.ts'
import { readState } from '../look/observe.ts'
import type { Observer } from '../look/observer.ts'
import type { View } from '../look/view.ts'
import { assertAttestable, assertVerified, type ChainFeed } from '../plan/assertAttestable.ts'
import type { FeedPlan } from '../plan/plan.ts'
import type { DatasetKeeper } from './datasetKeeper.ts'
import { planDataset } from './planDataset.ts'

/** What a dataset is polled with. */
export interface DatasetPoll {
  readonly observer: Pick<Observer, 'accountHash' | 'chainName' | 'report' | 'stop'>
  readonly openView: () => Promise<View>
  readonly keeper: DatasetKeeper
  /** Whether a dataset that has shrunk is attested. @default false */
  readonly acceptsShrunk?: boolean | undefined
}

/** Takes a snapshot of a dataset, and plans its root by the chain as it is afterwards. Never throws. */
export async function pollDataset(feed: DatasetConfig, poll: DatasetPoll): Promise<FeedPlan> {
  const { keeper, observer, acceptsShrunk = false } = poll
  try {
    // Reading the dataset would be useless if the feed cannot be attested.
    const before = await readAttestable(feed, poll)
    const manifest = await keeper.take(feed, before.latest?.source_hash ?? null, observer.stop)
    const { latest, height } = await readAttestable(feed, poll)
    return planDataset({ feed, manifest, latest, height, acceptsShrunk })
  } catch (error) {
    return { feedId: feed.feed_id, about: { row: null, result: null }, error: asError(error) }
  }
}

async function readAttestable(
  feed: DatasetConfig,
  { observer, openView }: DatasetPoll,
): Promise<Pick<ChainFeed, 'latest'> & { height: number }> {
  const { accountHash, chainName, report, stop } = observer
  stop.throwIfAborted()
  assertVerified(feed, chainName)
  const view = await openView()
  const state = await readState(feed, view)
  void report?.({ event: 'read', feedId: feed.feed_id, state })
  assertAttestable(feed, state, accountHash)
  return { latest: state.latest, height: view.block.height }
}
