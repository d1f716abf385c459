import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { createDevnetBench, type DevnetBench, dailyFeeds } from '../support/devnetBench.ts'
import { listExecuted, tipHeight } from '../support/devnetBlocks.ts'
import { type StopPoint, startWatchedNode, type WatchedNode } from '../support/devnetNode.ts'
import { createDays } from './days.ts'

// Each test runs two or three processes.
setDefaultTimeout(30_000)

let bench: DevnetBench
let node: WatchedNode
const days = createDays()

beforeAll(async () => {
  bench = await createDevnetBench({ feeds: dailyFeeds })
  node = await startWatchedNode(bench.chain.devnet)
})

afterAll(async () => {
  await node.stop()
  await bench[Symbol.asyncDispose]()
})

/** Runs the agent up to a moment of its work, and kills it there. */
async function killAt(point: StopPoint, args: readonly string[] = []): Promise<void> {
  const reached = node.stopAt(point)
  await using agent = bench.start('agent', ['--once', '--json', ...args], { CASPER_RPC_URL: node.url })
  await agent.until(reached)
}

/** Started again, the agent ends with every feed attested once, by transactions that all succeeded. */
async function expectAttestedOnce(before: readonly string[], height: number): Promise<void> {
  const { exitCode, lines, stderr } = await bench.attest()
  expect([exitCode, lines.map(({ error }) => error)]).toEqual([0, dailyFeeds.map(() => null)])
  expect(stderr).not.toContain('fault of this program')
  const values = lines.map(({ feed_id, period, amount }) => `${feed_id} ${period} ${amount}`)
  expect((await bench.attested()).toSorted()).toEqual([...before, ...values].toSorted())
  expect((await listExecuted(bench.chain.devnet, height)).map(({ errorMessage }) => errorMessage)).toEqual([
    null,
    null,
  ])
  expect(bench.pending()).toEqual([])
}

/** From the first word to the node to the last one. There are two transactions, which are sent side by side. */
const points: StopPoint[] = [
  { method: 'chain_get_state_root_hash', when: 'before' },
  { method: 'query_balance', nth: 2, when: 'after' },
  { method: 'account_put_transaction', when: 'before' },
  { method: 'account_put_transaction', when: 'after' },
  { method: 'account_put_transaction', nth: 2, when: 'after' },
  { method: 'info_get_transaction', when: 'before' },
  { method: 'info_get_transaction', nth: 2, when: 'after' },
  { method: 'state_get_dictionary_item', nth: 19, when: 'before' },
]

test.each(points.map((point) => [point.when, point.nth ?? 1, point.method, point] as const))(
  'behavior: killed %s call %i of %s, and started again: each value is attested once',
  async (_when, _nth, _method, point) => {
    bench.publish('61.25', days.next())
    const [before, height] = await Promise.all([bench.attested(), tipHeight(bench.chain.devnet)])
    await killAt(point)
    await expectAttestedOnce(before, height)
  },
)

test('behavior: killed while it waits for upstream: each value is attested once', async () => {
  bench.publish('61.25', days.next())
  const [before, height] = await Promise.all([bench.attested(), tipHeight(bench.chain.devnet)])
  const asked = Promise.withResolvers<void>()
  bench.upstream.fail(() => {
    asked.resolve()
    return new Promise(() => {})
  })
  await using agent = bench.start('agent', ['--once', '--json'])
  await agent.until(asked.promise)
  await agent.kill()
  await expectAttestedOnce(before, height)
})

test('behavior: killed after it has sent, and started again where that does not show yet: attested once', async () => {
  const { devnet } = bench.chain
  const [feed] = dailyFeeds
  const only = ['--feed', `${feed?.feed_id}`]
  bench.publish('61.25', days.next())
  const [before, height] = [await bench.attested(), await tipHeight(devnet)]
  await killAt({ method: 'account_put_transaction', when: 'after' }, only)
  const late = devnet.createNode()
  late.faults.lag(1)
  await using lateNode = await startWatchedNode(late, (method) => {
    if (method === 'account_put_transaction') late.faults.clear()
  })
  const { exitCode } = await bench.attest({ CASPER_RPC_URL: lateNode.url }, only)
  expect([exitCode, (await listExecuted(devnet, height)).length]).toEqual([0, 1])
  expect((await bench.attested()).length).toBe(before.length + 1)
  expect(bench.pending()).toEqual([])
})

test('behavior: killed when it has told of the first value: each value is attested once', async () => {
  bench.publish('61.25', days.next())
  const [before, height] = await Promise.all([bench.attested(), tipHeight(bench.chain.devnet)])
  await using agent = bench.start('agent', ['--once', '--json'])
  await agent.line('"feed_id"')
  await agent.kill()
  await expectAttestedOnce(before, height)
})

test('behavior: killed again and again, each time a little later: each value is attested once', async () => {
  bench.publish('61.25', days.next())
  const [before, height] = await Promise.all([bench.attested(), tipHeight(bench.chain.devnet)])
  for (const when of ['before', 'after'] as const) await killAt({ method: 'account_put_transaction', when })
  await killAt({ method: 'info_get_transaction', when: 'before' })
  await expectAttestedOnce(before, height)
})
