import { type Client, casperTest, type Reading, verifyFeedProof } from 'wattfeed'
import { PERIOD, SOURCE_HASH, wtiFeed } from 'wattfeed/testing/world'
import type { Snapshot } from '../../packages/wattfeed/src/client/snapshot.ts'
import { type FuzzChain, fuzzFeedId, type Truth } from './fuzzChain.ts'

/** One read, in a form that can be compared with the true state at a block. */
export interface FuzzRead {
  name: string
  run(client: Client, at: Client | Snapshot): Promise<unknown>
  /** Returns the expected result for this state. */
  expected(truth: Truth): unknown
}

/** An id that is never registered. */
const MISSING = 'FUZZ.NOT.THERE'

const shownReading = (reading: Reading | null): unknown => {
  if (reading === null) return null
  const { feed_id, title, unit, decimals, description, amount, period, source_hash } = reading
  return { feed_id, title, unit, decimals, description, amount, period, source_hash }
}

function trueReading(truth: Truth, feed_id: string): unknown {
  const feed = truth.get(feed_id)
  const amount = feed?.amounts.at(-1)
  if (feed === undefined || amount === undefined) return null
  const { unit, decimals, description } = wtiFeed
  const fixed = { unit, decimals, description, period: PERIOD, source_hash: SOURCE_HASH }
  return { feed_id, title: feed.title, amount, ...fixed }
}

const getReading = (id: string): FuzzRead => ({
  name: `getReading ${id}`,
  run: async (_, at) => shownReading(await at.getReading(id)),
  expected: (truth) => trueReading(truth, id),
})

export const listReadings: FuzzRead = {
  name: 'listReadings',
  run: async (_, at) => (await at.listReadings()).map(shownReading),
  expected: (truth) => [...truth.keys()].map((id) => trueReading(truth, id)).filter((each) => each !== null),
}

const feedCount: FuzzRead = {
  name: 'feedCount',
  run: (_, at) => at.feedCount(),
  expected: (truth) => truth.size,
}

const listFeedIds: FuzzRead = {
  name: 'listFeedIds',
  run: async (_, at) => [...(await at.listFeedIds())],
  expected: (truth) => [...truth.keys()],
}

const totalAttestations: FuzzRead = {
  name: 'totalAttestations',
  run: (_, at) => at.totalAttestations(),
  expected: (truth) => [...truth.values()].reduce((sum, { amounts }) => sum + amounts.length, 0),
}

const amountsOf = (truth: Truth, id: string): readonly bigint[] => truth.get(id)?.amounts ?? []

const getValue = (id: string): FuzzRead => ({
  name: `getValue ${id}`,
  run: async (_, at) => (await at.getValue(id))?.amount ?? null,
  expected: (truth) => amountsOf(truth, id).at(-1) ?? null,
})

const getFeed = (id: string): FuzzRead => ({
  name: `getFeed ${id}`,
  run: async (_, at) => (await at.getFeed(id))?.title ?? null,
  expected: (truth) => truth.get(id)?.title ?? null,
})

const getValueCount = (id: string): FuzzRead => ({
  name: `getValueCount ${id}`,
  run: (_, at) => at.getValueCount(id),
  expected: (truth) => amountsOf(truth, id).length,
})

const getValueAt = (id: string, index: number): FuzzRead => ({
  name: `getValueAt ${id} ${index}`,
  run: async (_, at) => (await at.getValueAt(id, index))?.amount ?? null,
  expected: (truth) => amountsOf(truth, id)[index] ?? null,
})

const getValueHistory = (id: string, to: number): FuzzRead => ({
  name: `getValueHistory ${id} to ${to}`,
  run: async (_, at) => (await at.getValueHistory(id, { to })).map(({ amount }) => amount),
  expected: (truth) => amountsOf(truth, id).slice(0, to),
})

const feedIdAt = (index: number): FuzzRead => ({
  name: `feedIdAt ${index}`,
  run: (_, at) => at.feedIdAt(index),
  expected: (truth) => [...truth.keys()][index] ?? null,
})

/** Checks the returned proof as a reader who trusts the first block. */
export const getFeedProof = (chain: FuzzChain, id: string): FuzzRead => ({
  name: `getFeedProof ${id}`,
  async run(client) {
    const proof = await client.getFeedProof(id, { from: chain.genesisHash })
    if (proof === null) return null
    const { reading } = await verifyFeedProof(proof, {
      ...casperTest,
      chainName: chain.chainName,
      feedRegistryPackageHash: chain.packages.FeedRegistry,
      attestationRegistryPackageHash: chain.packages.AttestationRegistry,
      trustedBlockHash: chain.genesisHash,
    })
    return reading === null ? 'a proof that does not hold' : shownReading(reading)
  },
  expected: (truth) => trueReading(truth, id),
})

/** Chooses a read at random. */
export function createRead(random: () => number): FuzzRead {
  const id = random() < 0.05 ? MISSING : fuzzFeedId(Math.floor(random() * 9))
  const reads: readonly FuzzRead[] = [
    getReading(id),
    getReading(id),
    listReadings,
    listReadings,
    feedCount,
    listFeedIds,
    totalAttestations,
    getValue(id),
    getFeed(id),
    getValueCount(id),
    getValueAt(id, Math.floor(random() * 6)),
    getValueHistory(id, 1 + Math.floor(random() * 6)),
    feedIdAt(Math.floor(random() * 9)),
  ]
  return reads[Math.floor(random() * reads.length)] ?? listReadings
}

/** The reads of every recovered client. */
export const allReads: readonly FuzzRead[] = [
  listReadings,
  listFeedIds,
  feedCount,
  totalAttestations,
  ...Array.from({ length: 9 }, (_, index) => getReading(fuzzFeedId(index))),
  getValue(fuzzFeedId(1)),
  getFeed(fuzzFeedId(2)),
  getValueHistory(fuzzFeedId(0), 3),
]

/** Whether a value equals another one, or only lacks some of it. */
export function saysLess(value: unknown, expected: unknown): boolean {
  if (Bun.deepEquals(value, expected)) return true
  if (value === null || value === 0) return true
  if (!Array.isArray(value) || !Array.isArray(expected)) return false
  let from = 0
  return value.every((each) => {
    const at = expected.findIndex((other, index) => index >= from && Bun.deepEquals(other, each))
    from = at + 1
    return at >= 0
  })
}
