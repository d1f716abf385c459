import { type FeedConfig, feedMetadata } from '../../../src/agent/feeds/feedConfig.ts'
import type { FeedState } from '../../../src/agent/loop/feedReader.ts'
import type { Prepared, Sender, Sent } from '../../../src/agent/loop/sender.ts'
import type { Reads } from '../../../src/client/reads.ts'
import type { Snapshot } from '../../../src/client/snapshot.ts'
import type { EiaRow } from '../../../src/eia/series.ts'
import type { Attestation } from '../../../src/registry/attestation.ts'
import type { NewAttestation } from '../../../src/registry/calls.ts'

/** A configured feed; the id is made from the name. */
export const feedOf = (name: string, changes: Partial<FeedConfig> = {}): FeedConfig => ({
  feed_id: `EIA.${name}`,
  title: `Feed ${name}`,
  description: `What ${name} measures`,
  source: 'EIA',
  route: 'petroleum/pri/spt',
  frequency: 'daily',
  column: 'value',
  facets: { series: name },
  unit: '$/bbl',
  decimals: 2,
  ...changes,
})

export const rowOf = (changes: Partial<EiaRow> = {}): EiaRow => ({
  period: '2026-11-16',
  value: '59.91',
  unit: '$/BBL',
  statedUnit: '$/BBL',
  ...changes,
})

export const owner = `account-hash-${'aa'.repeat(32)}`

/** Noon of the day on which the tests take place. */
export const NOW = Date.parse('2026-11-20T12:00:00Z')

export const attestationOf = (changes: Partial<Attestation> = {}): Attestation => ({
  period: 20261113,
  amount: 5_900n,
  source_hash: '0'.repeat(32),
  attester: owner,
  timestamp: 1_000,
  ...changes,
})

/** A chain in memory: what it holds of each feed, by id. */
export function createFakeChain(feeds: readonly FeedConfig[]) {
  const states = new Map<string, Omit<FeedState, 'feedId'>>(
    feeds.map((feed) => [feed.feed_id, { feed: feedMetadata(feed), latest: null, claimant: owner }]),
  )
  const absent = { feed: null, latest: null, claimant: null }
  const of = async (feedId: string) => states.get(feedId) ?? absent
  const at: Pick<Reads, 'getFeed' | 'getValue' | 'getClaimant'> = {
    getFeed: async (feedId) => (await of(feedId)).feed,
    getValue: async (feedId) => (await of(feedId)).latest,
    getClaimant: async (feedId) => (await of(feedId)).claimant,
  }
  let snapshots = 0
  return {
    states,
    snapshots: () => snapshots,
    set(feedId: string, changes: Partial<FeedState>): void {
      states.set(feedId, { ...(states.get(feedId) ?? absent), ...changes })
    },
    client: {
      withSnapshot<T>(read: (at: Snapshot) => Promise<T>): Promise<T> {
        snapshots += 1
        return read(at as Snapshot)
      },
    },
  }
}

/** Sends into memory, and remembers what was sent. */
export function createFakeSender(prepared: Partial<Prepared> = {}) {
  const sent: (readonly NewAttestation[])[] = []
  const sender: Sender = {
    // Enough for five of these in a transaction.
    prepare: async () => ({
      offersMany: true,
      paymentMotes: 10_000_000_000n,
      underWay: new Map(),
      assertFree: () => {},
      ...prepared,
    }),
    async send(attestations): Promise<Sent> {
      sent.push(attestations)
      return { transactionHash: `${sent.length}`.padStart(64, '0'), superseded: new Map() }
    },
    drain: async () => new Map(),
  }
  return { sender, sent }
}

/** A wait that ends when the test says so, or when it is aborted. */
export function createManualWait() {
  const waits: { ms: number; end: () => void }[] = []
  const wait = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted()
      waits.push({ ms, end: resolve })
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
  return { wait, waits }
}

/** Lets everything happen that does not wait for something outside. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
