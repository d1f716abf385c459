import type { ReadOptions, Reads } from '../client/reads.ts'
import { createProvenance, type Provenance } from './recipes.ts'

/**
 * Reads an attestation of a feed and returns the data for rechecking it with EIA. The reads are verified if the client
 * verifies.
 *
 * @param at - a snapshot, so that feed and attestation are from one state root
 * @param index - index in the feed's history, from 0; null for the newest value
 * @returns null if the feed is not registered or has no value at this index
 * @throws the errors of {@link Reads}.
 *
 * @example
 * ```ts
 * const provenance = await client.withSnapshot((at) => readProvenance(at, 'EIA.PET.PRICE.WTI.DAILY', null))
 * console.log(provenance?.api_url)
 * ```
 */
export async function readProvenance(
  at: Reads,
  feedId: string,
  index: number | null,
  options: ReadOptions = {},
): Promise<Provenance | null> {
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
