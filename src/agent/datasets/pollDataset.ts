import type { DatasetConfig } from '../../feeds/file/feedConfig.ts'
import { readChainFeed } from '../look/observe.ts'
import type { ObserveSettings } from '../look/observeSettings.ts'
import type { View } from '../look/view.ts'
import { assertAttestable, assertVerified, type ChainFeed } from '../plan/assertAttestable.ts'
import { type FeedPlan, refusedFeed } from '../plan/plan.ts'
import type { DatasetKeeper } from './datasetKeeper.ts'
import { planDataset } from './planDataset.ts'
import type { TakenSnapshot } from './writeSnapshot.ts'

/** What a dataset is polled with. */
export interface DatasetPoll {
  readonly settings: ObserveSettings
  readonly openView: () => Promise<View>
  readonly keeper: DatasetKeeper
  /** Whether a dataset that has shrunk is attested. @default false */
  readonly acceptsShrunk?: boolean | undefined
}

/** Attested roots that are noted before a snapshot is taken. More can hardly have come since the one before. */
const NOTED = 8

/** Takes a snapshot of a dataset, and plans its root by the chain as it is afterwards. Never throws. */
export async function pollDataset(feed: DatasetConfig, poll: DatasetPoll): Promise<FeedPlan> {
  const { keeper, settings, openView } = poll
  try {
    // Reading the dataset would be useless if the feed cannot be attested.
    const { latest, view } = await readAttestable(feed, settings, openView)
    if (latest !== null) await noteAttested(feed, view, keeper)
    const taken = await keeper.take(feed, latest, settings.stop)
    return await planSnapshot(feed, taken, { ...poll, view: await openView() })
  } catch (error) {
    return refusedFeed(feed.feed_id, error)
  }
}

/** What the root of a snapshot is planned with. */
export interface SnapshotPlanParts extends Pick<DatasetPoll, 'settings' | 'acceptsShrunk'> {
  readonly keeper: Pick<DatasetKeeper, 'countsOf' | 'noteAttested'>
  readonly view: View
}

/** Plans the root of a snapshot by the chain. @throws if the feed cannot be attested */
export async function planSnapshot(
  feed: DatasetConfig,
  snapshot: Pick<TakenSnapshot, 'manifest' | 'counts'>,
  { keeper, settings, view, acceptsShrunk = false }: SnapshotPlanParts,
): Promise<FeedPlan> {
  const { latest } = await readAttestable(feed, settings, async () => view)
  if (latest !== null) keeper.noteAttested(feed, latest.source_hash)
  const before = latest === null ? null : keeper.countsOf(feed, latest)
  if (latest !== null && before === null && latest.source_hash !== snapshot.manifest.root)
    void settings.report({ event: 'snapshot_missing', feedId: feed.feed_id, root: latest.source_hash })
  const { height } = view.block
  return planDataset({ feed, ...snapshot, latest, before, now: settings.now(), height, acceptsShrunk })
}

/** Notes what was attested while the agent did not look, such as two roots of a committee, one soon after the other. */
async function noteAttested(
  feed: DatasetConfig,
  { at }: View,
  keeper: Pick<DatasetKeeper, 'noteAttested'>,
): Promise<void> {
  const to = await at.getValueCount(feed.feed_id)
  const values = await at.getValueHistory(feed.feed_id, { from: Math.max(0, to - NOTED), to })
  for (const { source_hash: root } of values) keeper.noteAttested(feed, root)
}

async function readAttestable(
  feed: DatasetConfig,
  { accountHash, chainName, report, stop }: ObserveSettings,
  openView: () => Promise<View>,
): Promise<Pick<ChainFeed, 'latest'> & { readonly view: View }> {
  stop.throwIfAborted()
  assertVerified(feed, chainName)
  const view = await openView()
  const state = await readChainFeed(feed, view)
  void report({ event: 'read', feedId: feed.feed_id, state })
  assertAttestable(feed, state, accountHash)
  return { latest: state.latest, view }
}
