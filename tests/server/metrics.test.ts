import { describe, expect, test } from 'bun:test'
import { createMetrics, registerStatusGauges } from '../../src/server/metrics.ts'
import { registerHistoryGauges } from '../../src/server/readers/historyReaders.ts'
import { createFakeClient } from './fakeClient.ts'

const samples = async (metrics: ReturnType<typeof createMetrics>, name: string): Promise<string[]> =>
  (await metrics.registry.metrics())
    .split('\n')
    .filter((line) => line.startsWith(name) && !line.includes('_bucket'))

describe('createMetrics', () => {
  test('default: all values are unknown at the start', async () => {
    const metrics = createMetrics(() => 1_000)
    expect(await samples(metrics, 'wattfeed_')).toEqual([
      'wattfeed_feeds Nan',
      'wattfeed_advances_total 0',
      'wattfeed_advance_changes_total 0',
      'wattfeed_stream_lag_seconds_sum 0',
      'wattfeed_stream_lag_seconds_count 0',
      'wattfeed_snapshot_age_seconds Nan',
      'wattfeed_verified_block_height Nan',
      'wattfeed_verified_block_age_seconds Nan',
    ])
  })

  test('default: requests and how long they took, by endpoint, method and status', async () => {
    const metrics = createMetrics()
    const request = { endpoint: '/v1/feeds/:id', method: 'GET', status: 200 }
    metrics.requestDuration.observe(request, 0.25)
    metrics.requestDuration.observe(request, 0.25)
    metrics.requestDuration.observe({ ...request, status: 404 }, 0.25)
    expect(await samples(metrics, 'wattfeed_http_request_duration_seconds')).toEqual([
      'wattfeed_http_request_duration_seconds_sum{endpoint="/v1/feeds/:id",method="GET",status="200"} 0.5',
      'wattfeed_http_request_duration_seconds_count{endpoint="/v1/feeds/:id",method="GET",status="200"} 2',
      'wattfeed_http_request_duration_seconds_sum{endpoint="/v1/feeds/:id",method="GET",status="404"} 0.25',
      'wattfeed_http_request_duration_seconds_count{endpoint="/v1/feeds/:id",method="GET",status="404"} 1',
    ])
  })

  test('default: calls to nodes, their errors and how long they took, by method and host', async () => {
    const metrics = createMetrics()
    const call = { method: 'state_get_item', host: 'node.example:7777', durationMs: 500, errorCode: null }
    metrics.observe.rpcCall(call)
    metrics.observe.rpcCall({ ...call, errorCode: 'transport' })
    expect(await samples(metrics, 'wattfeed_rpc')).toEqual([
      'wattfeed_rpc_calls_total{method="state_get_item",host="node.example:7777"} 2',
      'wattfeed_rpc_errors_total{method="state_get_item",host="node.example:7777",code="transport"} 1',
      'wattfeed_rpc_duration_seconds_sum{method="state_get_item",host="node.example:7777"} 1',
      'wattfeed_rpc_duration_seconds_count{method="state_get_item",host="node.example:7777"} 2',
    ])
  })

  test('default: advances, their changes and the feeds', async () => {
    const metrics = createMetrics()
    metrics.observe.advance({ stateRootHash: 'aa', changes: null, feeds: 43, undecodable: 0 })
    metrics.observe.advance({ stateRootHash: 'bb', changes: 3, feeds: 44, undecodable: 0 })
    expect(await samples(metrics, 'wattfeed_a')).toEqual([
      'wattfeed_advances_total 2',
      'wattfeed_advance_changes_total 3',
    ])
    expect(await samples(metrics, 'wattfeed_feeds ')).toEqual(['wattfeed_feeds 44'])
  })

  test('default: the history cache and its background reads', async () => {
    const metrics = createMetrics()
    const status = { feeds: 2, values: 30, bytes: 7_000, running: 1, waiting: 0 }
    registerHistoryGauges(metrics, () => status)
    status.waiting = 5
    expect(await samples(metrics, 'wattfeed_history')).toEqual([
      'wattfeed_history_feeds 2',
      'wattfeed_history_values 30',
      'wattfeed_history_bytes 7000',
      'wattfeed_history_walks 1',
      'wattfeed_history_waiting 5',
    ])
  })

  test('behavior: the age of the snapshot is measured at the scrape', async () => {
    const metrics = createMetrics(() => 10_500)
    metrics.recordSnapshot({ ageMs: () => 500, verification: null })
    expect(await samples(metrics, 'wattfeed_snapshot')).toEqual(['wattfeed_snapshot_age_seconds 0.5'])
  })

  test('behavior: the newest verified block, and its age at the scrape', async () => {
    const metrics = createMetrics(() => 10_500)
    const verification = {
      level: 'full' as const,
      blockHeight: 903,
      blockHash: 'ab'.repeat(32),
      eraId: 83,
      weightSigned: 9n,
      weightTotal: 12n,
      blockTimestamp: 8_500,
      ageMs: 1_500,
    }
    metrics.recordSnapshot({ ageMs: () => 500, verification })
    expect(await samples(metrics, 'wattfeed_verified')).toEqual([
      'wattfeed_verified_block_height 903',
      'wattfeed_verified_block_age_seconds 2',
    ])
  })

  test('behavior: answers that were not believed, by host and reason', async () => {
    const metrics = createMetrics()
    metrics.observe.rejected({ host: 'a:80', errorCode: 'merkle_proof' })
    expect(await samples(metrics, 'wattfeed_rpc_rejected')).toEqual([
      'wattfeed_rpc_rejected_total{host="a:80",code="merkle_proof"} 1',
    ])
  })

  test('behavior: the protocol version of the network, absent while unknown', async () => {
    const metrics = createMetrics()
    const status = { ...createFakeClient().status(), protocolVersion: null as string | null }
    registerStatusGauges(metrics, () => status, Date.now)
    const seen: string[][] = []
    for (const version of [null, '2.2.2', '2.3.0']) {
      status.protocolVersion = version
      seen.push(await samples(metrics, 'wattfeed_protocol'))
    }
    expect(seen).toEqual([
      [],
      ['wattfeed_protocol_info{version="2.2.2"} 1'],
      ['wattfeed_protocol_info{version="2.3.0"} 1'],
    ])
  })

  test('behavior: two servers count apart', async () => {
    const [one, other] = [createMetrics(), createMetrics()]
    one.observe.advance({ stateRootHash: 'aa', changes: 1, feeds: 1, undecodable: 0 })
    expect(await samples(other, 'wattfeed_advances')).toEqual(['wattfeed_advances_total 0'])
  })
})
