import { AbsenceNotProvenError } from '@wattfeed/casper'
import { feedRegistryField } from '../../../registry/fields.ts'
import type { FeedsProof } from '../feedProof.ts'
import { assertListable, readAll, readRegistry } from '../provenRegistry.ts'
import type { ProofRequest } from './createFeedProof.ts'

/**
 * Reads the number of feeds and every id with their proofs, at one state root.
 *
 * @throws {@link InvalidArgumentError} when there are too many feeds.
 * @throws {@link AbsenceNotProvenError} when the registry stores no number of feeds.
 */
export async function createFeedsProof(request: ProofRequest, maxFeeds?: number): Promise<FeedsProof> {
  const { registries, block, switchBlocks } = request
  const feeds = await readRegistry(request, 'FeedRegistry')
  const count = await feeds.read(feedRegistryField.count)
  if (count === null) throw new AbsenceNotProvenError(`FeedRegistry.${feedRegistryField.count.what}`)
  assertListable(count.value, 'feed_count', maxFeeds)
  const ids = await readAll(feeds, count.value, feedRegistryField.id)
  return {
    format: 2,
    feed_count: count.value,
    feed_ids: ids.map(({ value }) => value),
    registries,
    items: [...feeds.items, count.item, ...ids.map(({ item }) => item)],
    block,
    switch_blocks: switchBlocks,
  }
}
