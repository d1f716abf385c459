import { describe, expect, test } from 'bun:test'
import { localFetch } from '@wattfeed/casper-devnet/testing/localNode'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { createScriptedNode, type ScriptedNode } from '@wattfeed/casper-devnet/testing/scriptedNode'
import { hashOf } from '@wattfeed/testing/bytesrepr'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createRpc, type Rpc, type RpcOptions } from '../../src/rpc/rpc.ts'
import type { ExecutedTransaction } from '../../src/transaction/getTransaction.ts'
import { sendTransaction, type TransactionEvent } from '../../src/transaction/sendTransaction.ts'
import { type SignedTransaction, signTransaction } from '../../src/transaction/signTransaction.ts'
import { testSigner } from '../support/keys.ts'

const START = 1_800_000_000_000
const END = START + 5 * 60_000
const request = {
  chainName: 'casper-net-1',
  target: { packageHash: '11'.repeat(32), entryPoint: 'attest' },
  args: {},
  paymentMotes: 2_500_000_000n,
  timestamp: START,
}

const signed: SignedTransaction = await signTransaction(await testSigner(), request)

const patientOptions: Omit<RpcOptions, 'urls' | 'fetch'> = {
  chainName: 'casper-net-1',
  timeoutMs: 2 ** 30,
  deadlineMs: 2 ** 30,
  concurrency: 8,
  onCall: () => {},
}

const refusal = (data: string) => ({ error: { code: -32016, message: 'Invalid transaction', data } })

/** Follows with a clock that only waiting moves. */
function following(rpc: Rpc, onWait: (waits: number, now: number) => void = () => {}, start = START) {
  const events: TransactionEvent[] = []
  let now = start
  let waits = 0
  return {
    events,
    waits: () => waits,
    options: {
      rpc,
      pollMs: 60_000,
      now: () => now,
      wait: async (durationMs: number) => {
        now += durationMs
        onWait(++waits, now)
      },
      onEvent: (event: TransactionEvent) => events.push(event),
    },
  }
}

const executedOf = (node: ScriptedNode): ExecutedTransaction => ({
  transactionHash: signed.hash,
  blockHash: hashOf(`block ${node.executed.length}`),
  blockHeight: node.executed.length,
  errorMessage: null,
  limitMotes: 2_500_000_000n,
  consumedMotes: 1_000_000_000n,
  refundMotes: 1_125_000_000n,
  chargedMotes: 1_375_000_000n,
})

describe('sendTransaction', () => {
  test('default: accepted, pending, executed: returns the cost', async () => {
    const node = createScriptedNode({ looks: 2 })
    const { options, events, waits } = following(rpcOf(node.answer))
    expect(await sendTransaction(signed, options)).toEqual(executedOf(node))
    expect({ events, waits: waits(), sent: node.sent }).toEqual({
      events: ['accepted', 'pending', 'pending'],
      waits: 2,
      sent: [signed.hash],
    })
  })

  test('behavior: one that is executed already is not waited for', async () => {
    const node = createScriptedNode()
    const first = following(rpcOf(node.answer))
    await sendTransaction(signed, first.options)
    const again = following(rpcOf(node.answer))
    expect(await sendTransaction(signed, again.options)).toEqual(executedOf(node))
    expect({ waits: again.waits(), executed: node.executed }).toEqual({ waits: 0, executed: [signed.hash] })
  })

  test('behavior: a node that dies after taking it, before it answers: found executed, once, when it is back', async () => {
    const node = createScriptedNode({ puts: ['takeAndDie', 'accept'] })
    const { options, events } = following(rpcOf(node.answer), (waits) => {
      if (waits === 2) node.revive()
    })
    expect(await sendTransaction(signed, options)).toEqual(executedOf(node))
    expect({ events, executed: node.executed }).toEqual({
      events: ['unreachable', 'unreachable'],
      executed: [signed.hash],
    })
  })

  test('behavior: a node that dies before taking it gets the same bytes when it is back', async () => {
    const node = createScriptedNode({ puts: ['die', 'accept'] })
    const { options, events } = following(rpcOf(node.answer), () => node.revive())
    expect(await sendTransaction(signed, options)).toEqual(executedOf(node))
    expect({ events, sent: new Set(node.sent), executed: node.executed }).toEqual({
      events: ['unreachable', 'pending', 'sent_again'],
      sent: new Set([signed.hash]),
      executed: [signed.hash],
    })
  })

  test('behavior: a node that accepts and forgets gets the same bytes again', async () => {
    const node = createScriptedNode({ puts: ['forget', 'forget', 'accept'] })
    const { options, events } = following(rpcOf(node.answer))
    expect(await sendTransaction(signed, options)).toEqual(executedOf(node))
    expect({ events, sent: node.sent, executed: node.executed }).toEqual({
      events: ['accepted', 'pending', 'sent_again', 'pending', 'sent_again'],
      sent: [signed.hash, signed.hash, signed.hash],
      executed: [signed.hash],
    })
  })

  test('behavior: a transaction that stays pending is sent again, because only one node may have it', async () => {
    const node = createScriptedNode({ looks: 16 })
    const { options, events } = following(rpcOf(node.answer), undefined, START - 3_600_000)
    await sendTransaction(signed, options)
    expect(events.filter((event) => event === 'sent_again')).toEqual(['sent_again'])
    expect(node.executed).toEqual([signed.hash])
  })

  test('behavior: the next node takes it if the first is dead', async () => {
    const dead = createScriptedNode()
    dead.die()
    const node = createScriptedNode()
    const rpc = rpcOf({ 'http://dead.test/rpc': dead.answer, 'http://node.test/rpc': node.answer })
    expect(await sendTransaction(signed, following(rpc).options)).toEqual(executedOf(node))
  })

  test('behavior: the nodes are polled in turn, because the preferred one may lag', async () => {
    const lagging = createScriptedNode({ looks: 9 })
    const node = createScriptedNode({ looks: 1 })
    const rpc = rpcOf({ 'http://lagging.test/rpc': lagging.answer, 'http://node.test/rpc': node.answer })
    const { options, waits } = following(rpc)
    expect(await sendTransaction(signed, options)).toEqual(executedOf(node))
    expect(waits()).toBe(3)
  })

  test('behavior: every node is sent it, and one that accepts is enough', async () => {
    const refused = createScriptedNode({ puts: [refusal('transaction has expired')] })
    const forgetful = createScriptedNode({ puts: ['forget'] })
    const node = createScriptedNode()
    const rpc = rpcOf({
      'http://refused.test/rpc': refused.answer,
      'http://forgetful.test/rpc': forgetful.answer,
      'http://node.test/rpc': node.answer,
    })
    const { options } = following(rpc, () => {
      refused.die()
      forgetful.die()
    })
    expect(await sendTransaction(signed, options)).toEqual(executedOf(node))
    expect([refused, forgetful, node].every(({ sent }) => sent[0] === signed.hash)).toBeTrue()
  })

  test('error: refused by every node', async () => {
    const nodes = [1, 2].map(() => createScriptedNode({ puts: [refusal('insufficient balance')] }))
    const rpc = rpcOf(
      Object.fromEntries(nodes.map(({ answer }, index) => [`http://node${index}.test/rpc`, answer])),
    )
    expect(await errorOf(sendTransaction(signed, following(rpc).options))).toMatchObject({
      code: 'transaction_refused',
      reason: 'balance',
    })
    expect(nodes.map(({ sent }) => sent.length)).toEqual([1, 1])
  })

  test('behavior: a node that does not answer delays nothing', async () => {
    const node = createScriptedNode()
    let isAborted = false
    const rpc = createRpc({
      ...patientOptions,
      urls: ['http://silent.test/rpc', 'http://node.test/rpc'],
      fetch: (url, init) => {
        if (url.includes('node.test')) return localFetch(node.answer)(url, init)
        return new Promise((_, reject) =>
          init.signal?.addEventListener('abort', () => {
            isAborted = true
            reject(new Error('aborted'))
          }),
        )
      },
    })
    await rpc.call({ method: 'info_get_status', params: {}, only: Object(rpc.nodes[1]), decode: () => null })
    rpc.penalize(Object(rpc.nodes[0]), new Error('silent'))
    expect(await sendTransaction(signed, following(rpc).options)).toEqual(executedOf(node))
    expect(isAborted).toBeTrue()
  })

  test('behavior: a refusal counts for nothing if the network knows the transaction', async () => {
    const refused = { error: { code: -32016, message: 'Invalid transaction', data: 'whatever' } } as const
    const node = createScriptedNode({ puts: ['accept', refused] })
    await sendTransaction(signed, following(rpcOf(node.answer)).options)
    expect(await sendTransaction(signed, following(rpcOf(node.answer)).options)).toEqual(executedOf(node))
  })

  test('behavior: a refusal counts for nothing if a node that gave no answer may have taken it', async () => {
    const first = createScriptedNode({ puts: ['takeAndDie', 'accept'] })
    const second = createScriptedNode({ puts: [refusal('no such package at hash')] })
    const rpc = rpcOf({ 'http://first.test/rpc': first.answer, 'http://second.test/rpc': second.answer })
    const { options } = following(rpc, () => {
      first.revive()
      second.die()
    })
    expect(await sendTransaction(signed, options)).toEqual(executedOf(first))
    expect({ first: first.executed, second: second.executed }).toEqual({ first: [signed.hash], second: [] })
  })

  test('error: unless it is in the bytes, which no node takes', async () => {
    const first = createScriptedNode({ puts: ['die'] })
    const second = createScriptedNode({ puts: [refusal('an invalid approval')] })
    const rpc = rpcOf({ 'http://first.test/rpc': first.answer, 'http://second.test/rpc': second.answer })
    expect(await errorOf(sendTransaction(signed, following(rpc).options))).toMatchObject({
      reason: 'approval',
    })
  })

  test('behavior: a rejection of bytes that were sent before settles nothing: a node may be behind the others', async () => {
    let time = END - 1
    const behind = createScriptedNode({ puts: [refusal('transaction has expired')], time: () => time })
    const { options } = following(
      rpcOf(behind.answer),
      (_, now) => {
        time = now
      },
      END + 1,
    )
    const sentBefore = { ...options, isSentBefore: true }
    expect(await errorOf(sendTransaction(signed, sentBefore))).toMatchObject({ code: 'transaction_expired' })
    expect(await errorOf(sendTransaction(signed, options))).toMatchObject({ code: 'transaction_refused' })
  })

  test('behavior: one node’s time and another one’s ignorance do not make it expired', async () => {
    const informed = createScriptedNode({ time: () => END + 1 })
    await sendTransaction(signed, following(rpcOf(informed.answer)).options)
    const ignorant = createScriptedNode({ puts: ['forget'], time: () => START })
    let isCut = true
    const rpc = rpcOf({
      'http://informed.test/rpc': (method, params) => {
        if (isCut && method === 'info_get_transaction') throw new Error('the connection broke')
        return informed.answer(method, params)
      },
      'http://ignorant.test/rpc': ignorant.answer,
    })
    const { options } = following(
      rpc,
      () => {
        isCut = false
        ignorant.die()
      },
      END + 1,
    )
    expect(await sendTransaction(signed, options)).toEqual(executedOf(informed))
  })

  test('behavior: callbacks are awaited', async () => {
    const node = createScriptedNode({ looks: 1 })
    const told: string[] = []
    const { options } = following(rpcOf(node.answer))
    const onEvent = async (event: TransactionEvent): Promise<void> => {
      const executed = node.executed.length
      await Bun.sleep(0)
      told.push(`${event} ${executed} ${node.executed.length}`)
    }
    await sendTransaction(signed, { ...options, onEvent })
    expect(told).toEqual(['accepted 0 0', 'pending 0 0'])
  })

  test('error: executed and failed: the whole payment is lost', async () => {
    const node = createScriptedNode({ fails: () => 'User error: 1' })
    const error = await errorOf(sendTransaction(signed, following(rpcOf(node.answer)).options))
    expect<unknown>({ ...error, message: error.message }).toEqual({
      code: 'transaction_failed',
      retryable: false,
      executed: {
        ...executedOf(node),
        errorMessage: 'User error: 1',
        refundMotes: 0n,
        chargedMotes: 2_500_000_000n,
      },
      message: `transaction ${signed.hash} failed in block 1: User error: 1; 2500000000 motes were charged. Find the cause before you send it again`,
    })
  })

  test('error: never executed: expired once the time of the chain has passed the expiry', async () => {
    let time = START
    const node = createScriptedNode({ looks: 1_000, time: () => time })
    const { options, waits } = following(rpcOf(node.answer), (_, now) => {
      time = now - 120_000
    })
    const error = await errorOf(sendTransaction(signed, options))
    expect({ ...error, waits: waits() } as object).toEqual({
      code: 'transaction_expired',
      retryable: true,
      transactionHash: signed.hash,
      waits: 8,
    })
  })

  test('behavior: a clock that is fast does not end it', async () => {
    const node = createScriptedNode({ looks: 3, time: () => START })
    const { options } = following(rpcOf(node.answer), undefined, END + 3_600_000)
    expect(await sendTransaction(signed, options)).toEqual(executedOf(node))
  })

  test('behavior: one executed in its last block is found after its end', async () => {
    const node = createScriptedNode({ time: () => END + 1 })
    const { options } = following(rpcOf(node.answer), undefined, END + 1)
    expect(await sendTransaction(signed, options)).toEqual(executedOf(node))
  })

  test('error: nodes that never recover: unresolved, ten minutes after the expiry', async () => {
    const node = createScriptedNode({ puts: ['takeAndDie'] })
    const { options, waits } = following(rpcOf(node.answer), undefined, END)
    const error = await errorOf(sendTransaction(signed, options))
    expect({ ...error, lastFailure: '' } as object).toEqual({
      code: 'transaction_unresolved',
      retryable: true,
      transactionHash: signed.hash,
      lastFailure: '',
    })
    expect({ waits: waits(), message: error.message }).toEqual({
      waits: 11,
      message: expect.stringContaining('node.test: the connection failed'),
    })
  })

  test('error: another chain: nothing is followed', async () => {
    const node = createScriptedNode({ chainName: 'casper' })
    const { options, events } = following(rpcOf(node.answer))
    const error = await errorOf(sendTransaction(signed, options))
    expect(error.message).toContain('the node serves the chain "casper", not "casper-net-1"')
    expect({ code: error.code, events }).toEqual({ code: 'all_nodes_failed', events: [] })
  })

  test('behavior: an abort ends the waiting', async () => {
    const controller = new AbortController()
    const node = createScriptedNode({ looks: 1_000 })
    const { options } = following(rpcOf(node.answer), () => controller.abort(new Error('stopped')))
    expect(sendTransaction(signed, { ...options, signal: controller.signal })).rejects.toThrow('stopped')
  })
})
