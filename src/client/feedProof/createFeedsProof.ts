import { AbsenceNotProvenError } from '../../casper/state/absent.ts'
import { feedRegistryField } from '../../registry/fields.ts'
import { InvalidArgumentError } from '../argument.ts'
import { type ProofRequest, readAllIds, readRegistry } from './createFeedProof.ts'
import type { FeedsProof } from './feedProof.ts'

/** The proof of an id takes 20 to 120 kB of JSON. */
const MAX_FEEDS = 1_000

/**
 * Reads the number of feeds and every id with their proofs, at one state root.
 *
 * @throws {@link InvalidArgumentError} when there are too many feeds.
 * @throws {@link AbsenceNotProvenError} when the registry stores no number of feeds.
 */
export async function createFeedsProof(request: ProofRequest, maxFeeds = MAX_FEEDS): Promise<FeedsProof> {
  const { registries, block, switchBlocks } = request
  const feeds = await readRegistry(request, 'FeedRegistry')
  const count = await feeds.read(feedRegistryField.count, false)
  if (count === null) throw new AbsenceNotProvenError(`FeedRegistry.${feedRegistryField.count.what}`)
  if (count.value > maxFeeds)
    throw new InvalidArgumentError(
      'feed_count',
      `at most ${maxFeeds} for a proof of all ids, not ${count.value}`,
    )
  const ids = await readAllIds(feeds, count.value)
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
