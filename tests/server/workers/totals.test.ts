import { describe, expect, test } from 'bun:test'
import { createMetrics } from '../../../src/server/metrics.ts'
import { createTotals } from '../../../src/server/workers/totals.ts'

const never = (): Promise<void> => new Promise(() => {})

/** A worker with metrics of its own. */
function startWorker(now?: () => number) {
  const metrics = createMetrics(now)
  const ended = Promise.withResolvers<string>()
  return { metrics, samples: metrics.samples, ended: ended.promise, end: () => ended.resolve('SIGKILL') }
}

const request = { endpoint: '/health', method: 'GET', status: 200, durationMs: 1 }

async function linesOf(totals: ReturnType<typeof createTotals>, name: string): Promise<string[]> {
  return (await totals.text()).split('\n').filter((line) => line.startsWith(name))
}

const requestsOf = async (totals: ReturnType<typeof createTotals>): Promise<string[]> =>
  linesOf(totals, 'wattfeed_http_request_duration_seconds_count')

const count = (value: number): string =>
  `wattfeed_http_request_duration_seconds_count{endpoint="/health",method="GET",status="200"} ${value}`

describe('createTotals', () => {
  test('default: counters and histograms are summed, bucket by bucket', async () => {
    const totals = createTotals(never)
    const [one, other] = [startWorker(), startWorker()]
    for (const each of [one, other]) totals.add(each)
    one.metrics.request(request)
    one.metrics.request({ ...request, durationMs: 700 })
    other.metrics.request(request)
    other.metrics.request({ ...request, status: 404 })
    one.metrics.stream.sent(2, 'live')
    other.metrics.stream.sent(3, 'live')
    const name = 'wattfeed_http_request_duration_seconds'
    const labels = (le: string): string =>
      `${name}_bucket{le="${le}",endpoint="/health",method="GET",status="200"}`
    const lines = await linesOf(totals, 'wattfeed_')
    expect(lines.filter((line) => line.startsWith(labels('0.0005')))).toEqual([`${labels('0.0005')} 0`])
    expect(lines.filter((line) => line.startsWith(labels('0.001')))).toEqual([`${labels('0.001')} 2`])
    expect(lines.filter((line) => line.startsWith(labels('+Inf')))).toEqual([`${labels('+Inf')} 3`])
    expect(lines).toContain(`${name}_count{endpoint="/health",method="GET",status="404"} 1`)
    expect(lines).toContain('wattfeed_stream_events_total{kind="live"} 5')
    expect(lines).toContain('wattfeed_workers 2')
  })

  test('default: what is held is summed; of ages the smallest, of what only grows the largest', async () => {
    const totals = createTotals(never)
    const [one, other] = [startWorker(), startWorker()]
    for (const each of [one, other]) totals.add(each)
    one.metrics.followStreams(() => 2)
    other.metrics.followStreams(() => 3)
    one.metrics.followStates(() => ({ current: 40, late: 3 }))
    other.metrics.followStates(() => ({ current: 43, late: 0 }))
    one.metrics.snapshot({ ageMs: () => 7_000, verification: null })
    other.metrics.snapshot({ ageMs: () => 500, verification: null })
    one.metrics.observe.advance({ stateRootHash: 'aa', changes: 1, feeds: 43, undecodable: 0 })
    other.metrics.observe.advance({ stateRootHash: 'bb', changes: 1, feeds: 44, undecodable: 0 })
    const lines = await linesOf(totals, 'wattfeed_')
    for (const line of [
      'wattfeed_streams_open 5',
      'wattfeed_feed_states{state="current"} 40',
      'wattfeed_feed_states{state="late"} 3',
      'wattfeed_snapshot_age_seconds 0.5',
      'wattfeed_feeds 44',
      'wattfeed_advances_total 2',
      'wattfeed_verified_block_height Nan',
    ])
      expect(lines).toContain(line)
  })

  test('behavior: what one worker does not know yet, another one does', async () => {
    const totals = createTotals(never)
    const [one, other] = [startWorker(), startWorker()]
    for (const each of [one, other]) totals.add(each)
    one.metrics.snapshot({ ageMs: () => 500, verification: null })
    expect(await linesOf(totals, 'wattfeed_snapshot')).toEqual(['wattfeed_snapshot_age_seconds 0.5'])
  })

  test('behavior: no counter goes back when workers end; what they held is gone', async () => {
    const totals = createTotals(never)
    for (let life = 1; life <= 3; life++) {
      const worker = startWorker()
      worker.metrics.followStreams(() => life)
      totals.add(worker)
      worker.metrics.request(request)
      expect(await requestsOf(totals)).toEqual([count(life)])
      worker.end()
      await worker.ended
      expect(await requestsOf(totals)).toEqual([count(life)])
      expect(await linesOf(totals, 'wattfeed_streams_open')).toEqual([])
    }
    expect(await linesOf(totals, 'wattfeed_worker')).toEqual([
      'wattfeed_workers 0',
      'wattfeed_worker_ends_total 3',
    ])
  })

  test('behavior: one that does not answer in time counts as it did last', async () => {
    const waits: number[] = []
    const timeIsUp = async (ms: number) => void waits.push(ms)
    const answers = startWorker()
    const hangs = { ...startWorker(), isHanging: false }
    const totals = createTotals((ms) => (hangs.isHanging ? timeIsUp(ms) : never()))
    totals.add(answers)
    totals.add({ ...hangs, samples: () => (hangs.isHanging ? new Promise(() => {}) : hangs.samples()) })
    hangs.metrics.request(request)
    expect(await requestsOf(totals)).toEqual([count(1)])
    hangs.isHanging = true
    hangs.metrics.request(request)
    expect(await requestsOf(totals)).toEqual([count(1)])
    expect(waits).toEqual([3_000, 3_000])
  })
})
