import { describe, expect, test } from 'bun:test'
import {
  assertExecuted,
  createDurableSender,
  type DurableSenderOptions,
  isSettled,
  type SendRequest,
  type Settlement,
} from '../../../src/casper/transaction/durableSender.ts'
import { testSigner } from '../../agent/support/keys.ts'
import { rpcOf } from '../../agent/support/rpc.ts'
import { createScriptedNode, type ScriptedNodeOptions } from '../../agent/support/scriptedNode.ts'
import { createMemoryStore } from './memoryStore.ts'

const START = 1_800_000_000_000

interface Purpose {
  what: string
}

const request: SendRequest<Purpose> = {
  target: { packageHash: '11'.repeat(32), entryPoint: 'attest' },
  args: {},
  paymentMotes: 2_500_000_000n,
  purpose: { what: 'a test' },
}

/** A sender on a scripted node, with a clock that only waiting moves. */
async function createBench(options: ScriptedNodeOptions = {}) {
  let now = START
  const node = createScriptedNode({ time: () => now, ...options })
  const store = createMemoryStore<Purpose>()
  const steps: string[] = []
  const signer = await testSigner()
  const open = (changes: Partial<DurableSenderOptions<Purpose>> = {}) =>
    createDurableSender<Purpose>({
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
  const send = (sender = open()): Promise<Settlement> =>
    sender.send({ prepare: () => request, recordOutcome: (settlement) => settlement })
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

  test('behavior: the note is taken before it is forgotten; where that fails, it stays', async () => {
    const { node, store, open } = await createBench()
    const sender = open()
    const recordOutcome = (_: unknown, pending: object) => {
      expect(store.kept() as object).toEqual(pending)
      throw new Error('no room for the note')
    }
    await expect(sender.send({ prepare: () => request, recordOutcome })).rejects.toThrow('no room')
    expect(store.kept()).toMatchObject({ what: 'a test', transaction_hash: node.sent[0] })
    expect(await sender.resume(({ outcome }) => outcome)).toEqual(['executed'])
    expect([node.executed.length, store.kept()]).toEqual([1, null])
  })

  test('behavior: one that cannot be put together is not signed', async () => {
    const { node, store, steps, open } = await createBench()
    const prepare = () => Promise.reject(new Error('not due'))
    await expect(open().send({ prepare, recordOutcome: () => null })).rejects.toThrow('not due')
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
    await expect(sender.resume(({ outcome }) => outcome)).rejects.toThrow('read-only')
    expect([node.sent, steps]).toEqual([[], ['signed', 'resumed']])
    isReadOnly = false
    expect(await sender.resume(({ outcome }) => outcome)).toEqual(['executed'])
    expect(steps.slice(2)).toEqual(['resumed', 'written', 'accepted', 'settled', 'removed'])
    expect([node.executed.length, store.kept()]).toEqual([1, null])
  })

  test('behavior: one after another, unless it is told otherwise', async () => {
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

  test.each(ends)('default: %s: only what is over is forgotten', async (outcome, options) => {
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

describe('a refusal for time', () => {
  const refusal = (data: string) => ({ error: { code: -32016, message: 'Invalid transaction', data } })
  const early = refusal('The transaction sent to the network had a timestamp that has not yet occurred')
  const anew = [
    'signed',
    'written',
    'clock_off',
    'removed',
    'signed',
    'written',
    'accepted',
    'settled',
    'removed',
  ]

  test.each([
    ['too early', early, -40_000, 40_000],
    ['expired', refusal('transaction has expired'), 400_000, -400_000],
  ])("behavior: %s: signed anew once, with the newest block's time", async (_, refused, off, aheadMs) => {
    const blockTime = START + off
    const told: unknown[] = []
    const { node, store, steps, open, send } = await createBench({
      puts: [refused, 'accept'],
      time: () => blockTime,
    })
    const stamps: number[] = []
    const onStep: DurableSenderOptions<Purpose>['onStep'] = (step) => {
      steps.push(step.step)
      if (step.step === 'written') stamps.push(step.pending.expires_at - 300_000)
      if (step.step === 'clock_off') told.push(step.aheadMs)
    }
    const settlement = await send(open({ onStep }))
    expect({ steps, stamps, told }).toEqual({
      steps: anew,
      stamps: [START - 2_000, blockTime],
      told: [aheadMs],
    })
    expect(assertExecuted(settlement).transactionHash).toBe(node.sent[1] ?? '')
    expect({ executed: node.executed, kept: store.kept() }).toEqual({
      executed: [node.sent[1] ?? ''],
      kept: null,
    })
  })

  test('error: refused again: it is told, and nothing is pending', async () => {
    const { node, store, send } = await createBench({ puts: [early], time: () => START - 40_000 })
    const settlement = await send()
    expect(settlement).toMatchObject({ outcome: 'refused', error: { reason: 'timestamp', retryable: true } })
    expect({ sent: new Set(node.sent).size, kept: store.kept() }).toEqual({ sent: 2, kept: null })
  })

  test('behavior: what may have reached another node is followed, and nothing is signed anew', async () => {
    const { open, send, steps } = await createBench()
    const first = createScriptedNode({ puts: ['takeAndDie', 'accept'], time: () => START })
    const second = createScriptedNode({ puts: [early], time: () => START })
    const rpc = rpcOf({ 'http://first.test/rpc': first.answer, 'http://second.test/rpc': second.answer })
    const wait = async (): Promise<void> => {
      first.revive()
      second.die()
    }
    const settlement = await send(open({ rpc, wait }))
    expect(settlement.outcome).toBe('executed')
    expect({ first: first.executed.length, signed: steps.filter((step) => step === 'signed') }).toEqual({
      first: 1,
      signed: ['signed'],
    })
  })

  test('behavior: killed before the new one is written: nothing is pending, and nothing was executed', async () => {
    const { node, store, steps, open, send } = await createBench({ puts: [early, 'accept'] })
    const killed = Promise.withResolvers<void>()
    const onStep = ({ step }: { step: string }) => {
      steps.push(step)
      if (steps.filter((each) => each === 'signed').length < 2) return
      killed.resolve()
      return new Promise(() => {})
    }
    void send(open({ onStep }))
    await killed.promise
    expect({ kept: store.kept(), executed: node.executed }).toEqual({ kept: null, executed: [] })
    await send()
    expect(node.executed).toHaveLength(1)
  })
})

describe('how it is signed', () => {
  const payloadOf = (kept: object | null) => Object(kept).transaction.Version1.payload

  test('default: five minutes, a gas price of 1, and 2 s before a clock that nothing is known of', async () => {
    const { store, open, send } = await createBench({ looks: 1_000 })
    const stop = new AbortController()
    await send(open({ signal: stop.signal, wait: async () => stop.abort() }))
    expect(payloadOf(store.kept())).toMatchObject({
      timestamp: new Date(START - 2_000).toISOString(),
      ttl: '5m',
      pricing_mode: { PaymentLimited: { gas_price_tolerance: 1 } },
    })
  })

  test('behavior: the terms of the settings; what it may cost at the highest price is set aside', async () => {
    const { store, open } = await createBench({
      looks: 1_000,
      rest: () => ({ result: { balance: '7500000000' } }),
    })
    const stop = new AbortController()
    const terms = { transactionTtlMs: 60_000, gasPriceTolerance: 3, clock: { aheadMs: () => 5_000 } }
    const sender = open({ ...terms, signal: stop.signal, wait: async () => stop.abort() })
    const prepare = (motes: bigint) => async (reserve: (motes: bigint) => Promise<void>) => {
      await reserve(motes)
      return request
    }
    const recordOutcome = (settlement: Settlement) => settlement
    const tooMuch = sender.send({ prepare: prepare(2_500_000_001n), recordOutcome })
    expect(tooMuch).rejects.toMatchObject({ code: 'balance', neededMotes: 7_500_000_003n })
    await sender.send({ prepare: prepare(2_500_000_000n), recordOutcome })
    expect(store.kept()).toMatchObject({ payment_motes: '7500000000', expires_at: START - 5_000 + 60_000 })
    expect(payloadOf(store.kept())).toMatchObject({
      ttl: '1m',
      pricing_mode: { PaymentLimited: { gas_price_tolerance: 3, payment_amount: 2_500_000_000 } },
    })
  })

  test('behavior: the newest block’s time where the clocks differ by more than half of its life', async () => {
    const { store, open, send } = await createBench({ looks: 1_000 })
    const stop = new AbortController()
    const clock = { aheadMs: () => 6 * 3_600_000 }
    const now = () => START + 6 * 3_600_000
    await send(open({ clock, now, signal: stop.signal, wait: async () => stop.abort() }))
    expect(payloadOf(store.kept()).timestamp).toBe(new Date(START).toISOString())
  })

  test('behavior: a clock that is far off is told once', async () => {
    const { open, send, steps } = await createBench()
    const sender = open({ clock: { aheadMs: () => 12_000 } })
    await send(sender)
    await send(sender)
    expect(steps.filter((step) => step === 'clock_off')).toEqual(['clock_off'])
  })
})
