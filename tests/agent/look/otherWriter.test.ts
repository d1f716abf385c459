import { expect, test } from 'bun:test'
import { EiaNoRowsError } from '@wattfeed/eia'
import { createOtherWriter } from '../../../src/agent/look/otherWriter.ts'
import { stateOf } from '../../../src/agent/state/openState.ts'
import { openSentLog } from '../../../src/agent/state/sentLog.ts'
import { createState, type TestState } from '../../support/state.ts'
import { attestationOf, createFakeChain, feedOf, owner, turn } from '../run/fakes.ts'

const [a, b] = [feedOf('A'), feedOf('B')]
const stranger = `account-hash-${'bb'.repeat(32)}`
const log = { info: () => {}, warn: () => {}, error: () => {} }

const sentLogOf = ({ file }: TestState) =>
  openSentLog(stateOf(file, { chainName: 'casper-net-1', contract: 'cd'.repeat(32), account: owner }))

async function createBench() {
  const state = createState()
  const chain = createFakeChain([a, b])
  const open = () =>
    createOtherWriter({
      client: chain.client,
      sentLog: sentLogOf(state),
      accountHash: owner,
      readTime: async () => 30_000,
      log,
    })
  let writer = open()
  await writer.begin()
  return {
    chain,
    [Symbol.dispose]: () => state[Symbol.dispose](),
    async restart() {
      writer = open()
      await writer.begin()
    },
    /** Reads both feeds and looks: `feed period` of each value that another program attested. */
    async look(): Promise<string[]> {
      for (const { feed_id: feedId } of [a, b]) {
        const latest = chain.historyOf(feedId).at(-1) ?? null
        writer.noteRead(feedId, { latest })
      }
      return (await writer.findNew()).map(({ feedId, value }) => `${feedId} ${value.period}`)
    },
  }
}

test('default: attestations of this account that were not sent from the folder are reported once', async () => {
  using bench = await createBench()
  const { chain, look, restart } = bench
  chain.attest(
    'EIA.A',
    { period: 1, amount: 1n, timestamp: 29_000 },
    { period: 2, amount: 1n, timestamp: 30_000 },
  )
  expect(await look()).toEqual([])
  chain.attest('EIA.A', { period: 3, amount: 1n, timestamp: 31_000 })
  chain.attest(
    'EIA.B',
    { period: 7, amount: 1n, timestamp: 31_000 },
    { period: 8, amount: 1n, timestamp: 31_000 },
  )
  expect(await look()).toEqual(['EIA.A 3', 'EIA.B 7', 'EIA.B 8'])
  expect(await look()).toEqual([])
  await restart()
  expect(await look()).toEqual([])
  chain.attest('EIA.A', { period: 3, amount: 1n, timestamp: 32_000 })
  expect(await look()).toEqual(['EIA.A 3'])
})

test('behavior: attestations of another account are ignored', async () => {
  using bench = await createBench()
  bench.chain.attest('EIA.A', { ...attestationOf({ attester: stranger }), timestamp: 31_000 })
  expect(await bench.look()).toEqual([])
})

test('behavior: all due feeds are read at one state root, at most 16 at once; a feed that fails is due again', async () => {
  using state = createState()
  const many = Array.from({ length: 20 }, (_, index) => feedOf(`F${index}`))
  const chain = createFakeChain(many)
  let [reading, mostAtOnce, isBroken] = [0, 0, true]
  const writer = createOtherWriter({
    client: {
      async snapshot() {
        const at = await chain.client.snapshot()
        return {
          ...at,
          async getValueCount(feedId) {
            reading += 1
            mostAtOnce = Math.max(mostAtOnce, reading)
            await turn()
            reading -= 1
            if (feedId === 'EIA.F3' && isBroken) throw new EiaNoRowsError({ route: 'a', status: 200 })
            return at.getValueCount(feedId)
          },
        }
      },
    },
    sentLog: sentLogOf(state),
    accountHash: owner,
    readTime: async () => 30_000,
    log,
  })
  await writer.begin()
  for (const { feed_id: feedId } of many) {
    chain.attest(feedId, { period: 1, amount: 1n, timestamp: 31_000 })
    writer.noteRead(feedId, { latest: chain.historyOf(feedId).at(-1) ?? null })
  }
  expect([(await writer.findNew()).length, chain.snapshots(), mostAtOnce]).toEqual([19, 1, 16])
  isBroken = false
  expect((await writer.findNew()).map(({ feedId }) => feedId)).toEqual(['EIA.F3'])
  await writer.findNew()
  expect(chain.snapshots()).toBe(2)
})

test('behavior: neither an unchanged feed nor compared values are read again', async () => {
  using bench = await createBench()
  const many = Array.from({ length: 50 }, (_, index) => ({
    period: index,
    amount: 1n,
    timestamp: 40_000 + index,
  }))
  bench.chain.attest('EIA.A', ...many)
  expect((await bench.look()).length).toBe(50)
  const [read, snapshots] = [bench.chain.valuesRead(), bench.chain.snapshots()]
  await bench.look()
  expect([bench.chain.valuesRead(), bench.chain.snapshots()]).toEqual([read, snapshots])
  bench.chain.attest('EIA.A', { period: 60, amount: 1n, timestamp: 50_000 })
  await bench.look()
  expect(bench.chain.valuesRead()).toBe(read + 1)
})

test('behavior: a node behind the compared values changes nothing', async () => {
  using bench = await createBench()
  const values = [1, 2, 3].map((period) => ({ period, amount: 1n, timestamp: 31_000 + period }))
  bench.chain.attest('EIA.A', ...values)
  expect((await bench.look()).length).toBe(3)
  bench.chain.forget('EIA.A')
  bench.chain.attest('EIA.A', ...values.slice(0, 2))
  expect(await bench.look()).toEqual([])
  bench.chain.attest('EIA.A', ...values.slice(2))
  expect(await bench.look()).toEqual([])
})
