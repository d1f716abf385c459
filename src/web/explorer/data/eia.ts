import { signal } from '@preact/signals'

/** The origin of EIA's API: the only other one that the page's Content-Security-Policy allows. */
export const EIA_ORIGIN = 'https://api.eia.gov'

/**
 * The reader's key for EIA's API, or null. It is kept in memory until the page is closed: never in the address, in storage,
 * in a log, or in a request to another server.
 */
export const eiaKey = signal<string | null>(null)

const PROBE_MS = 5_000

/**
 * Explains why a request to EIA's API failed in this browser. Requests it once more, without the key and in `no-cors` mode,
 * to tell a blocked answer from an unreachable server.
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
    return 'EIA’s API is reachable, but did not allow this page to read its answer. EIA may not allow pages of other sites, or may not know the key.'
  } catch {
    return 'EIA’s API cannot be reached from this browser. The network, a firewall or an extension may block it.'
  }
}
