import { expect, test } from 'bun:test'
import type { EiaClient } from '@wattfeed/eia'
import { createDatasetKeeper, type TakeSnapshot } from '../../../src/agent/datasets/datasetKeeper.ts'
import type { AgentEvent } from '../../../src/agent/events.ts'
import { turn } from '../run/fakes.ts'
import { datasetConfig, manifestOf, takenOf, weekly } from './fakes.ts'

/** A keeper whose snapshots the test ends. */
function createBench() {
  const asked: { request: Parameters<TakeSnapshot>[0]; end: (error?: Error) => void }[] = []
  const events: AgentEvent[] = []
  const keeper = createDatasetKeeper({
    eia: {} as EiaClient,
    takeSnapshot(request) {
      const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<TakeSnapshot>>>()
      const taken = { ...takenOf(), folder: 'folder', isNew: true }
      asked.push({ request, end: (error) => (error === undefined ? resolve(taken) : reject(error)) })
      return promise
    },
    folder: '/state/datasets',
    keep: 2,
    archived: 0,
    report: (event) => events.push(event),
    now: () => 1_000,
    random: () => 0.5,
  })
  return { keeper, asked, events }
}

const never = new AbortController().signal

test('default: a snapshot of what the entry names, in the folder of its feed', async () => {
  const { keeper, asked, events } = createBench()
  const taken = keeper.take(datasetConfig(), 'cd'.repeat(32), never)
  await turn()
  expect(asked[0]?.request).toMatchObject({
    dataset: { route: 'petroleum/pri/spt', frequency: 'daily', columns: ['value'], periods: 1 },
    facets: ['duoarea', 'process', 'product', 'series'],
    out: '/state/datasets/eia.dataset.petroleum.pri.spt.daily',
    keep: 2,
    spares: ['cd'.repeat(32)],
    signal: never,
    random: expect.any(Function),
  })
  asked[0]?.request.onProgress?.({ step: 'write', values: 3 })
  asked[0]?.end()
  expect(await taken).toEqual(takenOf())
  const feedId = datasetConfig().feed_id
  expect(events).toEqual([
    { event: 'dataset_step', feedId, step: { step: 'write', values: 3 } },
    { event: 'snapshot', feedId, manifest: manifestOf(), isNew: true, durationMs: 0 },
  ])
})

test('default: all columns of the catalog, if the entry names none', async () => {
  const { keeper, asked } = createBench()
  const entry = datasetConfig({ route: 'electricity/retail-sales', dataset: { periods: null } })
  void keeper.take(entry, null, never)
  await turn()
  const columns = ['customers', 'price', 'revenue', 'sales']
  expect(asked[0]?.request.dataset).toMatchObject({ columns, periods: null })
})

test('behavior: one at a time; the next begins when one has failed, and none after an abort', async () => {
  const { keeper, asked } = createBench()
  const stop = new AbortController()
  const [first, second, third] = [datasetConfig(), weekly, weekly].map((feed) =>
    keeper.take(feed, null, stop.signal).catch((error: Error) => error.message),
  )
  await turn()
  expect(asked.length).toBe(1)
  asked[0]?.end(new Error('EIA is down'))
  expect(await first).toBe('EIA is down')
  await turn()
  expect(asked.map(({ request }) => request.dataset.frequency)).toEqual(['daily', 'weekly'])
  stop.abort(new Error('stopped'))
  asked[1]?.end()
  expect(await second).toEqual(takenOf())
  expect(await third).toBe('stopped')
  expect(asked.length).toBe(2)
})
