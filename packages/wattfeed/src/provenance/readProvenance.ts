import { assertReadOptions } from '../client/argument.ts'
import type { ReadOptions, Reads } from '../client/reads.ts'
import { createProvenance, type Provenance } from './recipes.ts'

/**
 * Reads an attestation of a feed and returns its provenance.
 *
 * @example
 * ```ts
 * import { readProvenance } from 'wattfeed/provenance'
 *
 * const provenance = await client.withSnapshot((at) => readProvenance(at, 'EIA.PET.PRICE.WTI.DAILY', null))
 * console.log(provenance?.api_url)
 * ```
 *
 * @param at - a snapshot, so that feed and attestation are of one state root
 * @param index - index in the feed's history, from 0; null for the newest value
 * @returns Null if the id is not registered, or the feed has no such value.
 * @throws {@link WattfeedError} when the chain cannot be read.
 * @rpc query_global_state, state_get_dictionary_item
 */
export async function readProvenance(
  at: Reads,
  feedId: string,
  index: number | null,
  options: ReadOptions = {},
): Promise<Provenance | null> {
  assertReadOptions(options)
  const [feed, found] = await Promise.all([at.getFeed(feedId, options), indexOf(at, feedId, index, options)])
  const value = found === null ? null : await at.getValueAt(feedId, found, options)
  if (feed === null || value === null || found === null) return null
  const { period, amount, source_hash } = value
  return createProvenance(feedId, feed, { index: found, period, amount, source_hash })
}

async function indexOf(
  at: Reads,
  feedId: string,
  index: number | null,
  options: ReadOptions,
): Promise<number | null> {
  if (index !== null) return index
  const count = await at.getValueCount(feedId, options)
  return count === 0 ? null : count - 1
}
