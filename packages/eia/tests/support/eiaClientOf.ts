import type { Series } from '@wattfeed/eia'
import { createEiaClient, type EiaClient, type EiaClientOptions } from '../../src/createEiaClient.ts'

/** Contains every kind of character that a URL encodes. */
export const apiKey = 'S3cr+t/k3y=%ü 9'

/** A series of `fixtures/eia`. */
export const wti: Series = {
  route: 'petroleum/pri/spt',
  frequency: 'daily',
  column: 'value',
  facets: { series: 'RWTC' },
}

/** A client that never waits. */
export function clientOf(options: Partial<EiaClientOptions> & { baseUrl: string }): EiaClient {
  return createEiaClient({ apiKey, requestsPerSecond: 1000, wait: async () => {}, ...options })
}
