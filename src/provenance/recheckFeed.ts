import type { Reads } from '../client/reads.ts'
import { createEiaClient } from '../eia/createEiaClient.ts'
import type { Recipe } from '../eia/recipe.ts'
import type { EiaRow } from '../eia/series.ts'
import { recheckWithLater } from './later.ts'
import { readProvenance } from './readProvenance.ts'
import type { Recheck } from './recheck.ts'
import type { Provenance } from './recipes.ts'
import { listRowsFrom } from './rows.ts'

export interface RecheckOptions {
  /** EIA API key, free at https://www.eia.gov/opendata/register.php */
  apiKey: string
  /** Index in the feed's history, from 0. @default the newest value */
  index?: number
  /** @default the recipe in the feed's description, otherwise the recipe of the flagship feed */
  recipe?: Recipe
  /** @default 'https://api.eia.gov' */
  baseUrl?: string
  /** @default globalThis.fetch */
  fetch?: (url: string, init: RequestInit) => Promise<Response>
  signal?: AbortSignal
}

/** A rechecked attestation. */
export type FeedRecheck = Provenance & Recheck

// EIA suspends keys that send five requests per second.
const REQUESTS_PER_SECOND = 4

/**
 * Reads an attestation of a feed, fetches its row from EIA and recomputes the hash.
 *
 * @param reads - a client or a snapshot; the reads are verified if the client verifies
 * @returns null if the feed is not registered or has no value at this index
 * @throws {EiaError} when EIA returns no usable answer, and the errors of {@link Reads}. No error contains the key.
 *
 * @example
 * ```ts
 * import { createClient } from 'wattfeed'
 * import { recheckFeed } from 'wattfeed/provenance'
 *
 * const found = await recheckFeed(createClient(), 'EIA.PET.PRICE.WTI.DAILY', { apiKey })
 * console.log(found?.verdict, found?.detail) // match 59.91 $/BBL of 2026-11-16
 * ```
 */
export async function recheckFeed(
  reads: Reads,
  feedId: string,
  { index, recipe: given, ...options }: RecheckOptions,
): Promise<FeedRecheck | null> {
  const [feed, provenance, count] = await Promise.all([
    reads.getFeed(feedId),
    readProvenance(reads, feedId, index ?? null),
    reads.getValueCount(feedId),
  ])
  if (feed === null || provenance === null) return null
  const recipe = given ?? provenance.recipe
  const { attested } = provenance
  const rows = recipe === null ? [] : await readRows(recipe, attested.period, options)
  const read = async (each: number) => {
    const value = await reads.getValueAt(feedId, each)
    if (value === null) throw new TypeError(`${feedId} has ${count} values but none at index ${each}`)
    return { attested: value }
  }
  const found = await recheckWithLater({ feed, recipe, attested, rows }, attested.index, { count, read })
  return { ...provenance, recipe, ...found }
}

async function readRows(
  recipe: Recipe,
  period: number,
  { signal, baseUrl = 'https://api.eia.gov', ...options }: Omit<RecheckOptions, 'index' | 'recipe'>,
): Promise<readonly EiaRow[]> {
  const eia = createEiaClient({ ...options, baseUrl, requestsPerSecond: REQUESTS_PER_SECOND })
  return (await listRowsFrom(eia, recipe, period, signal)).get(period) ?? []
}
