import { describe, expect, test } from 'bun:test'
import { StateFileError } from '@wattfeed/base/disk'
import { createDevnet, type RpcAnswer } from '@wattfeed/casper-devnet'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import {
  createScriptedNode,
  noSuchAccount,
  type ScriptedNodeOptions,
} from '@wattfeed/casper-devnet/testing/scriptedNode'
import { signersOf } from '@wattfeed/casper-devnet/testing/sender'
import {
  createDurableSender,
  type DurableSenderOptions,
  deliverStored,
  type SendRequest,
} from '../../src/transaction/durableSender.ts'
import { assertExecuted, isSettled, type Settlement } from '../../src/transaction/settlement.ts'
import type { Pending } from '../../src/transaction/transactionStore.ts'
import { decodeBlock } from '../../src/types/block.ts'
import { testSigner } from '../support/keys.ts'
import { createMemoryStore } from '../support/memoryStore.ts'
import { readRecordedBlocks } from '../support/recordedBlocks.ts'

const START = 1_800_000_000_000

const request: SendRequest = {
  target: { packageHash: '11'.repeat(32), entryPoint: 'attest' },
  args: {},
  paymentMotes: 2_500_000_000n,
  purpose: { kind: 'test', what: 'a test' },
}

/** A sender on a scripted node, with a clock that only waiting moves. */
async function createBench(options: ScriptedNodeOptions = {}) {
  let now = START
  const node = createScriptedNode({ time: () => now, ...options })
  const store = createMemoryStore()
  const steps: string[] = []
  const signer = await testSigner()
  const open = (changes: Partial<DurableSenderOptions> = {}) =>
    createDurableSender({
      rpc: rpcOf(node.answer),
      signer,
      chainName: 'casper-net-1',
      store,
      pollMs: 600_000,
      now: () => now,
      wait: async (ms) => {
        now += ms
      },
      onStep: ({ step }) => steps.push(step),
      ...changes,
    })
  const send = async (sender = open()): Promise<Settlement> =>
    (await sender.send({ prepare: () => request })).settlement
  const pass = (ms: number): void => {
    now += ms
  }
  return { node, store, steps, open, send, now: () => now, pass }
}

describe('send', () => {
  test('default: signed, written, sent, settled, forgotten', async () => {
    const { node, store, steps, send } = await createBench()
    const settlement = await send()
    expect([isSettled(settlement), assertExecuted(settlement).transactionHash]).toEqual([
      true,
      node.sent[0] ?? '',
    ])
    expect([steps, store.kept()]).toEqual([['signed', 'written', 'accepted', 'settled', 'removed'], null])
  })

  test('behavior: an outcome that cannot be recorded outside the store leaves it pending', async () => {
    const { node, store, open } = await createBench()
    let fails = true
    const sender = open({
      onStep({ step }) {
        if (step === 'settled' && fails) throw new Error('the disk is full')
      },
    })
    await expect(sender.send({ prepare: () => request })).rejects.toThrow('the disk is full')
    expect(store.kept()).toMatchObject({ purpose: request.purpose, transaction_hash: node.sent[0] })
    fails = false
    expect(await sender.resume()).toMatchObject([{ settlement: { outcome: 'executed' } }])
    expect([node.executed.length, store.kept()]).toEqual([1, null])
  })

  test('behavior: a store that cannot record the outcome changes nothing about it', async () => {
    const { node, store, steps, open, send } = await createBench()
    const settle = () => {
      throw new StateFileError({ path: 'wattfeed.db', rule: 'cannot be written' })
    }
    expect(await send(open({ store: { ...store, settle } }))).toMatchObject({ outcome: 'executed' })
    expect([steps.at(-1), store.kept()?.transaction_hash]).toEqual(['not_removed', node.sent[0] ?? ''])
    expect(await open().resume()).toMatchObject([{ settlement: { outcome: 'executed' } }])
    expect(store.kept()).toBeNull()
  })

  test('behavior: one that cannot be put together is not signed', async () => {
    const { node, store, steps, open } = await createBench()
    const prepare = () => Promise.reject(new Error('not due'))
    await expect(open().send({ prepare })).rejects.toThrow('not due')
    expect([node.sent, steps, store.kept()]).toEqual([[], [], null])
  })

  test('error: one that cannot be stored is not sent, and its claim ends', async () => {
    const { node, store, steps, open, send } = await createBench()
    const released: unknown[] = []
    const sender = open({
      store: {
        ...store,
        write: () => Promise.reject(new Error('read-only')),
        release: (claim) => void released.push(claim),
      },
    })
    await expect(send(sender)).rejects.toThrow('read-only')
    expect([node.sent, steps, released.length]).toEqual([[], ['signed'], 1])
  })

  test('behavior: one after another, unless configured otherwise', async () => {
    const { store, open, send } = await createBench({ looks: 2 })
    let most = 0
    let pending = 0
    const counting = {
      ...store,
      write() {
        most = Math.max(most, ++pending)
      },
      settle() {
        pending -= 1
      },
    }
    for (const [options, expected] of [
      [{}, 1],
      [{ concurrency: 3 }, 3],
    ] as const) {
      most = 0
      const sender = open({ store: counting, ...options })
      await Promise.all(Array.from({ length: 5 }, () => send(sender)))
      expect(most).toBe(expected)
    }
  })
})

describe('a settlement', () => {
  const refusal = { error: { code: -32016, message: 'Invalid transaction', data: 'insufficient balance' } }
  const ends: [Settlement['outcome'], ScriptedNodeOptions][] = [
    ['executed', {}],
    ['failed', { fails: () => 'User error: 1' }],
    ['expired', { looks: 1_000, ttlMs: 5 * 60_000 }],
    ['refused', { puts: [refusal] }],
    ['unresolved', { puts: ['die'] }],
  ]

  test.each(ends)('default: %s: only settled transactions are removed', async (outcome, options) => {
    const { store, send } = await createBench(options)
    const settlement = await send()
    const isOver = outcome !== 'unresolved'
    expect([settlement.outcome, isSettled(settlement), store.kept() === null]).toEqual([
      outcome,
      isOver,
      isOver,
    ])
    if (outcome !== 'executed') expect(() => assertExecuted(settlement)).toThrow()
  })

  test('behavior: an abort leaves it unresolved, for the abort’s reason', async () => {
    const { store, open, send } = await createBench({ looks: 1_000 })
    const stop = new AbortController()
    const onStep = ({ step }: { step: string }) => {
      if (step === 'pending') stop.abort(new Error('stopped'))
    }
    const settlement = await send(open({ signal: stop.signal, onStep }))
    expect([settlement.outcome, String(settlement.error)]).toEqual(['unresolved', 'Error: stopped'])
    expect(store.kept()).not.toBeNull()
  })
})

describe('deliverStored', () => {
  const refusal = { error: { code: -32016, message: 'Invalid transaction', data: 'an invalid approval' } }

  /** A transaction that another key signed. */
  async function signElsewhere() {
    const { store, open, send } = await createBench({ looks: 1_000 })
    const stop = new AbortController()
    const [signer = await testSigner()] = await signersOf(createDevnet({ accounts: 1 }).accounts)
    await send(open({ signer, signal: stop.signal, wait: async () => stop.abort() }))
    const pending = store.kept()
    if (pending === null) throw new Error('nothing is pending')
    return pending
  }

  async function createDelivery(options: ScriptedNodeOptions = {}) {
    const bench = await createBench(options)
    const { node, store, steps, now } = bench
    const deliver = async (stored: Pending) =>
      deliverStored(stored, {
        rpc: rpcOf(node.answer),
        signer: await testSigner(),
        store,
        pollMs: 600_000,
        now,
        wait: async (ms) => bench.pass(ms),
        onStep: ({ step }) => steps.push(step),
      })
    return { ...bench, deliver }
  }

  test('default: stores, sends, follows and settles a transaction that another program signed', async () => {
    const stored = await signElsewhere()
    const { node, store, steps, deliver } = await createDelivery()
    expect(await deliver(stored)).toMatchObject({ settlement: { outcome: 'executed' }, pending: stored })
    expect({ steps, kept: store.kept(), executed: node.executed }).toEqual({
      steps: ['written', 'accepted', 'settled', 'removed'],
      kept: null,
      executed: [stored.transaction_hash],
    })
  })

  test('behavior: a rejection does not settle it, because others may send it with more approvals', async () => {
    const stored = await signElsewhere()
    const { deliver } = await createDelivery({ puts: [refusal, 'accept'] })
    expect((await deliver(stored)).settlement.outcome).toBe('executed')
  })

  test('behavior: a refusal does not settle it in a later run either', async () => {
    const stored = await signElsewhere()
    const { store, open } = await createBench({ puts: [refusal, 'accept'] })
    store.put(stored)
    expect(await open().resume()).toMatchObject([{ settlement: { outcome: 'executed' } }])
  })

  test('behavior: refused until it expires: settled by the time of the chain', async () => {
    const stored = await signElsewhere()
    const { deliver, store } = await createDelivery({ puts: [refusal], ttlMs: 5 * 60_000 })
    const { settlement } = await deliver(stored)
    expect([settlement.outcome, store.kept()]).toEqual(['expired', null])
  })
})

describe('how it is signed', () => {
  const payloadOf = (kept: object | null) => Object(kept).transaction.Version1.payload

  test('default: five minutes, a gas price of 1, and the time of the newest block', async () => {
    const { store, open, send } = await createBench({ looks: 1_000, time: () => START - 8_000 })
    const stop = new AbortController()
    await send(open({ signal: stop.signal, wait: async () => stop.abort() }))
    expect(payloadOf(store.kept())).toMatchObject({
      timestamp: new Date(START - 8_000).toISOString(),
      ttl: '5m',
      pricing_mode: { PaymentLimited: { gas_price_tolerance: 1 } },
    })
  })

  test('behavior: uses the terms of the settings, and reserves the maximum cost at the highest price', async () => {
    const [block] = readRecordedBlocks('blocks')
    const answers: Record<string, RpcAnswer> = {
      chain_get_block: { result: { block_with_signatures: block } },
      query_balance: { result: { balance: '9000000000' } },
    }
    const { store, open } = await createBench({
      looks: 1_000,
      rest: (method) => answers[method] ?? noSuchAccount,
    })
    const stop = new AbortController()
    const terms = { transactionTtlMs: 60_000, gasPriceTolerance: 3 }
    const reserved: unknown[] = []
    const reserve = (_: unknown, ...call: unknown[]): void => void reserved.push(call)
    const sender = open({
      ...terms,
      store: { ...store, reserve },
      signal: stop.signal,
      wait: async () => stop.abort(),
    })
    await sender.send({ reserveMotes: 2_500_000_000n, prepare: () => request })
    const { height, timestamp } = decodeBlock(block).header
    expect(reserved).toEqual([[7_500_000_000n, { motes: 9_000_000_000n, height, time: timestamp }]])
    expect(store.kept()).toMatchObject({ payment_motes: '7500000000', expires_at: START + 60_000 })
    expect(payloadOf(store.kept())).toMatchObject({
      ttl: '1m',
      pricing_mode: { PaymentLimited: { gas_price_tolerance: 3, payment_amount: 2_500_000_000 } },
    })
  })

  test('behavior: a refusal because of its time settles it, and nothing is signed again', async () => {
    const data = 'The transaction sent to the network had a timestamp that has not yet occurred'
    const early = { error: { code: -32016, message: 'Invalid transaction', data } }
    const { node, store, steps, send } = await createBench({ puts: [early, 'accept'] })
    expect(await send()).toMatchObject({
      outcome: 'refused',
      error: { reason: 'timestamp', retryable: true },
    })
    expect([node.sent.length, store.kept(), steps]).toEqual([
      1,
      null,
      ['signed', 'written', 'settled', 'removed'],
    ])
  })
})
