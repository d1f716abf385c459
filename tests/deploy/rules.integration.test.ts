import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { hasPrometheus, type RuleCase, readRules, type Samples, testRules } from './support/prometheus.ts'

let folder: Folder
beforeAll(() => {
  folder = createFolder()
})
afterAll(() => folder[Symbol.dispose]())

const SERVER = 'job="wattfeed-server",instance="one:4030"'
const OTHER_SERVER = 'job="wattfeed-server",instance="two:4030"'
const AGENT = 'job="wattfeed-agent",instance="agent:4031"'
const FEED = `${AGENT},feed_id="EIA.PET.PRICE.WTI.DAILY"`

const up = (labels: string): string => `up{${labels}}`
const requests = (labels: string, kind = 'count'): string =>
  `wattfeed_http_request_duration_seconds_${kind}{${SERVER},method="GET",${labels}}`
const rejected = (code: string): string => `wattfeed_rpc_rejected_total{${SERVER},host="node",code="${code}"}`
const node = `{${SERVER},host="node",method="query_global_state"}`
const states = (state: string): string => `wattfeed_feed_states{${SERVER},state="${state}"}`
const dropped = (reason: string): string => `wattfeed_streams_dropped_total{${SERVER},reason="${reason}"}`
const lag = (le: string): string => `wattfeed_stream_lag_seconds_bucket{${SERVER},le="${le}"}`
const agent = (name: string, labels = AGENT): string => `wattfeed_agent_${name}{${labels}}`

/** A gauge with an unknown value. */
const UNKNOWN = 'NaN '.repeat(30).trim()

/** By alert: the minutes until it fires, samples with which it fires once, and samples with which it does not. */
const cases: Record<string, [minutes: number, fires: Samples, silent: readonly Samples[]]> = {
  WattfeedNoServer: [
    10,
    { [up(SERVER)]: '1 1 0x20', [up(OTHER_SERVER)]: '1 0x20' },
    [{ [up(SERVER)]: '0x20', [up(OTHER_SERVER)]: '1x20' }],
  ],
  WattfeedServerDown: [
    10,
    { [up(SERVER)]: '1 0x20', [up(OTHER_SERVER)]: '1x20' },
    [{ [up(SERVER)]: '1x20', [up(AGENT)]: '0x20' }, { [up(SERVER)]: '1x6 0x20' }],
  ],
  WattfeedNeverRead: [
    10,
    { [`wattfeed_feeds{${SERVER}}`]: UNKNOWN },
    [{ [`wattfeed_feeds{${SERVER}}`]: '36x30' }, { [`wattfeed_feeds{${SERVER}}`]: 'NaN NaN 36x30' }],
  ],
  WattfeedRootStale: [
    10,
    {
      [`wattfeed_snapshot_age_seconds{${SERVER}}`]: '60+60x20',
      [requests('endpoint="/ready",status="503"')]: '0+12x20',
    },
    [
      {
        [`wattfeed_snapshot_age_seconds{${SERVER}}`]: '1x20',
        [requests('endpoint="/ready",status="200"')]: '0+12x20',
      },
      // Nobody asks.
      {
        [`wattfeed_snapshot_age_seconds{${SERVER}}`]: '60+60x20',
        [requests('endpoint="/ready",status="200"')]: '12x20',
      },
      {
        [`wattfeed_snapshot_age_seconds{${SERVER}}`]: UNKNOWN,
        [requests('endpoint="/ready",status="200"')]: '0+12x20',
      },
    ],
  ],
  WattfeedChainStale: [
    15,
    { [`wattfeed_block_age_seconds{${SERVER}}`]: '10+60x20' },
    [
      { [`wattfeed_block_age_seconds{${SERVER}}`]: '16x20' },
      { [`wattfeed_block_age_seconds{${SERVER}}`]: UNKNOWN },
    ],
  ],
  WattfeedVerificationFailing: [
    20,
    // The first one, too.
    { [rejected('merkle_proof')]: '_x17 1 1 1 1' },
    [{ [rejected('merkle_proof')]: '4x30' }, { [rejected('stale_node')]: '0+1x30' }],
  ],
  WattfeedVerifiedBlockOld: [
    15,
    { [`wattfeed_verified_block_age_seconds{${SERVER}}`]: '10+60x20' },
    [
      { [`wattfeed_verified_block_age_seconds{${SERVER}}`]: '20x20' },
      { [`wattfeed_verified_block_age_seconds{${SERVER}}`]: UNKNOWN },
    ],
  ],
  WattfeedFeedsLate: [
    70,
    { [states('late')]: '2x100', [states('current')]: '41x100' },
    [
      { [states('late')]: '0x100', [states('due')]: '9x100', [states('current')]: '34x100' },
      { [states('late')]: '0x20 2x100' },
    ],
  ],
  WattfeedFeedsUndecodable: [
    15,
    { [`wattfeed_feeds_undecodable{${SERVER}}`]: '1x20' },
    [
      { [`wattfeed_feeds_undecodable{${SERVER}}`]: '0x20' },
      { [`wattfeed_feeds_undecodable{${SERVER}}`]: UNKNOWN },
    ],
  ],
  WattfeedErrors: [
    15,
    {
      [requests('endpoint="/v1/feeds",status="200"')]: '0+90x20',
      [requests('endpoint="/v1/feeds",status="502"')]: '0+10x20',
    },
    [
      {
        [requests('endpoint="/v1/feeds",status="200"')]: '0+99x20',
        [requests('endpoint="/v1/feeds",status="502"')]: '0+1x20',
      },
      {
        [requests('endpoint="/v1/feeds",status="200"')]: '0+90x20',
        [requests('endpoint="/v1/stream",status="503"')]: '0+10x20',
      },
      { [requests('endpoint="/v1/feeds",status="502"')]: '0x20' },
    ],
  ],
  WattfeedInternalErrors: [
    20,
    { [requests('endpoint="/v1/feeds",status="500"')]: '_x17 1 1 1 1' },
    [
      { [requests('endpoint="/v1/feeds",status="500"')]: '3x30' },
      { [requests('endpoint="/v1/feeds",status="502"')]: '0+1x30' },
    ],
  ],
  WattfeedDeadlines: [
    25,
    {
      [requests('endpoint="/v1/feeds",status="200",le="5"', 'bucket')]: '0+95x30',
      [requests('endpoint="/v1/feeds",status="200"')]: '0+100x30',
    },
    [
      {
        [requests('endpoint="/v1/feeds",status="200",le="5"', 'bucket')]: '0+100x30',
        [requests('endpoint="/v1/feeds",status="200"')]: '0+100x30',
        [requests('endpoint="/v1/stream",status="503",le="5"', 'bucket')]: '0x30',
        [requests('endpoint="/v1/stream",status="503"')]: '0+100x30',
      },
    ],
  ],
  WattfeedNodeFailing: [
    25,
    {
      [`wattfeed_rpc_errors_total{${SERVER},host="node",method="query_global_state",code="transport"}`]:
        '0+5x30',
      [`wattfeed_rpc_calls_total${node}`]: '0+10x30',
    },
    [
      {
        [`wattfeed_rpc_errors_total{${SERVER},host="node",method="query_global_state",code="transport"}`]:
          '0+1x30',
        [`wattfeed_rpc_calls_total${node}`]: '0+10x30',
      },
    ],
  ],
  WattfeedStreamsLag: [
    50,
    { [lag('64')]: '0x60', [lag('128')]: '0+5x60', [lag('+Inf')]: '0+5x60' },
    [
      { [lag('32')]: '0+5x60', [lag('128')]: '0+5x60', [lag('+Inf')]: '0+5x60' },
      { [lag('64')]: '0x60', [lag('+Inf')]: '0x60' },
    ],
  ],
  WattfeedStreamsFailing: [
    20,
    { [dropped('failed')]: '_x17 1 1 1 1' },
    [{ [dropped('overflow')]: '0+1x30', [dropped('failed')]: '2x30' }],
  ],
  WattfeedAgentDown: [
    15,
    { [up(AGENT)]: '1 1 0x20', [up(SERVER)]: '1x20' },
    [{ [up(AGENT)]: '1x20' }, { [up(AGENT)]: '1x12 0x5' }],
  ],
  WattfeedAgentNothingWorks: [
    140,
    { [agent('last_success_timestamp_seconds', FEED)]: '0x200' },
    // One feed is enough.
    [
      {
        [agent('last_success_timestamp_seconds', FEED)]: '0x200',
        [agent('last_success_timestamp_seconds', `${AGENT},feed_id="B"`)]: '0+60x200',
      },
    ],
  ],
  WattfeedAgentFeedFailing: [
    370,
    { [agent('feed_failing', FEED)]: '0 1x400' },
    [{ [agent('feed_failing', FEED)]: '1x300 0 1x99' }],
  ],
  WattfeedAgentFeedLate: [
    20,
    { [agent('feed_late', FEED)]: '0 1x30' },
    [{ [agent('feed_late', FEED)]: '0x30' }, { [agent('feed_late', FEED)]: '1x5 0 1x10' }],
  ],
  WattfeedAgentClockOff: [
    10,
    { [agent('clock_ahead_seconds', `${AGENT},host="node"`)]: '-31x20' },
    [
      { [agent('clock_ahead_seconds', `${AGENT},host="node"`)]: '30x20' },
      { [agent('clock_ahead_seconds', `${AGENT},host="node"`)]: '90 0x20' },
    ],
  ],
  WattfeedAgentOtherWriter: [
    30,
    { [agent('other_writer_attestations_total')]: '0x10 1x30' },
    [{ [agent('other_writer_attestations_total')]: '3x40' }],
  ],
  WattfeedAgentOlderThanChain: [
    370,
    { [agent('health_reason', `${AGENT},reason="older_than_chain"`)]: '1x400' },
    [
      { [agent('health_reason', `${AGENT},reason="older_than_chain"`)]: '1x300 _x20 1x80' },
      { [agent('health_reason', `${AGENT},reason="late"`)]: '1x400' },
    ],
  ],
  WattfeedAgentMissingPeriods: [
    370,
    { [agent('missing_periods', FEED)]: '400-1x400' },
    [{ [agent('missing_periods', FEED)]: '40-1x40 0x400' }],
  ],
  WattfeedAgentThrottled: [
    70,
    { [`wattfeed_eia_throttled_total{${AGENT}}`]: '0x10 0+1x60' },
    [{ [`wattfeed_eia_throttled_total{${AGENT}}`]: '0x50 1 2 2x60' }],
  ],
  WattfeedAgentBalanceLow: [
    20,
    { [agent('balance_days')]: '13x30' },
    [{ [agent('balance_days')]: '30x30' }, { [agent('balance_days')]: UNKNOWN }],
  ],
  WattfeedAgentBalanceGone: [20, { [agent('balance_days')]: '2x30' }, [{ [agent('balance_days')]: '13x30' }]],
  WattfeedAgentPending: [
    40,
    { [agent('pending_transactions')]: '1x50' },
    [{ [agent('pending_transactions')]: '1x20 0 1x50' }, { [agent('pending_transactions')]: '0x50' }],
  ],
  WattfeedAgentFeedsFileFaulty: [
    15,
    { [agent('feeds_file_faulty')]: '0 1x20' },
    [{ [agent('feeds_file_faulty')]: '0x20' }],
  ],
  WattfeedCommitteeStopped: [
    15,
    { [agent('health_reason', `${AGENT},reason="signs_nothing"`)]: '1x20' },
    [{ [agent('health_reason', `${AGENT},reason="signs_nothing"`)]: '1x3 _x17' }],
  ],
  WattfeedCommitteeMemberAbsent: [
    30,
    { [`wattfeed_committee_last_seen_timestamp_seconds{${AGENT},member="north"}`]: '0x40' },
    [{ [`wattfeed_committee_last_seen_timestamp_seconds{${AGENT},member="north"}`]: '0+60x40' }],
  ],
  WattfeedCommitteeDisagrees: [
    20,
    { [agent('errors_total', `${AGENT},code="quorum_disagreed"`)]: '_x10 1x20' },
    [
      { [agent('errors_total', `${AGENT},code="waiting_for_approvals"`)]: '_x10 1x20' },
      { [agent('errors_total', `${AGENT},code="quorum_disagreed"`)]: '_' },
    ],
  ],
  WattfeedCommitteeNoCommonRoot: [
    15,
    { [agent('health_reason', `${AGENT},reason="no_common_root"`)]: '1x20' },
    [{ [agent('health_reason', `${AGENT},reason="no_common_root"`)]: '1x3 _x17' }],
  ],
  WattfeedCommitteeEquivocation: [
    10,
    { [agent('health_reason', `${AGENT},reason="equivocation"`)]: '1x20' },
    [{ [agent('health_reason', `${AGENT},reason="late"`)]: '1x20' }],
  ],
}

describe.skipIf(!hasPrometheus)('the rules', () => {
  const allCases: RuleCase[] = Object.entries(cases).flatMap(([alert, [minutes, fires, silent]]) => [
    { alert, minutes, samples: fires, firing: 1 },
    ...silent.map((samples) => ({ alert, minutes, samples, firing: 0 })),
  ])

  test('default: each rule fires when it should, and only then', async () => {
    expect(Object.keys(cases)).toEqual(readRules().map(({ alert }) => alert))
    const { exitCode, stdout, stderr } = await testRules(allCases, folder.path)
    expect([exitCode, exitCode === 0 ? '' : stdout + stderr]).toEqual([0, ''])
  })

  test('error: promtool finds a rule that does not fire', async () => {
    const [first] = allCases
    const wrong = first === undefined ? [] : [{ ...first, firing: 0 }]
    expect((await testRules(wrong, folder.path)).exitCode).toBe(1)
  })
})

test('the rules > behavior: each names its recipient and the fix', () => {
  for (const { alert, labels, annotations } of readRules()) {
    expect([alert, ['page', 'ticket'].includes(labels.severity)]).toEqual([alert, true])
    expect([alert, annotations.summary.length > 10, annotations.description.length > 10]).toEqual([
      alert,
      true,
      true,
    ])
  }
})
