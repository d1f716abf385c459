import type {
  Attestation,
  AttestingTransaction,
  Client,
  FeedProof,
  FeedsProof,
  HistoryProof,
  Reading,
  Snapshot,
} from 'wattfeed'

/** A state root of the fake client. */
export const stateRootHash = '2b16df53b1bdbd6b1c5d2d4d3f1b8a6c1f7c9bb2a1b0a6f28e3cf6c5a7d9e041'

/** When the fake client's state root was fetched. */
export const fetchedAt = 1_795_168_800_000

/** A reading from the client, with `fields` replaced. */
export const readingOf = (fields: Partial<Reading> = {}): Reading => ({
  decimals: 6,
  unit: '$/MMBtu',
  title: 'NG PRICE HENRYHUB DAILY',
  source: 'EIA',
  route: 'natural-gas/pri/fut',
  frequency: 'daily',
  description: 'Series series=RNGWHHD of natural-gas/pri/fut, column value',
  feed_id: 'EIA.NG.PRICE.HENRYHUB.DAILY',
  value: 3.04938,
  amount: 3049380n,
  period: 20261120,
  source_hash: '88450b082ec4df2fdccd3a626c6e489b',
  updated_at: 1795168726426,
  ...fields,
})

/** The data of the fake client. If a function throws, so does the read. */
export interface FakeChain {
  readings?: readonly Reading[]
  snapshot?: () => Promise<void>
  getReading?: (feedId: string) => Promise<Reading | null>
  listReadings?: () => Promise<readonly Reading[]>
  feedCount?: () => Promise<number>
  totalAttestations?: () => Promise<number>
  stateRootHash?: () => string
  getLogLengths?: () => Promise<string | null>
  getValueHistory?: Client['getValueHistory']
  getValueCount?: Client['getValueCount']
  getFeedProof?: Client['getFeedProof']
  getTransaction?: Client['getTransaction']
  getFeedAbsence?: Client['getFeedAbsence']
  getFeedsProof?: Client['getFeedsProof']
  getHistoryProof?: Client['getHistoryProof']
  status?: Client['status']
  /** Age of the state root in milliseconds. @default 41 */
  ageMs?: number
}

/** A proof with a valid structure that proves nothing. */
export function proofOf(reading: Reading): FeedProof {
  const hash = 'ab'.repeat(32)
  const block = { header: { height: 11 }, hash, proofs: [] }
  return {
    format: 2,
    reading: { ...reading, amount: String(reading.amount) },
    count: 1,
    registries: {
      chain_name: 'casper-test',
      feed_registry_package_hash: hash,
      attestation_registry_package_hash: hash,
    },
    items: [{ registry: 'FeedRegistry', key: `hash-${hash}`, stored_value: {}, merkle_proof: '01' }],
    block,
    switch_blocks: [block],
  }
}

/** A proof of a list with a valid structure that proves nothing. */
export function feedsProofOf(readings: readonly Reading[]): FeedsProof {
  const { registries, items, block, switch_blocks } = proofOf(readingOf())
  const feed_ids = readings.map(({ feed_id }) => feed_id)
  return { format: 2, feed_count: feed_ids.length, feed_ids, registries, items, block, switch_blocks }
}

/** A proof of a history with a valid structure that proves nothing. */
function historyProofOf(reading: Reading): HistoryProof {
  const { registries, items, block, switch_blocks } = proofOf(reading)
  const { feed_id, period, amount, source_hash, updated_at: timestamp } = reading
  const value = { period, amount: String(amount), source_hash, timestamp, attester: 'account-hash-00' }
  return { format: 2, feed_id, count: 1, values: [value], registries, items, block, switch_blocks }
}

/** A transaction in block `height`. */
export const transactionOf = (height: number): AttestingTransaction => ({
  transactionHash: 'cd'.repeat(32),
  block: { hash: 'ef'.repeat(32), height, timestamp: 1_795_168_726_426 },
  isListed: true,
  initiator: `account-hash-${'00'.repeat(32)}`,
  signers: [{ publicKey: `01${'11'.repeat(32)}`, accountHash: `account-hash-${'22'.repeat(32)}`, weight: 1 }],
})

const attestationOf = (reading: Reading | undefined): Attestation | null =>
  reading === undefined ? null : { ...reading, timestamp: reading.updated_at, attester: 'account-hash-00' }

const unused = (): Promise<never> => Promise.reject(new Error('the server does not read this'))

/** A client that answers from memory, always the same objects. */
export function createFakeClient(chain: FakeChain = {}): Client {
  const { readings = [readingOf()] } = chain
  const byId = new Map(readings.map((reading) => [reading.feed_id, reading]))
  const reads = {
    getReading: chain.getReading ?? (async (feedId: string) => byId.get(feedId) ?? null),
    listReadings: chain.listReadings ?? (async () => readings),
    feedCount: chain.feedCount ?? (async () => readings.length),
    totalAttestations: chain.totalAttestations ?? (async () => 7),
    getValue: unused,
    getFeed: async (feedId: string) => byId.get(feedId) ?? null,
    feedIdAt: unused,
    listFeedIds: unused,
    getValueAt: async (feedId: string, index: number) =>
      index === 0 ? attestationOf(byId.get(feedId)) : null,
    getValueCount: chain.getValueCount ?? (async (feedId: string) => (byId.has(feedId) ? 1 : 0)),
    getValueHistory:
      chain.getValueHistory ??
      (async (feedId: string) => [attestationOf(byId.get(feedId))].filter((value) => value !== null)),
    getFirstPartyAttester: async () => `account-hash-${'00'.repeat(32)}`,
    getAttester: async (feedId: string) =>
      byId.has(feedId) ? { account: `account-hash-${'00'.repeat(32)}`, authority: null } : null,
    getClaimant: async () => `account-hash-${'00'.repeat(32)}`,
    getLogLengths: chain.getLogLengths ?? (async () => 'f36.a1204'),
  }
  const at: Snapshot = {
    ...reads,
    stateRootHash,
    fetchedAt,
    ageMs: () => chain.ageMs ?? 41,
    verification: null,
    logs: async () => ({
      chain,
      packageHashes: { FeedRegistry: 'ab'.repeat(32), AttestationRegistry: 'cd'.repeat(32) },
      lengths: { FeedRegistry: 0, AttestationRegistry: 0 },
      entries: new Map(readings.map((reading) => [reading.feed_id, { feed: reading, reading }])),
      readEvent: unused,
    }),
  }
  const snapshot = async (): Promise<Snapshot> => {
    await chain.snapshot?.()
    return chain.stateRootHash ? { ...at, stateRootHash: chain.stateRootHash() } : at
  }
  const getProof = async (feedId: string): Promise<FeedProof | null> => {
    const reading = await reads.getReading(feedId)
    return reading && proofOf(reading)
  }
  return {
    ...reads,
    snapshot,
    withSnapshot: async (read) => read(await snapshot()),
    getFeedProof: chain.getFeedProof ?? getProof,
    getTransaction: chain.getTransaction ?? (async (_, index) => transactionOf(index)),
    getFeedAbsence: chain.getFeedAbsence ?? (async () => null),
    getHistoryProof:
      chain.getHistoryProof ??
      (async (feedId) => {
        const reading = await reads.getReading(feedId)
        return reading && historyProofOf(reading)
      }),
    getFeedsProof: chain.getFeedsProof ?? (async () => feedsProofOf(readings)),
    status:
      chain.status ??
      (() => ({
        block: null,
        protocolVersion: null,
        feeds: readings.length,
        undecodable: 0,
        absenceShownBy: null,
      })),
  }
}
