import { describe, expect, test } from 'bun:test'
import { createDurableSender, type DurableSenderOptions, type SendRequest } from '../../../src/casper/transaction/durableSender.ts'
import { assertExecuted, isSettled, type Settlement } from '../../../src/casper/transaction/settlement.ts'
import { createDevnet } from '../../../src/devnet/createDevnet.ts'
import { testSigner } from '../../agent/support/keys.ts'
import { rpcOf } from '../../agent/support/rpc.ts'
import {
  createScriptedNode,
  noSuchAccount,
  type ScriptedNodeOptions,
} from '../../agent/support/scriptedNode.ts'
import { signersOf } from '../../devnet/registries/sender.ts'
import { createMemoryStore } from './memoryStore.ts'

const START = 1_800_000_000_000

interface TestPurpose {
  kind: 'test'
  what: string
}

const request: SendRequest<TestPurpose> = {
  target: { packageHash: '11'.repeat(32), entryPoint: 'attest' },
  args: {},
  paymentMotes: 2_500_000_000n,
  purpose: { kind: 'test', what: 'a test' },
}

/** A sender on a scripted node, with a clock that only waiting moves. */
async function createBench(options: ScriptedNodeOptions = {}) {
  let now = START
  const node = createScriptedNode({ time: () => now, ...options })
  const store = createMemoryStore<TestPurpose>()
  const steps: string[] = []
  const signer = await testSigner()
  const open = (changes: Partial<DurableSenderOptions<TestPurpose>> = {}) =>
    createDurableSender<TestPurpose>({
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
  return { node, store, steps, open, send }
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

  test('behavior: the outcome is recorded before the transaction is removed; if that fails, it stays pending', async () => {
    const { node, store, open } = await createBench()
    const outcomes: string[] = []
    const sender = open({
      beforeRemove({ outcome }, pending) {
        expect(store.kept()).toEqual(pending)
        if (outcomes.push(outcome) === 1) throw new Error('the disk is full')
      },
    })
    await expect(sender.send({ prepare: () => request })).rejects.toThrow('the disk is full')
    expect(store.kept()).toMatchObject({ purpose: request.purpose, transaction_hash: node.sent[0] })
    expect(await sender.resume()).toMatchObject([{ settlement: { outcome: 'executed' } }])
    expect([node.executed.length, store.kept(), outcomes]).toEqual([1, null, ['executed', 'executed']])
  })

  test('behavior: one that cannot be put together is not signed', async () => {
    const { node, store, steps, open } = await createBench()
    const prepare = () => Promise.reject(new Error('not due'))
    await expect(open().send({ prepare })).rejects.toThrow('not due')
    expect([node.sent, steps, store.kept()]).toEqual([[], [], null])
  })

  test('error: neither written nor removed: it is written before it is sent, whenever that works again', async () => {
    const { node, store, steps, open, send } = await createBench()
    let isReadOnly = true
    const readOnly = () => (isReadOnly ? Promise.reject(new Error('read-only')) : null)
    const sender = open({
      store: {
        ...store,
        write: async (pending) => (await readOnly()) ?? store.write(pending),
        remove: async (pending) => (await readOnly()) ?? store.remove(pending),
      },
      onStep: ({ step }) => {
        if (step === 'accepted') expect(store.kept()?.transaction_hash ?? null).toBe(node.sent[0] ?? '')
        steps.push(step)
      },
    })
    await expect(send(sender)).rejects.toThrow('read-only')
    await expect(sender.resume()).rejects.toThrow('read-only')
    expect([node.sent, steps]).toEqual([[], ['signed', 'resumed']])
    isReadOnly = false
    expect(await sender.resume()).toMatchObject([{ settlement: { outcome: 'executed' } }])
    expect(steps.slice(2)).toEqual(['resumed', 'written', 'accepted', 'settled', 'removed'])
    expect([node.executed.length, store.kept()]).toEqual([1, null])
  })

  test('behavior: one after another, unless configured otherwise', async () => {
    const { store, open, send } = await createBench({ looks: 2 })
    let most = 0
    let pending = 0
    const counting = {
      ...store,
      write: async () => {
        most = Math.max(most, ++pending)
      },
      remove: async () => {
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

describe('deliver', () => {
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

  test('default: stores, sends, follows and settles a transaction that another program signed', async () => {
    const stored = await signElsewhere()
    const { node, store, steps, open } = await createBench()
    const recorded: unknown[] = []
    const sender = open({ beforeRemove: ({ outcome }, pending) => recorded.push([outcome, pending]) })
    expect(await sender.deliver(stored)).toMatchObject({
      settlement: { outcome: 'executed' },
      pending: stored,
    })
    expect({ steps, recorded, kept: store.kept(), executed: node.executed }).toEqual({
      steps: ['written', 'accepted', 'settled', 'removed'],
      recorded: [['executed', stored]],
      kept: null,
      executed: [stored.transaction_hash],
    })
  })

  test('behavior: a rejection does not settle it, because others may send it with more approvals', async () => {
    const stored = await signElsewhere()
    const { open } = await createBench({ puts: [refusal, 'accept'] })
    const { settlement } = await open().deliver(stored)
    expect(settlement.outcome).toBe('executed')
  })

  test('behavior: a refusal does not settle it in a later run either', async () => {
    const stored = await signElsewhere()
    const { store, open } = await createBench({ puts: [refusal, 'accept'] })
    await store.write(stored)
    expect(await open().resume()).toMatchObject([{ settlement: { outcome: 'executed' } }])
  })

  test('behavior: refused until it expires: settled by the time of the chain', async () => {
    const stored = await signElsewhere()
    const { open, store } = await createBench({ puts: [refusal], ttlMs: 5 * 60_000 })
    const { settlement } = await open().deliver(stored)
    expect([settlement.outcome, store.kept()]).toEqual(['expired', null])
  })

  test('behavior: one that is stored already is delivered and not written again', async () => {
    const stored = await signElsewhere()
    const { store, steps, open } = await createBench()
    await store.write(stored)
    await open().deliver(stored)
    expect(steps).toEqual(['accepted', 'settled', 'removed'])
  })

  test('error: another transaction with the same key is in flight', async () => {
    const stored = await signElsewhere()
    const { node, store, open } = await createBench()
    const taken = () => new Error('taken')
    const sender = open({ exclusive: { keysOf: ({ purpose }) => [purpose.what], taken } })
    const other = { ...stored, transaction_hash: '99'.repeat(32) }
    await store.write(other)
    await expect(sender.deliver(stored)).rejects.toThrow('taken')
    expect([node.sent, await store.list()]).toEqual([[], [other]])
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
    const { store, open } = await createBench({
      looks: 1_000,
      rest: (method) => (method === 'query_balance' ? { result: { balance: '7500000000' } } : noSuchAccount),
    })
    const stop = new AbortController()
    const terms = { transactionTtlMs: 60_000, gasPriceTolerance: 3 }
    const sender = open({ ...terms, signal: stop.signal, wait: async () => stop.abort() })
    const prepare = (motes: bigint) => async (reserve: (motes: bigint) => Promise<void>) => {
      await reserve(motes)
      return request
    }
    const tooMuch = sender.send({ prepare: prepare(2_500_000_001n) })
    expect(tooMuch).rejects.toMatchObject({ code: 'balance', neededMotes: 7_500_000_003n })
    await sender.send({ prepare: prepare(2_500_000_000n) })
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
