import { attestationRegistryField } from '../../../registry/fields.ts'
import type { HistoryProof } from '../feedProof.ts'
import { assertListable, readAll, readRegistry } from '../provenRegistry.ts'
import type { FeedProofRequest } from './createFeedProof.ts'

/**
 * Reads the number of a feed's values and every value with their proofs, at one state root. Returns null if it has none.
 *
 * @throws {@link InvalidArgumentError} when there are too many values.
 */
export async function createHistoryProof(
  request: Omit<FeedProofRequest, 'index' | 'isAttesterIncluded' | 'evidence'>,
  maxValues?: number,
): Promise<HistoryProof | null> {
  const { feedId, known, registries, block, switchBlocks } = request
  const attested = await readRegistry(request, 'AttestationRegistry', known.isListed)
  const count = await attested.read(attestationRegistryField.count(feedId), { isThere: known.hasValue })
  if (count === null) return null
  assertListable(count.value, 'count', maxValues)
  const values = await readAll(attested, count.value, (index) =>
    attestationRegistryField.history(feedId, index),
  )
  return {
    format: 2,
    feed_id: feedId,
    count: count.value,
    values: values.map(({ value }) => ({ ...value, amount: String(value.amount) })),
    registries,
    items: [...attested.items, count.item, ...values.map(({ item }) => item)],
    block,
    switch_blocks: switchBlocks,
  }
}
