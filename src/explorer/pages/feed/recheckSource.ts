import type { Recipe } from '../../../eia/recipe.ts'
import type { Recheck } from '../../../provenance/recheck.ts'
import { EIA_ORIGIN, explainSilence } from '../../data/eia.ts'
import type { FeedReading } from '../../data/readings.ts'

/** What the server tells of where a value comes from. */
export interface ProvenanceAnswer {
  readonly recipe: Recipe | null
  readonly recipe_source: 'description' | 'built_in' | null
  readonly attested: {
    readonly index: number
    readonly period: number
    readonly amount: string
    readonly source_hash: string
  }
  readonly canonical_template: string | null
  /** EIA's address of the row, without a key. */
  readonly api_url: string | null
  /** Who may attest to the feed; undefined from servers of earlier versions, as is the name of their chain. */
  readonly claimant?: string
  readonly chain_name?: string
}

/** EIA was not asked, or gave no answer that can be hashed. No message holds the key. */
export class SourceUnavailableError extends Error {}

/**
 * Asks EIA for the row that was attested, and recomputes its hash in this browser. The key goes to EIA and nowhere else.
 *
 * @throws {SourceUnavailableError}
 */
export async function recheckSource(
  feed: FeedReading,
  { recipe, attested, api_url }: ProvenanceAnswer,
  apiKey: string,
): Promise<Recheck> {
  if (recipe === null || api_url === null)
    throw new SourceUnavailableError('The recipe of this feed is not known.')
  const url = new URL(api_url)
  // The server names the address, and is not to learn the key.
  if (url.origin !== EIA_ORIGIN)
    throw new SourceUnavailableError('The address that the server names is not EIA’s.')
  url.searchParams.set('api_key', apiKey)
  const body = await ask(url)
  const [{ parseEiaRows }, { recheck }] = await Promise.all([
    import('../../../provenance/parseEiaRows.ts'),
    import('../../../provenance/recheck.ts'),
  ])
  try {
    const rows = parseEiaRows(body, recipe, attested.period)
    return recheck({ feed, recipe, attested: { ...attested, amount: BigInt(attested.amount) }, rows })
  } catch {
    throw new SourceUnavailableError('EIA answered with something else than rows of this series.')
  }
}

async function ask(url: URL): Promise<string> {
  const init: RequestInit = {
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
  }
  const response = await fetch(url, init).catch(() => null)
  if (response === null) throw new SourceUnavailableError(await explainSilence())
  if (response.status === 403) throw new SourceUnavailableError('EIA does not know this key.')
  if (!response.ok) throw new SourceUnavailableError(`EIA’s API answered with ${response.status}.`)
  return response.text()
}
