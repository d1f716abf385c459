import { describe, expect, test } from 'bun:test'
import { createRpc } from '@wattfeed/casper'
import { startDevnet } from '@wattfeed/casper-devnet'
import { atRandom, onMethod, script } from '@wattfeed/casper-devnet/testing/faultPlan'
import * as faults from '@wattfeed/casper-devnet/testing/faults'
import { startFaultyNode } from '@wattfeed/casper-devnet/testing/faultyNode'
import { errorOf } from '@wattfeed/testing/errorOf'
import { clientOf } from 'wattfeed/testing/clientOf'
import { faultCases, patientMs } from '../../support/faultCases.ts'
import {
  attestationOf,
  type BenchOptions,
  createOutboxBench,
  type OutboxBench,
  START,
  TTL_MS,
} from './outboxBench.ts'

/** Over real sockets: what the outbox calls with, and what it reads with. */
function overHttp(bench: OutboxBench, urls: readonly string[], timeoutMs = 4_000) {
  const { chainName, feedRegistryPackageHash, attestationRegistryPackageHash } = bench.chain
  // A node that asks for more than the deadline is not waited for.
  const limits = { timeoutMs, deadlineMs: patientMs, retryAfterMaxMs: 2 * patientMs, concurrency: 8 }
  return {
    rpc: createRpc({
      ...limits,
      urls,
      chainName,
      fetch: (url, init) => fetch(url, init),
      maxBodyBytes: 1_000_000,
      now: Date.now,
      onCall: () => {},
    }),
    client: clientOf({ chainName, feedRegistryPackageHash, attestationRegistryPackageHash }, urls, limits),
  }
}

/** Attests one value through a node that spoils its answers as planned. */
async function attestThrough(
  plan: Parameters<typeof startFaultyNode>[1],
  { timeoutMs, ...options }: BenchOptions & { timeoutMs?: number } = {},
) {
  const bench = await createOutboxBench(options)
  await using node = await startFaultyNode(bench.chain.answer, plan)
  const outbox = bench.open(overHttp(bench, [node.url], timeoutMs))
  return { bench, confirmed: await outbox.attest([attestationOf(0)]) }
}

describe('a node that takes a transaction and answers badly', () => {
  // What is asked to leave a node alone for a day asks it no more: that is below.
  const beside = /a day|state root|CLValue|stored value|a result that/
  const transport = faultCases.filter(({ name }) => !beside.test(name))

  test.each(transport)('behavior: $name: attested once', async ({ fault, timeoutMs }) => {
    const plan = onMethod('account_put_transaction', script(fault))
    const { bench, confirmed } = await attestThrough(plan, { timeoutMs: Math.max(timeoutMs, 200) })
    using _ = bench
    expect(confirmed).toMatchObject({ executed: { errorMessage: null }, dropped: [] })
    expect({ attested: await bench.chain.attested(), pending: bench.pending() }).toEqual({
      attested: [attestationOf(0)],
      pending: [],
    })
  })

  test('error: a node that rate limits for a day: unresolved, and still pending', async () => {
    using bench = await createOutboxBench()
    const plan = onMethod('account_put_transaction', script(faults.http429('86400')))
    await using node = await startFaultyNode(bench.chain.answer, plan)
    const outbox = bench.open({ ...overHttp(bench, [node.url]), pollMs: 600_000 })
    expect(await errorOf(outbox.attest([attestationOf(0)]))).toMatchObject({ code: 'transaction_unresolved' })
    expect(bench.pending()).toEqual([`${bench.chain.sent[0]}`])
  })

  const seeds = [1, 2, 3, 4]
  test.each(seeds)('behavior: every third answer is bad, at random (%p): attested once', async (seed) => {
    const ways = [
      faults.http500,
      faults.html,
      faults.connectionReset,
      faults.truncatedJson,
      faults.nullResult,
    ]
    const { bench } = await attestThrough(atRandom(seed, 0.3, ways), { looks: 3 })
    using _ = bench
    expect({ attested: await bench.chain.attested(), pending: bench.pending() }).toEqual({
      attested: [attestationOf(0)],
      pending: [],
    })
  })
})

describe('over HTTP', () => {
  test('behavior: a node that dies after accepting: found executed by the next run, when it is back', async () => {
    using bench = await createOutboxBench()
    const node = await startDevnet({ call: bench.chain.answer })
    const port = Number(new URL(node.url).port)
    const stopped = new AbortController()
    const outbox = bench.open({
      ...overHttp(bench, [node.url]),
      signal: stopped.signal,
      observe: async ({ step }) => {
        if (step !== 'accepted') return
        await node.stop()
        stopped.abort(new Error('stopped'))
      },
    })
    expect(await outbox.attest([attestationOf(0)]).catch(({ message }) => message)).toBe('stopped')
    await using again = await startDevnet({ call: bench.chain.answer }, { port })
    expect(await bench.open(overHttp(bench, [again.url])).resume()).toMatchObject([{ outcome: 'executed' }])
    expect(await bench.chain.attested()).toEqual([attestationOf(0)])
  })

  test('behavior: a node that dies after accepting: another one is called', async () => {
    using bench = await createOutboxBench({ looks: 1 })
    const first = await startDevnet({ call: bench.chain.answer })
    await using second = await startDevnet({ call: bench.chain.answer })
    const outbox = bench.open({
      ...overHttp(bench, [first.url, second.url]),
      observe: async ({ step }) => {
        if (step === 'accepted') await first.stop()
      },
    })
    await outbox.attest([attestationOf(0)])
    expect(await bench.chain.attested()).toEqual([attestationOf(0)])
  })

  test('behavior: a node that answers "accepted" and forgets gets the same bytes again', async () => {
    using bench = await createOutboxBench({ puts: ['forget', 'forget', 'accept'] })
    await using node = await startDevnet({ call: bench.chain.answer })
    await bench.open(overHttp(bench, [node.url])).attest([attestationOf(0)])
    expect({ sent: new Set(bench.chain.sent).size, attested: await bench.chain.attested() }).toEqual({
      sent: 1,
      attested: [attestationOf(0)],
    })
  })

  test('error: reverted with User error: 1', async () => {
    using bench = await createOutboxBench({ losesFeeds: true })
    await using node = await startDevnet({ call: bench.chain.answer })
    const outbox = bench.open(overHttp(bench, [node.url]))
    expect(await errorOf(outbox.attest([attestationOf(0)]))).toMatchObject({
      code: 'transaction_failed',
      executed: { errorMessage: 'User error: 1', chargedMotes: 2_500_000_000n },
    })
    expect({ attested: await bench.chain.attested(), pending: bench.pending() }).toEqual({
      attested: [],
      pending: [],
    })
  })

  test('error: never executed: expired; only then another one', async () => {
    using bench = await createOutboxBench({ looks: 1_000 })
    await using node = await startDevnet({ call: bench.chain.answer })
    const outbox = bench.open({ ...overHttp(bench, [node.url]), pollMs: 300_000 })
    const error = await errorOf(outbox.attest([attestationOf(0)]))
    expect(error).toMatchObject({ code: 'transaction_expired', transactionHash: bench.chain.sent[0] })
    expect({ now: bench.now(), pending: bench.pending() }).toEqual({ now: START + 2 * TTL_MS, pending: [] })
    bench.chain.hurry()
    await outbox.attest([attestationOf(0)])
    expect({ attested: await bench.chain.attested(), different: new Set(bench.chain.sent).size }).toEqual({
      attested: [attestationOf(0)],
      different: 2,
    })
  })
})
