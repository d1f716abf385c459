import { assertOptions, type OptionNames } from '@wattfeed/base'
import { createEiaClient, type EiaClient, type EiaRow } from '@wattfeed/eia'
import type { Reads } from '../client/reads.ts'
import { readProvenance } from './readProvenance.ts'
import type { Recheck } from './recheck.ts'
import { recheckWithLater } from './recheckWithLater.ts'
import type { Recipe } from './recipe.ts'
import type { Provenance } from './recipes.ts'
import { rowsByPeriod } from './rowsByPeriod.ts'

/** Options of {@link recheckFeed}. */
export interface RecheckOptions {
  /** API key of EIA, free at https://www.eia.gov/opendata/register.php */
  apiKey: string
  /**
   * Index in the feed's history, from 0.
   * @default the newest value
   */
  index?: number
  /**
   * Query of the series at EIA.
   * @default the recipe in the feed's description, or of the built-in feed with this id
   */
  recipe?: Recipe
  /**
   * URL of EIA's API.
   * @default 'https://api.eia.gov'
   */
  baseUrl?: string
  /**
   * Function for HTTP requests.
   * @default globalThis.fetch
   */
  fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** Aborts the requests to EIA. */
  signal?: AbortSignal
}

/** Result of {@link recheckFeed}: the attestation, its provenance and the verdict. */
export type FeedRecheck = Provenance & Recheck

const optionNames: OptionNames<RecheckOptions> = {
  apiKey: 1,
  index: 1,
  recipe: 1,
  baseUrl: 1,
  fetch: 1,
  signal: 1,
}

// EIA suspends keys that send five requests per second.
const REQUESTS_PER_SECOND = 4

/**
 * Reads an attestation of a feed, requests its row from EIA and recomputes the hash.
 *
 * @example
 * ```ts
 * import { createClient } from 'wattfeed'
 * import { recheckFeed } from 'wattfeed/provenance'
 *
 * const found = await recheckFeed(createClient(), 'EIA.PET.PRICE.WTI.DAILY', { apiKey })
 * console.log(found?.verdict, found?.detail) // match 59.91 $/BBL of 2026-11-16
 * ```
 *
 * @param reads - a client or a snapshot, which also verifies the attestation if configured to
 * @returns Null if the id is not registered, or the feed has no such value.
 * @throws {@link InvalidArgumentError} when an option is invalid or `apiKey` is missing; `argument` names it.
 * @throws {@link EiaError} when EIA gives no usable answer. The error never contains the key.
 * @throws {@link WattfeedError} when the chain cannot be read.
 * @rpc chain_get_state_root_hash, query_global_state, state_get_dictionary_item
 */
export async function recheckFeed(
  reads: Reads,
  feedId: string,
  asked: RecheckOptions,
): Promise<FeedRecheck | null> {
  assertOptions(asked, optionNames)
  const { index, recipe: given, signal, baseUrl = 'https://api.eia.gov', ...options } = asked
  const eia = createEiaClient({ ...options, baseUrl, requestsPerSecond: REQUESTS_PER_SECOND })
  const [feed, provenance, count] = await Promise.all([
    reads.getFeed(feedId),
    readProvenance(reads, feedId, index ?? null),
    reads.getValueCount(feedId),
  ])
  if (feed === null || provenance === null) return null
  const recipe = given ?? provenance.recipe
  const { attested } = provenance
  const rows = recipe === null ? [] : await readRows(eia, recipe, attested.period, signal)
  const read = async (each: number) => {
    const value = await reads.getValueAt(feedId, each)
    if (value === null) throw new TypeError(`${feedId} has ${count} values but none at index ${each}`)
    return { attested: value }
  }
  const found = await recheckWithLater({ feed, recipe, attested, rows }, attested.index, { count, read })
  return { ...provenance, recipe, ...found }
}

async function readRows(
  eia: EiaClient,
  recipe: Recipe,
  period: number,
  signal: AbortSignal | undefined,
): Promise<readonly EiaRow[]> {
  return (await rowsByPeriod(eia, recipe, [period], signal)).get(period) ?? []
}
