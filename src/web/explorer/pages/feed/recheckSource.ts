import type { Recheck } from 'wattfeed/provenance'
import type { ProvenanceBody } from '../../../../api/schemas.ts'
import { EIA_ORIGIN, explainSilence } from '../../data/eia.ts'
import type { FeedReading } from '../../data/readings.ts'

/** EIA was not requested, or its answer cannot be hashed. No message contains the key. */
export class SourceUnavailableError extends Error {}

/**
 * Reads the attested row from EIA, and recomputes its hash in this browser. The key is sent only to EIA.
 *
 * @throws {SourceUnavailableError} when there is no recipe or EIA does not return the row
 */
export async function recheckSource(
  feed: FeedReading,
  { recipe, attested, api_url }: ProvenanceBody,
  apiKey: string,
): Promise<Recheck> {
  if (recipe === null || api_url === null)
    throw new SourceUnavailableError('The recipe of this feed is not known.')
  const url = URL.canParse(api_url) ? new URL(api_url) : null
  // The address comes from the server, which must not learn the key.
  if (url?.origin !== EIA_ORIGIN)
    throw new SourceUnavailableError('The address from the server is not EIA’s.')
  url.searchParams.set('api_key', apiKey)
  const body = await ask(url)
  const { recheckBody } = await import('./recheckBody.ts')
  try {
    return recheckBody(body, { feed, recipe, attested: { ...attested, amount: BigInt(attested.amount) } })
  } catch {
    throw new SourceUnavailableError('EIA’s answer does not contain rows of this series.')
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
  if (response.status === 403) throw new SourceUnavailableError('EIA rejected this key.')
  if (!response.ok) throw new SourceUnavailableError(`EIA’s API answered with ${response.status}.`)
  return response.text()
}
