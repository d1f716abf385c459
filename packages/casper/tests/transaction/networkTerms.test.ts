import { describe, expect, test } from 'bun:test'
import { type AnswerRpc, createDevnet } from '@wattfeed/casper-devnet'
import { createCallCounter } from '@wattfeed/casper-devnet/testing/callCounter'
import { encodeHostCalls, OUT } from '@wattfeed/casper-devnet/testing/engine/hostCalls'
import { localFetch } from '@wattfeed/casper-devnet/testing/localNode'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { createScriptedNode } from '@wattfeed/casper-devnet/testing/scriptedNode'
import { signersOf } from '@wattfeed/casper-devnet/testing/sender'
import { clockOffMs, clockWords } from '../../src/transaction/clockOff.ts'
import {
  createDurableSender,
  type DurableSenderOptions,
  type SendStep,
} from '../../src/transaction/durableSender.ts'
import { readNetworkTerms } from '../../src/transaction/networkTerms.ts'
import { clString } from '../../src/types/arguments.ts'
import { NoLaneError } from '../../src/types/lane.ts'
import { testSigner } from '../support/keys.ts'
import { createMemoryStore } from '../support/memoryStore.ts'

const NOW = 1_800_000_000_000
const TTL_MS = 300_000
const HOUR_MS = 3_600_000

/** Nodes with these newest blocks; null for one that does not answer. `date` is what their HTTP answers say. */
function nodesOf(blockTimes: readonly (number | null)[], date: number | null = null) {
  const answers = blockTimes.map((time, index): [string, AnswerRpc] => {
    const node = createScriptedNode({ time: () => time ?? 0 })
    if (time === null) node.die()
    return [`http://node${index}.test/rpc`, node.answer]
  })
  const nodes = Object.fromEntries(answers)
  return rpcOf(nodes, {
    now: () => 0,
    fetch: async (url, init) => {
      const response = await localFetch(nodes[url] ?? (() => ({ result: null })))(url, init)
      if (date !== null) response.headers.set('date', new Date(date).toUTCString())
      return response
    },
  })
}

const stampOf = async (rpc: ReturnType<typeof nodesOf>, now = NOW) =>
  (await readNetworkTerms(rpc, TTL_MS, () => now)).timestamp

describe('readNetworkTerms', () => {
  test('default: the time of the newest block', async () => {
    expect(await stampOf(nodesOf([NOW - 8_000]))).toBe(NOW - 8_000)
  })

  test('behavior: a lagging node: the newest block of any node', async () => {
    expect(await stampOf(nodesOf([NOW - HOUR_MS, NOW - 8_000, null]))).toBe(NOW - 8_000)
  })

  test.each([
    ['a fast clock', HOUR_MS],
    ['a slow clock', -HOUR_MS],
  ])('behavior: %s does not matter', async (_, aheadMs) => {
    expect(await stampOf(nodesOf([NOW - 8_000], NOW), NOW + aheadMs)).toBe(NOW - 8_000)
  })

  test('behavior: no new block for half of the lifetime: 2 s before this clock', async () => {
    expect(await stampOf(nodesOf([NOW - 2_000 - TTL_MS / 2]))).toBe(NOW - 2_000 - TTL_MS / 2)
    expect(await stampOf(nodesOf([NOW - 2_001 - TTL_MS / 2]))).toBe(NOW - 2_000)
  })

  test('behavior: no new block, and a fast clock: the Date of the nodes', async () => {
    expect(await stampOf(nodesOf([NOW - HOUR_MS], NOW), NOW + HOUR_MS)).toBe(NOW)
  })

  test('behavior: no new block, and a slow clock: 2 s before this clock', async () => {
    expect(await stampOf(nodesOf([NOW - HOUR_MS], NOW), NOW - 30_000)).toBe(NOW - 32_000)
  })

  test('behavior: no node answers: 2 s before this clock', async () => {
    expect(await stampOf(nodesOf([null, null]))).toBe(NOW - 2_000)
  })
})

describe('the protocol of the network', () => {
  const versionOf = async (...nodes: [time: number, version: unknown][]) => {
    const answers = nodes.map(([time, protocol_version], index): [string, AnswerRpc] => {
      const { answer } = createScriptedNode({ time: () => time })
      return [
        `http://node${index}.test/rpc`,
        async (method, params) => {
          const answered = await answer(method, params)
          return 'result' in answered && method === 'info_get_status'
            ? { result: { ...Object(answered.result), protocol_version } }
            : answered
        },
      ]
    })
    return (await readNetworkTerms(rpcOf(Object.fromEntries(answers)), TTL_MS, () => NOW)).protocolVersion
  }

  test('default: that of the node with the newest block, recent or not', async () => {
    expect(await versionOf([NOW - 8_000, '2.0.0'], [NOW, '2.2.2'], [NOW - 1, '2.1.0'])).toBe('2.2.2')
    expect(await versionOf([NOW - HOUR_MS, '2.0.0'])).toBe('2.0.0')
  })

  test('behavior: unknown if the node does not say it, or no node answers', async () => {
    expect(await versionOf([NOW, undefined])).toBeNull()
    expect(await versionOf([NOW, 'two'])).toBeNull()
    expect((await readNetworkTerms(nodesOf([null]), TTL_MS, () => NOW)).protocolVersion).toBeNull()
  })

  test('behavior: the first transaction after an upgrade has the new lanes, without another call', async () => {
    let now = NOW
    const devnet = createDevnet({ accounts: 1, now: () => now++, protocol: '2.0.3', eraLength: 4 })
    const [signer] = await signersOf(devnet.accounts)
    if (signer === undefined) throw new Error('the chain has no account')
    const calls = createCallCounter(devnet.call)
    const sender = createDurableSender({
      rpc: rpcOf(calls.answer, { chainName: devnet.chainName }),
      signer,
      chainName: devnet.chainName,
      store: createMemoryStore(),
      pollMs: 1,
      now: () => now,
    })
    const send = (textBytes: number) =>
      sender.send({
        prepare: () => ({
          target: { session: encodeHostCalls([{ name: 'get_blocktime', args: [OUT] }]) },
          args: { text: clString('x'.repeat(textBytes)) },
          paymentMotes: 2_500_000_000n,
          purpose: { kind: 'test' },
        }),
      })
    const statuses = async (textBytes: number): Promise<unknown> => {
      calls.reset()
      await send(textBytes)
      return calls.byMethod().info_get_status
    }
    await send(0)
    const before = await statuses(0)
    await expect(send(1_500)).rejects.toThrow('with 1024 bytes of arguments in 262144 bytes')
    devnet.upgrade()
    while (!devnet.produceBlock().isSwitchBlock) await expect(send(1_500)).rejects.toThrow(NoLaneError)
    expect(await statuses(0)).toEqual(before)
    expect((await send(1_500)).settlement.outcome).toBe('executed')
  })
})

describe('a transaction', () => {
  const request = {
    target: { wasm: encodeHostCalls([{ name: 'get_blocktime', args: [OUT] }]) },
    args: {},
    paymentMotes: 2_500_000_000n,
    purpose: { kind: 'test' } as const,
  }

  /** Sends on an embedded chain with these clocks, each ahead of the true time. */
  async function sendOn(options: { aheadMs: number; idleMs: number }) {
    let now = NOW
    const devnet = createDevnet({ accounts: 1, now: () => now })
    const [signer] = await signersOf(devnet.accounts)
    if (signer === undefined) throw new Error('the chain has no account')
    now += options.idleMs
    const rpc = rpcOf(devnet.call, {
      chainName: devnet.chainName,
      now: () => now,
      fetch: async (url, init) => {
        const response = await localFetch(devnet.call)(url, init)
        response.headers.set('date', new Date(now).toUTCString())
        return response
      },
    })
    const sender = createDurableSender({
      rpc,
      signer,
      chainName: devnet.chainName,
      store: createMemoryStore(),
      pollMs: 1,
      now: () => now + options.aheadMs,
      wait: async () => {
        now += 1_000
      },
    })
    return (await sender.send({ prepare: () => request })).settlement.outcome
  }

  const clocks = {
    'a right clock': 0,
    'a clock that is an hour fast': HOUR_MS,
    'a clock that is 2 min slow': -120_000,
  }
  const chains = { 'a chain that has just made a block': 0, 'a chain without a block for an hour': HOUR_MS }
  const cases = Object.entries(clocks).flatMap(([clock, aheadMs]) =>
    Object.entries(chains).map(([chain, idleMs]) => [clock, chain, { aheadMs, idleMs }] as const),
  )
  test.each(cases)('behavior: %s and %s: executed', async (_, __, options) => {
    expect(await sendOn(options)).toBe('executed')
  })

  test('behavior: a clock that is an hour slow: executed if the chain makes blocks', async () => {
    expect(await sendOn({ aheadMs: -HOUR_MS, idleMs: 0 })).toBe('executed')
  })

  test('behavior: a slow clock does not hide that a transaction has expired', async () => {
    let chainTime = NOW
    const node = createScriptedNode({ time: () => chainTime, puts: ['forget'], ttlMs: TTL_MS })
    const sender = createDurableSender({
      rpc: rpcOf(node.answer),
      signer: await testSigner(),
      chainName: 'casper-net-1',
      store: createMemoryStore(),
      now: () => NOW - 24 * HOUR_MS,
      wait: async () => {
        chainTime += 30_000
      },
    })
    const { settlement } = await sender.send({ prepare: () => request })
    expect([settlement.outcome, chainTime < NOW + 3 * TTL_MS]).toEqual(['expired', true])
  })

  test('behavior: a clock that is far off is reported once', async () => {
    const rpc = nodesOf([NOW], NOW)
    const steps: SendStep[] = []
    const options: DurableSenderOptions = {
      rpc,
      signer: await testSigner(),
      chainName: 'casper-net-1',
      store: createMemoryStore(),
      now: () => NOW + 12_000,
      onStep: (step) => steps.push(step),
    }
    const sender = createDurableSender(options)
    await sender.send({ prepare: () => request })
    await sender.send({ prepare: () => request })
    expect(steps.flatMap((step) => (step.step === 'clock_off' ? step.aheadMs : []))).toEqual([12_000])
  })
})

test('default: a clock that is far off is named with its side', () => {
  const offBy = (aheadMs: number) => clockOffMs({ nodeTime: () => NOW }, () => NOW + aheadMs)
  expect([9_999, 10_000, -10_000].map(offBy)).toEqual([null, 10_000, -10_000])
  expect(clockOffMs({ nodeTime: () => null }, () => NOW)).toBeNull()
  expect([clockWords(12_400), clockWords(-90_000)]).toEqual([
    "this machine's clock is 12 s ahead of the chain's",
    "this machine's clock is 90 s behind the chain's",
  ])
})
