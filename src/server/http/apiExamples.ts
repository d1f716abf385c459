import type {
  AttesterBody,
  CalendarBody,
  DatasetsBody,
  FeedAbsenceBody,
  FeedProofBody,
  FeedsProofBody,
  HistoryBody,
  HistoryProofBody,
  ProvenanceBody,
  ReadingBody,
  ReadingsBody,
  ReadyBody,
  RecentBody,
  StatusBody,
  TransactionBody,
} from '../../api/schemas.ts'
import { FeedNotFoundError } from '../notFound.ts'

/* Examples of the OpenAPI document. */

export const exampleReading: ReadingBody = {
  feed_id: 'EIA.NG.PRICE.HENRYHUB.DAILY',
  decimals: 6,
  unit: '$/MMBtu',
  title: 'NG PRICE HENRYHUB DAILY',
  source: 'EIA',
  route: 'natural-gas/pri/fut',
  frequency: 'daily',
  description: 'Series series=RNGWHHD of natural-gas/pri/fut, column value',
  value: 3.04938,
  amount: '3049380',
  period: 20261120,
  source_hash: '88450b082ec4df2fdccd3a626c6e489b',
  updated_at: 1795168726426,
}

export const exampleHistory = {
  feed_id: exampleReading.feed_id,
  decimals: exampleReading.decimals,
  unit: exampleReading.unit,
  frequency: exampleReading.frequency,
  count: 42,
  items: [
    {
      index: 41,
      period: exampleReading.period,
      period_start: '2026-11-20',
      period_end: '2026-11-20',
      value: exampleReading.value,
      amount: exampleReading.amount,
      revision: 0,
      source_hash: exampleReading.source_hash,
      attester: 'account-hash-8d0c1f5a7e1f4b0a9b7e2c3d4f5a6b7c8d9e0f1a2b3c4d5e6f708192a3b4c5d6',
      attested_at: exampleReading.updated_at,
    },
  ],
  next: '/v1/feeds/EIA.NG.PRICE.HENRYHUB.DAILY/history?after=41&limit=1&order=desc',
  permalink: '/v1/feeds/EIA.NG.PRICE.HENRYHUB.DAILY/history?from=41&to=42&order=desc&pin=88450b082ec4df2f',
} satisfies HistoryBody

export const exampleReadings: ReadingsBody = {
  count: 2,
  results: [
    {
      feed_id: exampleReading.feed_id,
      status: 200,
      reading: { value: exampleReading.value, period: exampleReading.period },
    },
    {
      feed_id: 'EIA.NO.SUCH.FEED',
      status: 404,
      error: new FeedNotFoundError('EIA.NO.SUCH.FEED', null).message,
    },
  ],
}

export const exampleRecent: RecentBody = {
  count: 2,
  results: [
    {
      feed_id: exampleReading.feed_id,
      status: 200,
      decimals: exampleReading.decimals,
      unit: exampleReading.unit,
      frequency: exampleReading.frequency,
      count: 42,
      updated_at: exampleReading.updated_at,
      items: [
        {
          period: 20261119,
          period_start: '2026-11-19',
          period_end: '2026-11-19',
          value: 3.01,
          amount: '3010000',
        },
        {
          period: exampleReading.period,
          period_start: '2026-11-20',
          period_end: '2026-11-20',
          value: exampleReading.value,
          amount: exampleReading.amount,
        },
      ],
    },
    {
      feed_id: 'EIA.NO.SUCH.FEED',
      status: 404,
      error: new FeedNotFoundError('EIA.NO.SUCH.FEED', null).message,
      retry_after_s: null,
    },
  ],
}

const HASH = '2b16df53b1bdbd6b1c5d2d4d3f1b8a6c1f7c9bb2a1b0a6f28e3cf6c5a7d9e041'

const exampleBlock = { header: { era_id: 1, height: 11 }, hash: HASH, proofs: [] }

export const exampleProof: FeedProofBody = {
  format: 2,
  reading: exampleReading,
  count: 41,
  registries: {
    chain_name: 'casper-test',
    feed_registry_package_hash: HASH,
    attestation_registry_package_hash: HASH,
  },
  items: [
    {
      registry: 'FeedRegistry',
      key: `hash-${HASH}`,
      stored_value: { ContractPackage: {} },
      merkle_proof: '01000000…',
    },
  ],
  block: exampleBlock,
  switch_blocks: [exampleBlock],
}

export const exampleFeedsProof: FeedsProofBody = {
  format: 2,
  feed_count: 1,
  feed_ids: [exampleReading.feed_id],
  registries: exampleProof.registries,
  items: exampleProof.items,
  block: exampleBlock,
  switch_blocks: [exampleBlock],
}

export const exampleHistoryProof: HistoryProofBody = {
  format: 2,
  feed_id: exampleReading.feed_id,
  count: 1,
  values: [
    {
      period: exampleReading.period,
      amount: exampleReading.amount,
      source_hash: exampleReading.source_hash,
      attester: `account-hash-${HASH}`,
      timestamp: exampleReading.updated_at,
    },
  ],
  registries: exampleProof.registries,
  items: exampleProof.items,
  block: exampleBlock,
  switch_blocks: [exampleBlock],
}

export const exampleAbsence: FeedAbsenceBody = {
  error: new FeedNotFoundError('EIA.NO.SUCH.FEED', null).message,
  absence: {
    format: 2,
    feed_id: 'EIA.NO.SUCH.FEED',
    absent: 'feed',
    registries: exampleProof.registries,
    items: exampleProof.items,
    evidence: { trie_elements: ['0101…'] },
    block: exampleBlock,
    switch_blocks: [exampleBlock],
  },
}

export const exampleProvenance: ProvenanceBody = {
  recipe: {
    route: exampleReading.route,
    frequency: exampleReading.frequency,
    column: 'value',
    facets: { series: 'RNGWHHD' },
    unit: '$/MMBTU',
  },
  recipe_source: 'description',
  attested: {
    index: 41,
    period: exampleReading.period,
    amount: exampleReading.amount,
    source_hash: exampleReading.source_hash,
  },
  canonical_template:
    '{"route":"natural-gas/pri/fut","frequency":"daily","facets":[["series","RNGWHHD"]],"period":"2026-11-20","value":"{value}","unit":"$/MMBTU"}',
  api_url:
    'https://api.eia.gov/v2/natural-gas/pri/fut/data?frequency=daily&data%5B0%5D=value&facets%5Bseries%5D%5B%5D=RNGWHHD&sort%5B0%5D%5Bcolumn%5D=period&sort%5B0%5D%5Bdirection%5D=desc&offset=0&length=5000&start=2026-11-20&end=2026-11-20',
  claimant: 'account-hash-8d0c1f5a7e1f4b0a9b7e2c3d4f5a6b7c8d9e0f1a2b3c4d5e6f708192a3b4c5d6',
  chain_name: 'casper-test',
}

export const exampleAttester: AttesterBody = {
  feed_id: exampleReading.feed_id,
  account: exampleProvenance.claimant,
  chain_name: 'casper-test',
  authority: {
    keys: ['1f', '4b', '7c', 'a9', 'e2'].map((each) => ({
      account_hash: `account-hash-${each.repeat(32)}`,
      weight: 1,
    })),
    thresholds: { deployment: 4, key_management: 4 },
    min_signers: 4,
  },
}

export const exampleTransaction: TransactionBody = {
  feed_id: exampleReading.feed_id,
  index: 41,
  transaction_hash: '4c'.repeat(32),
  block: { hash: '9d'.repeat(32), height: 5_120_044, timestamp: exampleReading.updated_at },
  is_listed: true,
  initiator: exampleProvenance.claimant,
  signers: [
    { public_key: `01${'5e'.repeat(32)}`, account_hash: `account-hash-${'1f'.repeat(32)}`, weight: 1 },
  ],
}

export const exampleStatus: StatusBody = {
  feed_id: 'EIA.NG.STORAGE.L48_WORKING.WEEKLY',
  frequency: 'weekly',
  period: 20261113,
  period_start: '2026-11-07',
  period_end: '2026-11-13',
  attested_at: 1795102272040,
  age_ms: 254927960,
  cadence: {
    rule: 'natural-gas-storage',
    valid_from: '2015-11-06',
    basis: 'EIA’s notice of 5 November 2015 (ir.eia.gov/ngs/notice.html)',
    is_assumed: false,
  },
  expected_period: 20261113,
  due_at: 1795102200000,
  due_on: '2026-11-19',
  next_due_at: 1795626000000,
  next_due_on: '2026-11-25',
  max_age_ms: 716400000,
  state: 'current',
  gaps: [],
}

export const exampleCalendar: CalendarBody = {
  notice: null,
  icalendar: '/calendar.ics',
  atom: '/feed.atom',
  schedules: [
    {
      schedule: 'natural-gas-storage',
      rule: 'natural-gas-storage',
      valid_from: '2015-11-06',
      says: 'Thursday 10:30; Wednesday 12:00 if Thursday is a federal holiday; Friday 10:30 after one on Tuesday or Wednesday',
      basis: 'EIA’s notice of 5 November 2015 (ir.eia.gov/ngs/notice.html)',
      is_assumed: false,
      grace_ms: 21600000,
      feed_ids: ['EIA.NG.STORAGE.L48_WORKING.WEEKLY'],
    },
  ],
  releases: [
    {
      schedule: 'natural-gas-storage',
      frequency: 'weekly',
      period: 20261120,
      period_start: '2026-11-14',
      period_end: '2026-11-20',
      due_at: 1795626000000,
      due_on: '2026-11-25',
      moved: { by: 'Thanksgiving Day', usual_at: 1795707000000 },
      sequence: 1,
    },
  ],
  punctuality: { releases: 1, on_time: 1, share_on_time: 1, median_delay_ms: 72040 },
  feeds: [
    {
      feed_id: 'EIA.NG.STORAGE.L48_WORKING.WEEKLY',
      frequency: 'weekly',
      schedule: 'natural-gas-storage',
      punctuality: { releases: 1, on_time: 1, share_on_time: 1, median_delay_ms: 72040 },
      past: [
        {
          period: 20261113,
          period_start: '2026-11-07',
          period_end: '2026-11-13',
          due_at: 1795102200000,
          due_on: '2026-11-19',
          attested_at: 1795102272040,
          delay_ms: 72040,
          is_on_time: true,
        },
      ],
    },
  ],
}

export const exampleReady: ReadyBody = {
  ready: true,
  checks: { node: true, chain: true, feed_registry: true, attestation_registry: true, fresh: true },
  measured: { root_age_ms: 41, rpc_ms: 38, feeds: 43, block_age_ms: 5_120, undecodable: 0 },
  verification: null,
}

export const exampleDatasets: DatasetsBody = {
  total: 1,
  datasets: [
    {
      route: 'petroleum/stoc/cu',
      name: 'Crude Oil Stocks at Tank Farms & Pipelines',
      frequencies: ['monthly', 'annual'],
      columns: ['value'],
      facets: ['duoarea', 'product', 'process', 'series'],
    },
  ],
}
