import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { nodeOf } from '@wattfeed/casper-devnet/testing/chainFaults/nodeWithFaults'
import { listExecuted, tipHeight } from '@wattfeed/casper-devnet/testing/devnetBlocks'
import { sampled } from '@wattfeed/testing/soak'
import pLimit from 'p-limit'
import type { SeriesConfig } from '../../src/feeds/file/feedConfig.ts'
import { createDevnetBench, type DevnetBench, dailyFeeds, flagshipFeeds } from '../support/devnetBench.ts'
import { type StopPoint, startWatchedNode } from '../support/devnetNode.ts'
import { ageState } from '../support/state.ts'
import { startTestUpstream } from '../support/testUpstream.ts'

// Each test runs two to four processes, in parallel with other tests.
const limit = pLimit(4)

/** An agent with a state folder and some feeds that no other agent attests. */
interface Agent {
  feeds: readonly SeriesConfig[]
  /** Runs it up to a stop point, and kills it there. */
  killAt(point: StopPoint): Promise<void>
  /** Starts it. The test kills it. */
  start(settings?: Record<string, string>): ReturnType<DevnetBench['start']>
  /** Runs it to a successful end: every feed is attested once and nothing is pending. */
  expectAttestsOnce(settings?: Record<string, string>): Promise<void>
}

function createAgent(bench: DevnetBench, feeds: readonly SeriesConfig[]): Agent {
  const stateDir = `${bench.folder.path}/${feeds[0]?.feed_id}`
  ageState(stateDir)
  const own = { AGENT_STATE_DIR: stateDir }
  const only = feeds.flatMap(({ feed_id }) => ['--feed', feed_id])
  const start: Agent['start'] = (settings = {}) =>
    bench.start('agent', ['--once', '--json', ...only], { ...own, ...settings })
  return {
    feeds,
    start,
    async killAt(point) {
      await using node = await startWatchedNode(bench.chain.devnet)
      const reached = node.stopAt(point)
      await using agent = start({ CASPER_RPC_URL: node.url })
      await agent.until(reached)
      await agent.kill()
    },
    async expectAttestsOnce(settings = {}) {
      const { exitCode, lines, stderr } = await bench.attest({ ...own, ...settings }, only)
      expect([exitCode, lines.map(({ error }) => error)]).toEqual([0, feeds.map(() => null)])
      expect(stderr).not.toMatch(/internal error/)
      const values = lines.map(({ feed_id, period, amount }) => `${feed_id} ${period} ${amount}`)
      const ids = new Set(feeds.map(({ feed_id }) => feed_id))
      const attested = (await bench.attested()).filter((each) => ids.has(each.split(' ', 1)[0] ?? ''))
      expect(attested.toSorted()).toEqual(values.toSorted())
      expect(bench.pending(stateDir)).toEqual([])
    },
  }
}

describe('the agent on a chain that executes at once', () => {
  let bench: DevnetBench
  let unused: SeriesConfig[]

  beforeAll(async () => {
    unused = [...flagshipFeeds]
    bench = await createDevnetBench()
  })

  afterAll(async () => {
    const failed = (await listExecuted(bench.chain.devnet, 0)).filter(
      ({ errorMessage }) => errorMessage !== null,
    )
    await bench[Symbol.asyncDispose]()
    expect(failed).toEqual([])
  })

  /** Creates an agent for this number of feeds; six do not fit into one transaction. */
  const takeAgent = (feeds: number): Agent => createAgent(bench, unused.splice(0, feeds))

  /** From the first call to the node to the last one. */
  const points: [feeds: number, StopPoint][] = [
    [2, { method: 'chain_get_state_root_hash', when: 'before' }],
    [2, { method: 'query_balance', when: 'after' }],
    [2, { method: 'account_put_transaction', when: 'before' }],
    [2, { method: 'account_put_transaction', when: 'after' }],
    [6, { method: 'account_put_transaction', nth: 2, when: 'before' }],
    [6, { method: 'account_put_transaction', nth: 2, when: 'after' }],
    [2, { method: 'info_get_transaction', when: 'before' }],
    [2, { method: 'info_get_transaction', when: 'after' }],
    [2, { method: 'state_get_dictionary_item', nth: 7, when: 'before' }],
  ]

  test.concurrent.each(
    sampled(points).map(
      ([feeds, point]) => [point.when, point.nth ?? 1, point.method, feeds, point] as const,
    ),
  )(
    'behavior: killed %s call %i of %s, and started again: each value is attested once',
    (_when, _nth, _method, feeds, point) =>
      limit(async () => {
        const agent = takeAgent(feeds)
        await agent.killAt(point)
        await agent.expectAttestsOnce()
      }),
  )

  test.concurrent('behavior: killed while it waits for upstream: each value is attested once', () =>
    limit(async () => {
      const agent = takeAgent(2)
      await using upstream = startTestUpstream()
      const asked = Promise.withResolvers<void>()
      upstream.fail(() => {
        asked.resolve()
        return new Promise(() => {})
      })
      await using waiting = agent.start({ EIA_BASE_URL: upstream.url })
      await waiting.until(asked.promise)
      await waiting.kill()
      await agent.expectAttestsOnce()
    }))

  test.concurrent('behavior: killed after it reported the first value: each value is attested once', () =>
    limit(async () => {
      const agent = takeAgent(2)
      await using telling = agent.start()
      await telling.line('"feed_id"')
      await telling.kill()
      await agent.expectAttestsOnce()
    }))

  test.concurrent('behavior: killed again and again, each time a little later: each value is attested once', () =>
    limit(async () => {
      const agent = takeAgent(2)
      for (const when of ['before', 'after'] as const)
        await agent.killAt({ method: 'account_put_transaction', when })
      await agent.killAt({ method: 'info_get_transaction', when: 'before' })
      await agent.expectAttestsOnce()
    }))
})

test('behavior: killed after it has sent, and started again where that does not show yet: attested once', async () => {
  await using bench = await createDevnetBench({ feeds: dailyFeeds.slice(0, 1) })
  const { devnet } = bench.chain
  const height = await tipHeight(devnet)
  const agent = createAgent(bench, bench.feeds)
  await agent.killAt({ method: 'account_put_transaction', when: 'after' })
  const late = nodeOf(devnet)
  late.faults.lag(1)
  await using node = await startWatchedNode(late, (method) => {
    if (method === 'account_put_transaction') late.faults.clear()
  })
  await agent.expectAttestsOnce({ CASPER_RPC_URL: node.url })
  expect((await listExecuted(devnet, height)).length).toBe(1)
})
