import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Client as McpClient } from '@modelcontextprotocol/client'
import type { Client } from 'wattfeed'
import { clientOf } from 'wattfeed/testing/clientOf'
import { ProofBusyError } from '../../../packages/wattfeed/src/client/errors.ts'
import { createFakeClient, readingOf } from '../fakeClient.ts'
import { createTestApp } from '../testApp.ts'
import { callTool, connectTo, publicUrl } from './mcpClient.ts'
import { createWorld, type World, wti } from './world.ts'

let world: World
let mcp: McpClient

/** Returns a client of the server that reads with this client. */
const connect = (client: Client): Promise<McpClient> =>
  connectTo(createTestApp({ client, network: world.chain, publicUrl, now: Date.now }), '2026-07-28')

beforeAll(async () => {
  world = await createWorld(Date.now() - 100_000)
  mcp = await connect(world.client)
})
afterAll(async () => {
  await mcp.close()
  await world[Symbol.asyncDispose]()
})

const check = (period: string | number, value: string | number, trusted_block_hash?: string, client = mcp) =>
  callTool(client, 'verify_claim', {
    feed: wti,
    period,
    value,
    ...(trusted_block_hash === undefined ? {} : { trusted_block_hash }),
  })

describe('with a trusted block', () => {
  test.each([
    ['2026-11-20', '70.04', 'proven', '70.04'],
    ['2026-11-20', '070.0400', 'proven', '70.04'],
    ['20261120', '70.04', 'proven', '70.04'],
    [20_261_120, 70.04, 'proven', '70.04'],
    ['2026-11-20', 70, 'differs', '70.04'],
    ['2026-11-20', '.5', 'differs', '70.04'],
    ['2026-11-20', '70.05', 'differs', '70.04'],
    ['2026-11-20', '-70.04', 'differs', '70.04'],
    ['2026-11-18', '70.02', 'proven', '70.02'],
    ['2026-11-18', '69.9', 'differs', '70.02'],
    ['2026-11-17', '70', 'unproven', null],
  ])('default: %p = %p is %p', async (period, value, verdict, onChain) => {
    const { data } = await check(period, value, world.genesisHash)
    expect([data.verdict, data.value]).toEqual([verdict, onChain])
  })

  test('behavior: the hash may have capitals', async () => {
    const { data } = await check('2026-11-20', '70.04', world.genesisHash.toUpperCase())
    expect(data.verdict).toBe('proven')
  })

  test('behavior: the answer has all prints and the address of the proof, and says who checked', async () => {
    const { data, text } = await check('2026-11-18', '69.9', world.genesisHash)
    expect([data.total_prints, data.prints]).toMatchObject([
      2,
      [
        { index_in_history: 0, print: 'first', value: '69.9' },
        { index_in_history: 2, print: 'revision 1', value: '70.02' },
      ],
    ])
    expect(text).toContain('\nfirst: 69.9, attested ')
    expect(text).toContain('\nrevision 1: 70.02, attested ')
    expect(data.proof).toBe(`http://localhost:4030/v1/feeds/${wti}/history/2/proof`)
    expect(text).toContain('The claim is an earlier value of the period')
    expect(text).toContain(
      'Checked by the server that answers; for an independent check, run the verify command',
    )
  })

  test('behavior: a value before the newest one is proven with the complete history', async () => {
    const { data } = await check('2026-11-18', '70.02', world.genesisHash)
    expect(String(data.explanation)).toContain('the proof of the complete history shows that no later value')
    const lists: string[] = []
    const client = await connect({
      ...world.client,
      getHistoryProof: (feedId, options) => {
        lists.push(feedId)
        return world.client.getHistoryProof(feedId, options)
      },
    })
    await check('2026-11-20', '70.04', world.genesisHash, client)
    expect(lists).toEqual([])
    await check('2026-11-19', '69.5', world.genesisHash, client)
    expect(lists).toEqual([wti])
  })

  test.each(['2026-11-20', '2026-11-18'])(
    'behavior: the answer names the block of the proof, which a node may choose: %s',
    async (period) => {
      const proof = await world.client.getHistoryProof(wti, { from: world.genesisHash })
      const { data } = await check(period, '1', world.genesisHash)
      const header = proof?.block.header as { height: number; timestamp: string }
      expect(data.explanation).toContain(`As of block ${header.height}, ${header.timestamp.slice(0, 19)}Z`)
    },
  )

  test('error: a revision that the server hides from the history is found by the proof', async () => {
    // The value of the first print, as if it had never been revised.
    const client = await connect({
      ...world.client,
      withSnapshot: (read, options) =>
        world.client.withSnapshot((at) => read({ ...at, getValueCount: async () => 2 }), options),
    })
    const { data } = await check('2026-11-18', '69.9', world.genesisHash, client)
    expect([data.verdict, data.value]).toEqual(['unproven', '69.9'])
    expect(String(data.explanation)).toContain('history: the last value of the period is 70.02')
  })

  test('error: another root of a dataset that the server hides is found by the proof, also with as many values', async () => {
    const feed = 'EIA.DATASET.NATURAL-GAS.STOR.WKLY.WEEKLY'
    const { chain } = world
    chain.register(feed, { unit: 'values', decimals: 0, frequency: 'weekly' })
    for (const root of ['ab', 'cd'])
      chain.attest(feed, { amount: 9_876n, period: 20_261_113, source_hash: root.repeat(32) })
    await chain.advance()
    const client = await connect({
      ...world.client,
      withSnapshot: (read, options) =>
        world.client.withSnapshot((at) => read({ ...at, getValueCount: async () => 1 }), options),
    })
    const claim = { feed, period: '2026-11-13', value: '9876', trusted_block_hash: world.genesisHash }
    const hidden = await callTool(client, 'verify_claim', claim)
    expect([hidden.data.verdict, String(hidden.data.explanation)]).toEqual([
      'unproven',
      expect.stringContaining(`is 9876, with the root ${'cd'.repeat(32)}`),
    ])
    const { data } = await callTool(mcp, 'verify_claim', claim)
    expect([data.verdict, data.total_prints]).toEqual(['proven', 2])
    await client.close()
  })

  test('error: a history that gives a value to another period is found by the proof', async () => {
    const [own, other] = [20261119, 20261120]
    const client = await connect({
      ...world.client,
      withSnapshot: (read, options) =>
        world.client.withSnapshot(
          (at) =>
            read({
              ...at,
              async getValueAt(feedId, index, options) {
                const value = await at.getValueAt(feedId, index, options)
                const swapped = value?.period === own ? other : own
                return value && { ...value, period: value.period < own ? value.period : swapped }
              },
            }),
          options,
        ),
    })
    const { data } = await check('2026-11-20', '69.5', world.genesisHash, client)
    expect([data.verdict, data.value]).toEqual(['unproven', '69.5'])
    expect(String(data.explanation)).toContain('period: the value 1 is of 20261119')
  })

  test('error: a node that has no history after all proves nothing', async () => {
    const client = await connect({ ...world.client, getHistoryProof: async () => null })
    const { data } = await check('2026-11-18', '70.02', world.genesisHash, client)
    expect([data.verdict, String(data.explanation)]).toEqual([
      'unproven',
      'The proof does not hold from the trusted block: history: the node has none.',
    ])
  })

  test('error: a proof of another value, or one that does not hold, proves nothing', async () => {
    const prove = world.client.getFeedProof
    const swapped = await connect({
      ...world.client,
      getFeedProof: (feedId, options) => prove(feedId, { ...options, index: 1 }),
    })
    expect((await check('2026-11-20', '70.04', world.genesisHash, swapped)).data.verdict).toBe('unproven')
    const forged = await connect({
      ...world.client,
      getFeedProof: async (feedId, options) => {
        const proof = await prove(feedId, options)
        return proof && { ...proof, reading: { ...proof.reading, amount: '70050000' } }
      },
    })
    const { data } = await check('2026-11-20', '70.05', world.genesisHash, forged)
    expect(data.verdict).toBe('unproven')
  })

  test('error: a block that is no switch block is named as the argument', async () => {
    const { isError, data } = await check('2026-11-20', '70.04', 'ab'.repeat(32))
    expect([isError, data.error]).toMatchObject([true, { status: 400, code: 'invalid_argument' }])
    expect(JSON.stringify(data)).toContain('trusted_block_hash must be')
  })

  test('error: a busy queue of proofs is a 429', async () => {
    const client = await connect({
      ...world.client,
      getFeedProof: () => Promise.reject(new ProofBusyError()),
    })
    const { isError, data } = await check('2026-11-20', '70.04', world.genesisHash, client)
    expect([isError, data.error]).toMatchObject([true, { status: 429, code: 'proof_busy', retry_after_s: 4 }])
  })
})

test('behavior: if the server verifies its nodes, answers name the block', async () => {
  const client = clientOf(world.chain, [world.node.url], { verify: 'proofs' })
  const { data, text } = await callTool(await connect(client), 'get_readings', { feeds: [wti] })
  const { verification } = await client.snapshot()
  expect(data.block).toBe(verification?.blockHeight ?? 0)
  expect(text).toContain(`, block ${verification?.blockHeight} of test-net. Verify: `)
})

describe('without a trusted block', () => {
  test.each([
    ['2026-11-20', '70.04', 'matches'],
    ['2026-11-20', '70', 'differs'],
    ['2026-11-17', '70', 'unproven'],
  ])('default: %s = %s is %s', async (period, value, verdict) => {
    const { data } = await check(period, value)
    expect(data.verdict).toBe(verdict)
  })

  test('behavior: verify_command is a command, or null if the chain has no value', async () => {
    const url = `http://localhost:4030/v1/feeds/${wti}/history/3/proof`
    const known = (await check('2026-11-20', '70.04')).data
    expect([known.proof, known.verify_command]).toEqual([
      url,
      expect.stringContaining(`verify ${url} --trust`),
    ])
    const missing = (await check('2026-11-17', '70.04')).data
    expect([missing.proof, missing.verify_command, missing.about_verifying]).toEqual([null, null, null])
    const app = createTestApp({ client: world.client, network: world.chain, now: Date.now })
    const unset = (await check('2026-11-20', '70.04', undefined, await connectTo(app, '2026-07-28'))).data
    expect([unset.proof, unset.verify_command, unset.about_verifying]).toEqual([
      null,
      expect.stringContaining(
        `wattfeed verify <server>/v1/feeds/${wti}/history/3/proof --trust <block hash>`,
      ),
      expect.stringContaining('the operator of this one has not set its address'),
    ])
  })

  test('behavior: the answer says that nothing is proven', async () => {
    expect((await check('2026-11-20', '70.04')).text).toContain('nothing is proven')
  })
})

test('behavior: a value may begin with the point, as EIA writes it', async () => {
  const reading = readingOf({ decimals: 2, amount: 50n })
  const client = await connect(createFakeClient({ readings: [reading] }))
  const verdictOf = async (value: string | number) =>
    (await callTool(client, 'verify_claim', { feed: reading.feed_id, period: '2026-11-20', value })).data
      .verdict
  for (const value of ['.5', '.50', '0.5', '00.5', 0.5]) expect(await verdictOf(value)).toBe('matches')
  for (const value of ['-.5', '.05', '5', '0', '.0']) expect(await verdictOf(value)).toBe('differs')
})

test('error: a number with more digits than JSON keeps must be text', async () => {
  const { isError, text } = await check('2026-11-20', 0.1 + 0.2)
  expect([isError, text]).toEqual([true, expect.stringContaining('as text such as "70.04"')])
})

test.each(['seventy', '70,04', '1e2', '70.', '.', '-', ''])('error: the value %j', async (value) => {
  expect((await check('2026-11-20', value)).isError).toBe(true)
})

test.each(['2026-11', 'yesterday', '2026-02-30', '1'])('error: the period %j', async (period) => {
  const { data } = await check(period, '1')
  expect(data.error).toMatchObject({ status: 400, code: 'invalid_argument' })
})
