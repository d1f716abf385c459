import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Faults } from '@wattfeed/casper-devnet/testing/chainFaults/faults'
import {
  type FaultyEndpoint,
  type NodeWithFaults,
  nodeOf,
  startNodeWithFaults,
} from '@wattfeed/casper-devnet/testing/chainFaults/nodeWithFaults'
import { listExecuted, tipHeight } from '@wattfeed/casper-devnet/testing/devnetBlocks'
import { errorOf } from '@wattfeed/testing/errorOf'
import { patience } from '@wattfeed/testing/patience'
import type { Reading } from 'wattfeed'
import { createDevnetBench, type DevnetBench, dailyFeeds } from '../support/devnetBench.ts'
import { startWatchedNode } from '../support/devnetNode.ts'
import { createDays } from './days.ts'

let bench: DevnetBench
/** The node that the tests make fail. The chain's own node never fails. */
let bad: NodeWithFaults
let endpoint: FaultyEndpoint
let alone: Server
let backed: Server
let checkedAlone: Server
let checkedBacked: Server
const days = createDays()
const [feed] = dailyFeeds
const feedId = feed?.feed_id ?? ''
const paths = ['/v1/feeds', `/v1/feeds/${feedId}`, '/v1/feeds/ABSENT']

type Server = Awaited<ReturnType<DevnetBench['serve']>>

/** How long a client waits for a node that says nothing, and so for the other one, too. */
const SILENT_MS = 1_000
/** For reads that fail. Tests that expect an answer with these limits read until it comes. */
const impatient = { RPC_TIMEOUT_MS: '250', REQUEST_DEADLINE_MS: '600' }
const both = (): string => `${endpoint.url},${bench.chain.endpoint.url}`

beforeAll(async () => {
  bench = await createDevnetBench({ feeds: dailyFeeds })
  bad = nodeOf(bench.chain.devnet)
  endpoint = await startNodeWithFaults(bad)
  expect((await bench.attest()).exitCode).toBe(0)
  const full = { VERIFY: 'full', TRUSTED_BLOCK_HASH: bench.chain.devnet.genesisHash }
  ;[alone, backed, checkedAlone, checkedBacked] = await Promise.all([
    bench.serve({ ...impatient, CASPER_RPC_URL: endpoint.url }),
    bench.serve({ RPC_TIMEOUT_MS: `${SILENT_MS}`, CASPER_RPC_URL: both() }),
    bench.serve({ ...full, CASPER_RPC_URL: endpoint.url }),
    bench.serve({ ...full, CASPER_RPC_URL: both() }),
  ])
})

afterAll(async () => {
  bad.faults.clear()
  await Promise.all([alone, backed, checkedAlone, checkedBacked].map((server) => server.kill()))
  await endpoint.stop()
  await bench[Symbol.asyncDispose]()
})

/** Makes the node fail while `use` runs. */
async function whileFailing(fail: (faults: Faults) => void, use: () => Promise<void>): Promise<void> {
  fail(bad.faults)
  try {
    await use()
  } finally {
    bad.faults.clear()
  }
}

const statusesOf = (server: Server): Promise<number[]> =>
  Promise.all(paths.map(async (path) => (await fetch(`${server.url}${path}`)).status))

/** Resolves when a server answers again. On a busy machine, an answer may take longer than the server's short deadline. */
async function recovers(server: Server): Promise<void> {
  while (!Bun.deepEquals(await statusesOf(server), [200, 200, 404]));
}

/** The value that a server shows of the first feed, once it answers. */
async function valueAt(server: Server): Promise<number> {
  for (;;) {
    const response = await fetch(`${server.url}/v1/feeds/${feedId}`)
    if (response.ok) return ((await response.json()) as Reading).value
  }
}

/**
 * Runs `use` for the values of a new day. Afterwards each of them is on chain once, as is each value of the failed days
 * before. All transactions succeeded.
 */
async function expectAttestedOnce(value: string, use: () => Promise<void>): Promise<void> {
  const height = await tipHeight(bench.chain.devnet)
  const day = days.next()
  bench.publish(value, day)
  await use()
  const attested = (await bench.attested()).map((each) => each.split(' ').slice(0, 2).join(' '))
  expect(attested.filter((each) => each.endsWith(day.replaceAll('-', '')))).toEqual(
    dailyFeeds.map(({ feed_id }) => `${feed_id} ${day.replaceAll('-', '')}`),
  )
  expect(new Set(attested).size).toBe(attested.length)
  const executed = await listExecuted(bench.chain.devnet, height)
  expect(executed.filter(({ errorMessage }) => errorMessage !== null)).toEqual([])
  expect(bench.pending()).toEqual([])
}

/** Runs `use`. Afterwards nothing new is on chain or pending. */
async function expectNothingSent(use: () => Promise<void>): Promise<void> {
  const height = await tipHeight(bench.chain.devnet)
  await use()
  expect(await listExecuted(bench.chain.devnet, height)).toEqual([])
  expect(bench.pending()).toEqual([])
}

describe('a node that gives no good answer', () => {
  const faults: [string, (faults: Faults) => void, timeoutMs: number][] = [
    ['refuses', (faults) => faults.refuse(), patience.timeoutMs],
    ['answers too late', (faults) => faults.delay(2 * SILENT_MS), SILENT_MS],
    ['drops requests', (faults) => faults.drop('request'), patience.timeoutMs],
    ['drops answers', (faults) => faults.drop('answer'), patience.timeoutMs],
    ['holds answers back', (faults) => faults.reorder(1_000_000), SILENT_MS],
  ]

  test.each(faults)('error: it %s, and is the only one: an error each, and nothing is sent', (_, fail) =>
    expectNothingSent(() =>
      whileFailing(fail, async () => {
        bench.publish('62.5', days.next())
        const client = bench.client({ rpcUrls: [endpoint.url], timeoutMs: 250, deadlineMs: 600 })
        const [statuses, error, { exitCode, lines }] = await Promise.all([
          statusesOf(alone),
          errorOf(client.getReading(feedId)),
          bench.attest({ ...impatient, CASPER_RPC_URL: endpoint.url }),
        ])
        expect(statuses).toEqual([502, 502, 502])
        expect(error.retryable).toBeTrue()
        expect([exitCode, lines.map((line) => line.error?.retryable)]).toEqual([
          2,
          dailyFeeds.map(() => true),
        ])
      }),
    ).then(() => recovers(alone)),
  )

  test.each(faults)('behavior: it %s, and another one answers: all continues', (_, fail, timeoutMs) =>
    expectAttestedOnce('63.5', () =>
      whileFailing(fail, async () => {
        const { exitCode } = await bench.attest({ RPC_TIMEOUT_MS: `${timeoutMs}`, CASPER_RPC_URL: both() })
        expect(exitCode).toBe(0)
        const client = bench.client({ rpcUrls: both().split(','), timeoutMs })
        expect(await Promise.all([statusesOf(backed), valueAt(backed)])).toEqual([[200, 200, 404], 63.5])
        expect((await client.getReading(feedId))?.value).toBe(63.5)
      }),
    ),
  )
})

describe('a node that fails now and then', () => {
  const puts = { methods: ['account_put_transaction'] }
  const looks = { methods: ['info_get_transaction'] }
  const faults: [string, (faults: Faults) => void][] = [
    ['refuses the first three calls', (faults) => faults.refuse({ times: 3 })],
    ['delays every call', (faults) => faults.delay(10)],
    ['never tells that it took a transaction', (faults) => faults.drop('answer', puts)],
    ['does not hear of a transaction at first', (faults) => faults.drop('request', { ...puts, times: 3 })],
    ['does not tell at first what became of it', (faults) => faults.drop('answer', { ...looks, times: 3 })],
    ['answers about transactions in another order', (faults) => faults.reorder(2, { ...puts, times: 2 })],
    [
      'answers reads in another order',
      (faults) => faults.reorder(3, { methods: ['state_get_dictionary_item'], times: 12 }),
    ],
  ]

  test.each(faults)('behavior: it %s: each value is attested once, and shown', (_, fail) =>
    expectAttestedOnce('64.5', async () => {
      await whileFailing(fail, async () => {
        const { exitCode } = await bench.attest({ CASPER_RPC_URL: endpoint.url })
        expect(exitCode).toBe(0)
      })
      expect(await valueAt(alone)).toBe(64.5)
    }),
  )
})

describe('a lagging node', () => {
  test('behavior: a returned value is never taken back: an error, or the value of another node', async () => {
    const client = bench.client({ rpcUrls: [endpoint.url], deadlineMs: 60_000 })
    await expectAttestedOnce('65.5', async () => {
      expect((await bench.attest()).exitCode).toBe(0)
    })
    const seen = await Promise.all([valueAt(alone), valueAt(backed), client.listReadings()])
    expect(seen.slice(0, 2)).toEqual([65.5, 65.5])
    await whileFailing(
      (faults) => faults.lag(2),
      async () => {
        const [statuses, value, error] = await Promise.all([
          statusesOf(alone),
          valueAt(backed),
          errorOf(client.listReadings()),
        ])
        expect([statuses, value]).toEqual([[502, 502, 502], 65.5])
        expect(error.message).toContain('lagging node')
      },
    )
    await recovers(alone)
  })

  test('behavior: a running agent does not attest a value again that the node no longer returns', () =>
    expectAttestedOnce('66.5', async () => {
      await using agent = bench.start('agent', ['--json', '--interval', 'daily=1s'], {
        CASPER_RPC_URL: endpoint.url,
      })
      for (const { feed_id } of dailyFeeds) await agent.line(`"feed_id":"${feed_id}","decision":"new-period"`)
      await whileFailing(
        (faults) => faults.lag(2),
        async () => {
          const line = await agent.line('"error":{')
          expect(JSON.parse(line).error).toMatchObject({ retryable: true })
          expect(line).toContain('lag')
          await agent.kill('SIGTERM')
        },
      )
    }))

  test('behavior: one that is always two blocks late serves as well', () =>
    expectAttestedOnce('67.5', () =>
      whileFailing(
        (faults) => faults.lag(2),
        async () => {
          const { produceBlock } = bench.chain.devnet
          const makeBlocks = (): void => {
            for (let late = 0; late < 2; late++) produceBlock()
          }
          makeBlocks()
          await using node = await startWatchedNode(bad, (method) => {
            if (method === 'account_put_transaction') makeBlocks()
          })
          expect((await bench.attest({ CASPER_RPC_URL: node.url })).exitCode).toBe(0)
          expect(await valueAt(alone)).toBe(67.5)
        },
      ),
    ))
})

describe('a node that lies', () => {
  test('error: an unproven value is not returned, unless another node proves it; nothing is attested', async () => {
    const trust = { verify: 'full', trustedBlockHash: bench.chain.devnet.genesisHash } as const
    const client = bench.client({ ...trust, rpcUrls: [endpoint.url] })
    // The server must not learn its registries from this node: without a second node, a false "absent" goes unnoticed.
    await Promise.all([client.listReadings(), statusesOf(checkedAlone)])
    await expectAttestedOnce('68.5', async () => {
      expect((await bench.attest()).exitCode).toBe(0)
    })
    await whileFailing(
      (faults) => faults.lie(),
      async () => {
        const [statuses, value, error, agent] = await Promise.all([
          statusesOf(checkedAlone),
          valueAt(checkedBacked),
          errorOf(client.listReadings()),
          bench.attest({ CASPER_RPC_URL: endpoint.url }),
        ])
        expect([statuses, value]).toEqual([[502, 502, 502], 68.5])
        expect(error.message).toContain('proof')
        expect(agent.lines.filter(({ transaction_hash }) => transaction_hash !== null)).toEqual([])
      },
    )
    expect([await statusesOf(checkedAlone), await valueAt(checkedAlone)]).toEqual([[200, 200, 404], 68.5])
  })
})

describe('blocks that are not final', () => {
  test('behavior: the newest final value is shown; with none near, an error; the agent attests once', async () => {
    await expectAttestedOnce('69.5', async () => {
      expect((await bench.attest()).exitCode).toBe(0)
    })
    expect(await valueAt(checkedAlone)).toBe(69.5)
    await whileFailing(
      (faults) => faults.stopFinality(),
      async () => {
        await expectAttestedOnce('70.5', async () => {
          expect((await bench.attest({ CASPER_RPC_URL: endpoint.url })).exitCode).toBe(0)
        })
        expect([await valueAt(alone), await valueAt(checkedAlone)]).toEqual([70.5, 69.5])
        for (let blocks = 0; blocks < 10; blocks++) bench.chain.devnet.produceBlock()
        expect(await statusesOf(checkedAlone)).toEqual([502, 502, 502])
      },
    )
    expect(await valueAt(checkedAlone)).toBe(70.5)
  })
})
