import { describe, expect, test } from 'bun:test'
import type { EiaClient } from '@wattfeed/eia'
import { createDatasetKeeper, type TakeSnapshot } from '../../../src/agent/datasets/datasetKeeper.ts'
import { takeSnapshot } from '../../../src/agent/datasets/takeSnapshot.ts'
import type { AgentEvent } from '../../../src/agent/events.ts'
import { turn } from '../run/fakes.ts'
import { spotRow, spotRows } from './datasetApi.ts'
import { datasetConfig, manifestOf, takenOf, weekly } from './fakes.ts'
import { askAgain, createKeeperBench, never } from './keeperBench.ts'
import { keyOf } from './memoryEia.ts'

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

test('default: a snapshot of what the entry names, in the folder of its feed', async () => {
  const { keeper, asked, events } = createBench()
  const taken = keeper.take(datasetConfig(), { source_hash: 'cd'.repeat(32), amount: 1n }, never)
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

describe('besides a snapshot that is taken', () => {
  const rows = spotRows([20, 19, 18], ['A', 'B'])
  const revised = (value: number) => rows.with(1, spotRow('2026-11-20', 'B', String(value)))

  /** A keeper whose snapshots take until the test ends them. */
  function createSlowBench() {
    const gates = new Map<string, PromiseWithResolvers<void>>()
    const bench = createKeeperBench(rows, {
      async takeSnapshot(options) {
        await gates.get(options.dataset.frequency)?.promise
        return takeSnapshot(options)
      },
    })
    const stop = (frequency: string) => {
      const gate = Promise.withResolvers<void>()
      gates.set(frequency, gate)
      return gate
    }
    return { bench, stop }
  }

  test('behavior: differences do not wait for another dataset', async () => {
    const { bench, stop } = createSlowBench()
    using _ = bench
    const base = await bench.take()
    const gate = stop('weekly')
    const other = bench.keeper.take(weekly, null, never).catch(() => 'EIA has none')
    bench.api.rows = revised(7)
    expect(await askAgain(bench, base, rows)).not.toBeNull()
    gate.resolve()
    expect(await other).toBe('EIA has none')
  })

  test('behavior: nothing is adopted while the same dataset is read, or if it was meanwhile', async () => {
    const { bench, stop } = createSlowBench()
    using _ = bench
    const base = await bench.take()
    bench.api.rows = revised(7)
    const gate = stop('daily')
    const taking = bench.keeper.take(bench.feed, null, never)
    await turn()
    const raw = () => bench.keeper.askAgain(bench.feed, base, rows.map(keyOf), never)
    expect([await raw(), bench.api.requests.length]).toEqual(['reading', 0])
    gate.resolve()
    await taking
    expect(await askAgain(bench, base, rows)).not.toBeNull()
    const asking = raw()
    await bench.take()
    expect(await asking).toBe('reading')
  })

  test('behavior: a snapshot that is fetched waits until the dataset is read', async () => {
    const { bench, stop } = createSlowBench()
    using _ = bench
    using other = createKeeperBench(revised(7))
    const [base, root] = [await bench.take(), await other.take()]
    const side = await other.keeper.openSide(other.feed, root)
    if (side === null) throw new Error('there is no such snapshot')
    const gate = stop('daily')
    const ended: string[] = []
    const taking = bench.keeper.take(bench.feed, null, never).then(() => ended.push('taken'))
    const fetching = bench.keeper.fetch(bench.feed, base, side, never).then(() => ended.push('fetched'))
    await turn()
    gate.resolve()
    await Promise.all([taking, fetching])
    expect(ended).toEqual(['taken', 'fetched'])
  })

  test('behavior: a failed reading leaves differences to be adopted', async () => {
    using bench = createKeeperBench(rows)
    const base = await bench.take()
    bench.api.rows = []
    expect(await bench.take().catch(({ code }) => code)).toBe('dataset_empty')
    bench.api.rows = revised(7)
    expect(await askAgain(bench, base, rows)).not.toBeNull()
  })

  test('behavior: many differences are adopted: few snapshots stay, with all that the chain may have', async () => {
    using bench = createKeeperBench(rows, { keep: 1 })
    const onChain = await bench.take()
    bench.api.rows = revised(1)
    const roots = [await bench.take(onChain)]
    for (let value = 2; value < 12; value++) {
      bench.api.rows = revised(value)
      const adopted = await askAgain(bench, roots.at(-1) ?? '', rows)
      roots.push(adopted?.manifest.root ?? '')
      expect(bench.roots()).toContain(onChain)
      expect(bench.roots()).toEqual(expect.arrayContaining(roots.slice(-8)))
      expect(bench.roots().length).toBeLessThanOrEqual(9)
    }
    const [held = '', signed = ''] = roots.toReversed()
    bench.api.rows = revised(12)
    const taken = await bench.take(signed)
    // The chain may have got any of them while all was read.
    expect(bench.roots()).toEqual(expect.arrayContaining([taken, held, signed]))
    expect(bench.roots()).not.toContain(onChain)
    bench.api.rows = revised(13)
    const adopted = await askAgain(bench, taken, rows)
    // What was held before may still be on its way to the chain.
    expect(bench.roots().sort()).toEqual([signed, held, taken, adopted?.manifest.root ?? ''].sort())
    bench.api.rows = revised(14)
    const newest = await bench.take(taken)
    expect(bench.roots().sort()).toEqual([taken, adopted?.manifest.root ?? '', newest].sort())
  })

  test('behavior: an agent that adopts nothing keeps no more than before', async () => {
    using bench = createKeeperBench(rows, { keep: 1 })
    let onChain: string | null = null
    for (let value = 1; value < 5; value++) {
      bench.api.rows = revised(value)
      const root = await bench.take(onChain)
      expect(bench.roots().sort()).toEqual([root, ...(onChain === null ? [] : [onChain])].sort())
      onChain = root
    }
  })

  test('behavior: one that was to be fetched, and is here, stays', async () => {
    using bench = createKeeperBench(rows, { keep: 1 })
    const first = await bench.take()
    bench.api.rows = revised(1)
    const second = await bench.take()
    const side = await bench.keeper.openSide(bench.feed, first)
    if (side === null) throw new Error('there is no such snapshot')
    await bench.keeper.fetch(bench.feed, second, side, never)
    bench.api.rows = revised(2)
    const third = await bench.take()
    expect(bench.roots().sort()).toEqual([first, second, third].sort())
  })

  test('behavior: what was fetched stays while differences of the own snapshot are adopted', async () => {
    using bench = createKeeperBench(rows, { keep: 1 })
    using other = createKeeperBench(revised(7))
    const [base, root] = [await bench.take(), await other.take()]
    const side = await other.keeper.openSide(other.feed, root)
    if (side === null) throw new Error('there is no such snapshot')
    await bench.keeper.fetch(bench.feed, base, side, never)
    bench.api.rows = revised(8)
    const adopted = await askAgain(bench, base, rows)
    expect(bench.roots()).toEqual(expect.arrayContaining([base, root, adopted?.manifest.root ?? '']))
  })
})
