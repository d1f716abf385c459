import { signal } from '@preact/signals'

/** Where EIA's API is: the one other server that the page's policy lets it ask. */
export const EIA_ORIGIN = 'https://api.eia.gov'

/**
 * The reader's key for EIA's API; null where none was given. It lives here alone, until the page is closed: never in the
 * address, in storage, in a log, or in a request to any server but EIA's.
 */
export const eiaKey = signal<string | null>(null)

const PROBE_MS = 5_000

/**
 * Finds out, in words, why EIA's API gave this browser nothing: asks it once more, without the key, for an answer that no
 * page may read.
 */
export async function explainSilence(): Promise<string> {
  if (!navigator.onLine) return 'This browser is offline.'
  try {
    await fetch(`${EIA_ORIGIN}/v2/`, {
      mode: 'no-cors',
      cache: 'no-store',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.timeout(PROBE_MS),
    })
    return 'EIA’s API is there, but did not let this page read its answer: it may do so for pages of other sites, or for a key that it does not know.'
  } catch {
    return 'EIA’s API cannot be reached from this browser: a network, a firewall or an extension stands in the way.'
  }
}
