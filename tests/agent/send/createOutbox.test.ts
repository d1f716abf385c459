import { describe, expect, test } from 'bun:test'
import { errorOf } from '@wattfeed/testing/errorOf'
import { localClient } from 'wattfeed/testing/localClient'
import { purseNotFound } from '../../../packages/casper-devnet/src/rpc/refusedCall.ts'
import type { Attestation } from '../../../packages/wattfeed/src/registry/attestation.ts'
import { createGivenApprovals } from '../../../src/agent/committee/givenApprovals.ts'
import type { OutboxStep } from '../../../src/agent/events.ts'
import { type Archive, ArchiveFileError } from '../../../src/agent/send/archive.ts'
import type { Outbox } from '../../../src/agent/send/createOutbox.ts'
import { createAttestPurpose } from '../../../src/agent/state/attestPurpose.ts'
import { readSettledBlocks } from '../../../src/agent/state/settledBlocks.ts'
import { feedOf } from '../run/fakes.ts'
import { attestationOf, createOutboxBench, FEED_IDS, type OutboxBench, START, TTL_MS } from './outboxBench.ts'

const [A = '', B = ''] = FEED_IDS
/** Attests one value. */
const attestOne = async (outbox: Outbox): Promise<{ transactionHash: string | undefined }> => {
  const { executed } = await outbox.attest([attestationOf(0)])
  return { transactionHash: executed?.transactionHash }
}

const batch = [0, 1, 2].map((feed) => attestationOf(feed))

/** What `attest` of a feed's first value consumes, and `attest_many` of three feeds. */
const [ATTEST_MOTES, THREE_MOTES] = [1_083_317_609n, 2_847_597_440n]

/** What is charged: a quarter of what was paid and not consumed stays with the network. */
const chargeOf = (paidMotes: bigint, consumedMotes: bigint): bigint =>
  paidMotes - ((paidMotes - consumedMotes) * 3n) / 4n

const ATTEST_CHARGE = chargeOf(2_500_000_000n, ATTEST_MOTES)

/** What the chain holds of a feed. */
const latestOf = (bench: OutboxBench, feedId: string): Promise<Attestation | null> =>
  localClient(bench.chain).client.getValue(feedId)

describe('attest', () => {
  test('default: one value: checked, stored, sent, followed, recorded, removed', async () => {
    using bench = await createOutboxBench({ looks: 2 })
    const confirmed = await bench.open().attest([attestationOf(0)])
    expect(confirmed).toMatchObject({
      executed: {
        transactionHash: bench.chain.sent[0] ?? '',
        ...(await bench.chain.blockOf(bench.chain.sent[0])),
        consumedMotes: ATTEST_MOTES,
        chargedMotes: ATTEST_CHARGE,
      },
      dropped: [],
    })
    const attested = await bench.chain.attested()
    expect({ ...bench.chain, attested, steps: bench.steps, pending: bench.pending() }).toMatchObject({
      attested: [attestationOf(0)],
      sent: bench.chain.executed,
      steps: ['checked', 'signed', 'written', 'accepted', 'pending', 'pending', 'settled', 'removed'],
      pending: [],
    })
  })

  test('behavior: sources are archived before signing; if that fails, nothing is sent', async () => {
    using bench = await createOutboxBench()
    const told: string[] = []
    const archive: Archive = {
      append: async (attestations) => {
        expect(bench.steps).toEqual(['checked'])
        told.push(...attestations.map(({ source_hash }) => source_hash))
        if (told.length > 1) throw new ArchiveFileError({ path: 'archive.db', rule: 'the disk is full' })
      },
    }
    const outbox = bench.open({ archive })
    await outbox.attest([attestationOf(0)])
    expect(told).toEqual([attestationOf(0).source_hash])
    bench.steps.length = 0
    expect(await errorOf(outbox.attest([attestationOf(1)]))).toMatchObject({ code: 'archive_file' })
    expect([bench.chain.sent.length, bench.pending()]).toEqual([1, []])
  })

  test('default: several are one transaction of 5 CSPR', async () => {
    using bench = await createOutboxBench()
    const confirmed = await bench.open().attest(batch)
    expect(confirmed).toMatchObject({ executed: { chargedMotes: chargeOf(5_000_000_000n, THREE_MOTES) } })
    expect({ attested: await bench.chain.attested(), sent: bench.chain.sent.length }).toEqual({
      attested: batch,
      sent: 1,
    })
  })

  test('behavior: everything is stored before the first byte is sent', async () => {
    let written: unknown = null
    using bench = await createOutboxBench()
    const outbox = bench.open({
      between: (answer) => (method, params) => {
        if (method === 'account_put_transaction')
          written = { stored: bench.process().store.list(), transaction: Object(params).transaction }
        return answer(method, params)
      },
    })
    const { transactionHash } = await attestOne(outbox)
    expect(written).toEqual({
      stored: [
        {
          chain_name: 'casper-net-1',
          purpose: {
            kind: 'attest',
            attestations: [{ feed_id: A, period: 20261119, amount: '41234', source_hash: 'ab'.repeat(16) }],
          },
          transaction_hash: transactionHash,
          expires_at: START + TTL_MS,
          payment_motes: '2500000000',
          transaction: Object(written).transaction,
        },
      ],
      transaction: expect.anything(),
    })
  })

  test('behavior: PAYMENT_MOTES, and attest alone without attest_many', async () => {
    using bench = await createOutboxBench()
    const outbox = bench.open({ paymentMotes: 3_000_000_000n, offersMany: false })
    expect(await outbox.attest([attestationOf(0)])).toMatchObject({
      executed: { chargedMotes: chargeOf(3_000_000_000n, ATTEST_MOTES) },
    })
    expect(await errorOf(outbox.attest(batch))).toMatchObject({ code: 'argument' })
  })

  test('behavior: a feed waits for a transaction of a committee that this key has approved, until it has expired', async () => {
    using bench = await createOutboxBench()
    const hash = 'ab'.repeat(32)
    const expires_at = START + 120_000
    createGivenApprovals(bench.process().state).claim(
      {
        chain_name: bench.chain.chainName,
        purpose: createAttestPurpose([attestationOf(0)]),
        transaction_hash: hash,
        expires_at,
        payment_motes: '1',
        transaction: { Version1: { hash } },
      },
      { height: 1, time: START },
    )
    const outbox = bench.open()
    expect(await errorOf(outbox.attest([attestationOf(0)]))).toMatchObject({
      code: 'feed_pending',
      transactionHash: hash,
      waitsUntil: expires_at,
    })
    await outbox.attest([attestationOf(1)])
    bench.setNow(expires_at + 60_000)
    await bench.chain.attestAsAnother(attestationOf(2))
    expect(await outbox.attest([attestationOf(0)])).toMatchObject({ dropped: [] })
  })

  test('behavior: a revision is sent', async () => {
    using bench = await createOutboxBench()
    await bench.chain.attestAsAnother(attestationOf(0, 20261119, 1n))
    expect(await bench.open().attest([attestationOf(0)])).toMatchObject({ dropped: [] })
  })

  test('behavior: values that another agent attested in the meantime are dropped, the rest is sent', async () => {
    using bench = await createOutboxBench()
    await bench.chain.attestAsAnother(attestationOf(0))
    await bench.chain.attestAsAnother(attestationOf(1, 20261120, 7n))
    const [same, newer] = [await latestOf(bench, A), await latestOf(bench, B)]
    const confirmed = await bench.open().attest(batch)
    expect(confirmed).toMatchObject({
      // Alone it is an `attest`, and pays the least.
      executed: { chargedMotes: 1_438_057_675n },
      dropped: [
        { feedId: A, decision: 'unchanged', latest: same },
        { feedId: B, decision: 'older-than-chain', latest: newer },
      ],
    })
    expect((await bench.chain.attested()).slice(2)).toEqual(batch.slice(2))
  })

  test('behavior: all values are already on chain: nothing is signed', async () => {
    using bench = await createOutboxBench()
    await bench.chain.attestAsAnother(attestationOf(0))
    expect(await bench.open().attest([attestationOf(0)])).toEqual({
      executed: null,
      dropped: [{ feedId: A, decision: 'unchanged', latest: expect.objectContaining({ period: 20261119 }) }],
    })
    expect({ sent: bench.chain.sent, steps: bench.steps }).toEqual({ sent: [], steps: [] })
  })

  test('behavior: eight transactions that wait for a block do not delay a ninth', async () => {
    const feedIds = Array.from({ length: 9 }, (_, index) => `feed ${index}`)
    using bench = await createOutboxBench({ feedIds, looks: 1_000 })
    const allWait = Promise.withResolvers<void>()
    let waits = 0
    const wait = (): Promise<void> => {
      if (++waits === 8) allWait.resolve()
      return new Promise(() => {})
    }
    const outbox = bench.open({ wait })
    for (const feed_id of feedIds.slice(0, 8)) void outbox.attest([{ ...attestationOf(0), feed_id }])
    await allWait.promise
    bench.chain.hurry()
    await outbox.attest([{ ...attestationOf(0), feed_id: 'feed 8' }])
    expect((await bench.chain.attested()).map(({ feed_id }) => feed_id)).toEqual(['feed 8'])
  })

  test('behavior: at most 64 are in flight at once', async () => {
    const feedIds = Array.from({ length: 70 }, (_, index) => `feed ${index}`)
    using bench = await createOutboxBench({ feedIds, looks: 1 })
    let most = 0
    const observe = () => (most = Math.max(most, bench.pending().length))
    const outbox = bench.open({ observe, wait: async () => {} })
    await Promise.all(feedIds.map((feedId) => outbox.attest([{ ...attestationOf(0), feed_id: feedId }])))
    expect({ most, attested: (await bench.chain.attested()).length, pending: bench.pending() }).toEqual({
      most: 64,
      attested: 70,
      pending: [],
    })
  })

  test('behavior: a feed that is in flight gets no second transaction', async () => {
    using bench = await createOutboxBench({ looks: 3 })
    const outbox = bench.open()
    const first = outbox.attest([attestationOf(0)])
    const error = await errorOf(outbox.attest([attestationOf(1), attestationOf(0)]))
    expect({ code: error.code, retryable: error.retryable }).toEqual({
      code: 'feed_pending',
      retryable: true,
    })
    await first
    expect(await bench.chain.attested()).toEqual([attestationOf(0)])
  })
})

describe('rejected before anything is sent', () => {
  test('error: arguments that cannot be stored on chain', async () => {
    using bench = await createOutboxBench()
    for (const amount of [-1n, 2n ** 512n])
      expect(await errorOf(bench.open().attest([{ ...attestationOf(0), amount }]))).toMatchObject({
        code: 'argument',
      })
    expect(bench.chain.sent).toEqual([])
  })

  test('error: no lane', async () => {
    using bench = await createOutboxBench()
    const source_hash = 'x'.repeat(2_100)
    const outbox = bench.open({ paymentMotes: 20_000_000_000n })
    expect(await errorOf(outbox.attest([{ ...attestationOf(0), source_hash }]))).toMatchObject({
      code: 'no_lane',
    })
    expect({ sent: bench.chain.sent, pending: bench.pending() }).toEqual({ sent: [], pending: [] })
  })

  test('error: a payment below the network’s least', async () => {
    using bench = await createOutboxBench()
    const outbox = bench.open({ paymentMotes: 2_400_000_000n })
    expect(await errorOf(outbox.attest([attestationOf(0)]))).toMatchObject({ code: 'no_lane' })
    expect(bench.chain.sent).toEqual([])
  })

  test('error: feeds of other claimants are all named', async () => {
    using bench = await createOutboxBench({ foreign: [B] })
    const { stranger } = bench.chain
    const unregistered = { ...attestationOf(2), feed_id: 'nobody' }
    const error = await errorOf(bench.open().attest([attestationOf(0), attestationOf(1), unregistered]))
    expect({ ...error, message: error.message } as object).toEqual({
      code: 'not_claimant',
      retryable: false,
      accountHash: bench.signer.accountHash,
      claims: [
        { feedId: B, claimant: stranger },
        { feedId: 'nobody', claimant: null },
      ],
      message: `${bench.signer.accountHash} may not attest to ${B} (claimed by ${stranger}), nobody (not registered); use the claimant's key or register the feed first`,
    })
    expect({ sent: bench.chain.sent, steps: bench.steps }).toEqual({ sent: [], steps: [] })
  })

  test('error: a balance that is too low', async () => {
    using bench = await createOutboxBench({ balance: () => 2_499_999_999n })
    const error = await errorOf(bench.open().attest([attestationOf(0)]))
    expect({ ...error, message: error.message } as object).toEqual({
      code: 'balance',
      retryable: false,
      accountHash: bench.signer.accountHash,
      balanceMotes: 2_499_999_999n,
      neededMotes: 2_500_000_000n,
      reservedMotes: 0n,
      message: `${bench.signer.accountHash} has 2499999999 motes, but the transaction needs 2500000000 motes; send CSPR to the account`,
    })
    expect(bench.steps).toEqual([])
  })

  test('error: an account that the chain does not know', async () => {
    const { error: notFound } = purseNotFound()
    using bench = await createOutboxBench()
    const outbox = bench.open({
      between: (answer) => async (method, params) =>
        method === 'query_balance' ? { error: notFound } : answer(method, params),
    })
    const error = await errorOf(outbox.attest([attestationOf(0)]))
    expect(error.message).toContain(`${bench.signer.accountHash} is unknown on chain`)
  })

  test('behavior: the balance must cover all transactions in flight; a finished one releases its payment', async () => {
    using bench = await createOutboxBench({ balance: () => 7_400_000_000n, looks: 2 })
    const outbox = bench.open()
    const results = await Promise.allSettled([0, 1, 2].map((feed) => outbox.attest([attestationOf(feed)])))
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'fulfilled', 'rejected'])
    expect(results.find((each) => each.status === 'rejected')?.reason).toMatchObject({
      code: 'balance',
      neededMotes: 7_500_000_000n,
    })
    const attested = new Set((await bench.chain.attested()).map(({ feed_id }) => feed_id))
    const left = [0, 1, 2].filter((feed) => !attested.has(FEED_IDS[feed] ?? ''))
    for (const feed of left) await outbox.attest([attestationOf(feed)])
    expect((await bench.chain.attested()).length).toBe(3)
  })

  test('behavior: transactions of an earlier run count as in flight', async () => {
    using bench = await createOutboxBench({ balance: () => 4_900_000_000n, looks: 1_000 })
    await leavePending(bench)
    const error = await errorOf(bench.open().attest([attestationOf(1)]))
    expect(error).toMatchObject({
      code: 'balance',
      neededMotes: 5_000_000_000n,
      message: expect.stringContaining('but the transaction and those in flight need 5000000000 motes'),
    })
  })

  test('behavior: a payment stays reserved until a balance was read at the block that charged it', async () => {
    let questions = 0
    const held = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    using bench = await createOutboxBench({ balance: () => 4_900_000_000n })
    const outbox = bench.open({
      between: (answer) => async (method, params) => {
        const answered = await answer(method, params)
        if (method !== 'query_balance') return answered
        questions += 1
        if (questions === 1) asked.resolve()
        if (questions === 2) await held.promise
        return answered
      },
    })
    const first = outbox.attest([attestationOf(0)])
    // So that the second question is the second attestation's.
    await asked.promise
    const second = errorOf(outbox.attest([attestationOf(1)]))
    await first
    held.resolve()
    expect(await second).toMatchObject({ code: 'balance', neededMotes: 5_000_000_000n })
    await outbox.attest([attestationOf(1)])
    expect((await bench.chain.attested()).length).toBe(2)
  })

  test('error: the network cannot be read', async () => {
    using bench = await createOutboxBench()
    bench.chain.die()
    expect(await errorOf(bench.open().attest([attestationOf(0)]))).toMatchObject({ retryable: true })
    expect(bench.pending()).toEqual([])
  })
})

/** Lets a run die after its transaction was accepted. */
async function leavePending(bench: OutboxBench, feed = 0): Promise<string> {
  const stopped = new AbortController()
  const outbox = bench.open({
    signal: stopped.signal,
    observe: ({ step }) => {
      if (step === 'accepted') stopped.abort(new Error('stopped'))
    },
  })
  await outbox.attest([attestationOf(feed)]).catch(() => null)
  return bench.chain.sent.at(-1) ?? ''
}

describe('on a basis', () => {
  const [newer, past] = [attestationOf(0), attestationOf(0, 20261101, 7n)]

  test('default: an earlier period and the newest again, as one transaction', async () => {
    using bench = await createOutboxBench()
    await bench.chain.attestAsAnother(newer)
    const basedOn = { period: newer.period, amount: newer.amount, source_hash: newer.source_hash }
    const confirmed = await bench.open().attest([past, newer], { basedOn })
    expect(confirmed).toMatchObject({ dropped: [] })
    expect(await bench.chain.attested()).toEqual([newer, past, newer])
    expect(bench.chain.executed).toHaveLength(1)
  })

  test.each([
    ['another amount', { ...newer, amount: 1n }],
    ['a later period', { ...newer, period: 20261120 }],
    ['another hash', { ...newer, source_hash: 'cd'.repeat(16) }],
    ['none', null],
  ])('error: the chain has %s by now: nothing is signed', async (_, found) => {
    using bench = await createOutboxBench()
    if (found !== null) await bench.chain.attestAsAnother(found)
    const basedOn = { period: newer.period, amount: newer.amount, source_hash: newer.source_hash }
    const error = await errorOf(bench.open().attest([past, newer], { basedOn }))
    expect({ ...error }).toMatchObject({ code: 'chain_moved', retryable: true, feedId: A })
    expect([bench.chain.sent, bench.pending()]).toEqual([[], []])
  })

  test('error: the chain was expected to have no value', async () => {
    using bench = await createOutboxBench()
    await bench.chain.attestAsAnother(newer)
    const error = await errorOf(bench.open().attest([past], { basedOn: null }))
    expect(error.message).toBe(
      `the newest value of ${A} on chain is 41234 of period 20261119, not none: another agent attests it, or the node lags; the next cycle decides again`,
    )
  })
})

describe('resume', () => {
  test('default: nothing is pending', async () => {
    using bench = await createOutboxBench()
    expect(await bench.open().resume()).toEqual([])
  })

  test('default: follows a pending transaction, sends the same bytes again, and removes it', async () => {
    using bench = await createOutboxBench()
    const transactionHash = await leavePending(bench)
    bench.steps.length = 0
    expect(await bench.open().resume()).toEqual([
      {
        transactionHash,
        feedIds: [A],
        attestedFeedIds: [A],
        outcome: 'executed',
        chargedMotes: ATTEST_CHARGE,
        errorMessage: null,
      },
    ])
    const attested = await bench.chain.attested()
    expect({ ...bench.chain, attested, steps: bench.steps, pending: bench.pending() }).toMatchObject({
      sent: [transactionHash, transactionHash],
      executed: [transactionHash],
      attested: [attestationOf(0)],
      steps: ['resumed', 'accepted', 'settled', 'removed'],
      pending: [],
    })
  })

  test('behavior: several, one result each; a feed among them waits', async () => {
    using bench = await createOutboxBench()
    const hashes = [await leavePending(bench, 0), await leavePending(bench, 1)]
    const outbox = bench.open()
    const ends = new Map(outbox.listPending().map((each) => [each.transaction_hash, each.expires_at]))
    const error = await errorOf(outbox.attest([attestationOf(1, 20261120)]))
    expect({ ...error } as object).toEqual({
      code: 'feed_pending',
      retryable: true,
      feedId: B,
      transactionHash: hashes[1] ?? '',
      holder: null,
      waitsUntil: ends.get(hashes[1] ?? '') ?? 0,
    })
    const settled = await outbox.resume()
    expect(settled.map((each) => each.transactionHash)).toEqual(hashes)
    await outbox.attest([attestationOf(1, 20261120)])
    expect((await bench.chain.attested()).length).toBe(3)
  })

  test('behavior: a transaction that another call follows is skipped', async () => {
    using bench = await createOutboxBench({ looks: 3 })
    const outbox = bench.open()
    const resumed: unknown[] = []
    const first = bench.open({
      observe: async ({ step }) => {
        if (step === 'accepted') resumed.push(await outbox.resume())
      },
    })
    await first.attest([attestationOf(0)])
    const own = bench.open({
      observe: async ({ step }) => {
        if (step === 'pending') resumed.push(await own.resume())
      },
    })
    await own.attest([attestationOf(1)])
    expect(resumed.slice(1)).toEqual([[], [], []])
  })

  test('behavior: of two calls at once, one follows it', async () => {
    using bench = await createOutboxBench()
    await leavePending(bench)
    const outbox = bench.open()
    const [one, two] = await Promise.all([outbox.resume(), outbox.resume()])
    expect({ settled: one.length + two.length, sent: bench.chain.sent.length }).toEqual({
      settled: 1,
      sent: 2,
    })
  })

  test('behavior: reverted: the whole payment is lost, and it is settled', async () => {
    using bench = await createOutboxBench({ losesFeeds: true })
    const transactionHash = await leavePending(bench)
    expect(await bench.open().resume()).toEqual([
      {
        transactionHash,
        feedIds: [A],
        attestedFeedIds: [A],
        outcome: 'failed',
        chargedMotes: 2_500_000_000n,
        errorMessage: 'User error: 1',
      },
    ])
    expect(bench.pending()).toEqual([])
  })

  test('behavior: one that was never sent and has expired; then the chain is read before anything new', async () => {
    using bench = await createOutboxBench()
    const stopped = new AbortController()
    const outbox = bench.open({
      signal: stopped.signal,
      observe: ({ step }) => {
        if (step === 'written') stopped.abort(new Error('stopped'))
      },
    })
    await outbox.attest([attestationOf(0)]).catch(() => null)
    bench.setNow(START + TTL_MS + 1)
    const again = bench.open()
    expect(await again.resume()).toMatchObject([{ outcome: 'expired', chargedMotes: null, feedIds: [A] }])
    await bench.chain.attestAsAnother(attestationOf(0))
    expect(await again.attest([attestationOf(0)])).toMatchObject({ executed: null })
    expect(bench.chain.executed).toEqual([])
  })

  test('behavior: a refusal that another node need not have given settles nothing before the end', async () => {
    const refused = {
      error: { code: -32016, message: 'Invalid transaction', data: 'no such package at hash' },
    } as const
    using bench = await createOutboxBench({ puts: ['forget', refused, refused, 'accept'] })
    await leavePending(bench)
    expect(await bench.open().resume()).toMatchObject([{ outcome: 'executed' }])
    expect({ sent: new Set(bench.chain.sent).size, attested: (await bench.chain.attested()).length }).toEqual(
      {
        sent: 1,
        attested: 1,
      },
    )
  })

  test('behavior: a refusal that is in the bytes settles it', async () => {
    const refused = {
      error: { code: -32016, message: 'Invalid transaction', data: 'an invalid approval' },
    } as const
    using bench = await createOutboxBench({ puts: ['forget', refused] })
    const transactionHash = await leavePending(bench)
    expect(await bench.open().resume()).toEqual([
      {
        transactionHash,
        feedIds: [A],
        attestedFeedIds: [A],
        outcome: 'refused',
        chargedMotes: null,
        errorMessage: 'Invalid transaction: an invalid approval',
      },
    ])
    expect(bench.pending()).toEqual([])
  })

  test('error: nodes that never recover: it stays pending, and so does its feed', async () => {
    using bench = await createOutboxBench({ puts: ['takeAndDie', 'accept'] })
    const outbox = bench.open({ pollMs: 600_000 })
    const error = await errorOf(outbox.attest([attestationOf(0)]))
    expect(error).toMatchObject({ code: 'transaction_unresolved', transactionHash: bench.chain.sent[0] })
    expect(bench.pending()).toEqual([`${bench.chain.sent[0]}`])
    bench.chain.revive()
    bench.setNow(START)
    expect(await errorOf(outbox.attest([attestationOf(0)]))).toMatchObject({ code: 'feed_pending' })
    expect(await outbox.resume()).toMatchObject([{ outcome: 'executed' }])
    expect(await bench.chain.attested()).toEqual([attestationOf(0)])
  })

  test('error: one that stays pending is thrown after the others are settled', async () => {
    using bench = await createOutboxBench({ looks: 1 })
    const [one, two] = [await leavePending(bench, 0), await leavePending(bench, 1)]
    const settled: string[] = []
    const outbox = bench.open({
      observe: (step: OutboxStep) => {
        if (step.step === 'resumed' && step.transactionHash === one) throw new Error('broken')
        if (step.step === 'settled') settled.push(step.settled.transactionHash)
      },
    })
    expect(outbox.resume()).rejects.toThrow('broken')
    await outbox.resume().catch(() => null)
    expect({ settled, pending: bench.pending() }).toEqual({ settled: [two], pending: [one] })
  })
})

describe('the block of a transaction', () => {
  const readNewest = (bench: OutboxBench) => Object.fromEntries(readSettledBlocks(bench.process().state))

  test('default: on disk when the transaction is gone, for each of its feeds', async () => {
    using bench = await createOutboxBench()
    const recorded: unknown[] = []
    const outbox = bench.open({
      observe: ({ step }) => {
        if (step === 'settled' || step === 'removed')
          recorded.push({ pending: bench.pending().length, newest: readNewest(bench) })
      },
    })
    await outbox.attest(batch)
    const { blockHeight: height } = await bench.chain.blockOf(bench.chain.sent[0])
    const block = { height, expiresAt: START + TTL_MS }
    expect(recorded).toEqual([
      { pending: 1, newest: {} },
      { pending: 0, newest: Object.fromEntries(batch.map(({ feed_id }) => [feed_id, block])) },
    ])
  })

  test('behavior: also of a transaction that an earlier run left pending', async () => {
    using bench = await createOutboxBench()
    await leavePending(bench, 0)
    await bench.open().resume()
    expect(Object.keys(readNewest(bench))).toEqual([A])
  })

  test('error: a node behind it: nothing is sent', async () => {
    using bench = await createOutboxBench()
    const outbox = bench.open()
    await outbox.attest([attestationOf(0)])
    const height = readNewest(bench)[A]?.height ?? 0
    bench.chain.fallBehind(100)
    // The node would show neither value.
    expect({ ...(await errorOf(bench.open().attest([attestationOf(0, 20261120)]))) }).toMatchObject({
      code: 'lagging_value',
      feedId: A,
      settledHeight: height,
    })
    expect(bench.chain.sent.length).toBe(1)
  })

  test('behavior: several values of one feed are one transaction', async () => {
    using bench = await createOutboxBench()
    const two = [attestationOf(0), attestationOf(0, 20261120, 5n)]
    await bench.open().attest(two)
    expect(await bench.chain.attested()).toEqual(two)
  })
})

describe('a stop', () => {
  const stoppingAt = (bench: OutboxBench, name: OutboxStep['step']) => {
    const stopped = new AbortController()
    return bench.open({
      signal: stopped.signal,
      observe: ({ step }) => {
        if (step === name) stopped.abort(new Error('stopped'))
      },
    })
  }

  const before: OutboxStep['step'][][] = [['checked'], ['checked', 'signed']]
  test.each(before)('behavior: after %p nothing more is done, and nothing is left', async (...steps) => {
    using bench = await createOutboxBench()
    const stopping = stoppingAt(bench, steps.at(-1) ?? 'checked').attest([attestationOf(0)])
    expect(await stopping.catch(({ message }) => message)).toBe('stopped')
    expect({ steps: bench.steps, sent: bench.chain.sent, pending: bench.pending() }).toEqual({
      steps,
      sent: [],
      pending: [],
    })
  })

  const after: OutboxStep['step'][] = ['written', 'accepted', 'pending']
  test.each(after)('behavior: at %p it stays on disk, and the next run follows it', async (step) => {
    using bench = await createOutboxBench({ looks: 2 })
    const error = await stoppingAt(bench, step)
      .attest([attestationOf(0)])
      .catch((reason) => reason)
    expect({ message: error.message, pending: bench.pending().length }).toEqual({
      message: 'stopped',
      pending: 1,
    })
    expect(await bench.open().resume()).toMatchObject([{ outcome: 'executed' }])
    expect({ attested: await bench.chain.attested(), pending: bench.pending() }).toEqual({
      attested: [attestationOf(0)],
      pending: [],
    })
  })

  test('behavior: afterwards nothing starts', async () => {
    using bench = await createOutboxBench()
    await leavePending(bench, 1)
    bench.steps.length = 0
    const outbox = bench.open({ signal: AbortSignal.abort(new Error('stopped')) })
    const calls = [outbox.attest([attestationOf(0)]), outbox.resume()]
    const reasons = await Promise.all(calls.map((call) => call.catch(({ message }) => message)))
    expect({
      reasons,
      steps: bench.steps,
      sent: bench.chain.sent.length,
      pending: bench.pending().length,
    }).toEqual({
      reasons: ['stopped', 'stopped'],
      steps: [],
      sent: 1,
      pending: 1,
    })
  })
})

describe('the log', () => {
  test('default: cost, block, and nothing of the signature', async () => {
    using bench = await createOutboxBench()
    await bench.chain.attestAsAnother(attestationOf(1))
    const lines: unknown[] = []
    const write = (fields: object, message: string): void => void lines.push({ ...fields, message })
    const outbox = bench.open({ log: { info: write, warn: write, error: write } })
    const { executed } = await outbox.attest(batch)
    const { transactionHash, consumedMotes: consumed = 0n } = executed ?? {}
    const { blockHash, blockHeight } = await bench.chain.blockOf(transactionHash)
    expect(lines).toEqual([
      {
        feed_id: B,
        decision: 'unchanged',
        period: '20261119',
        message: 'attestation dropped: the chain already has it or a newer one',
      },
      {
        transaction_hash: transactionHash,
        feed_ids: [A, batch[2]?.feed_id],
        outcome: 'executed',
        charged_motes: `${chargeOf(5_000_000_000n, consumed)}`,
        consumed_motes: `${consumed}`,
        block_hash: blockHash,
        block_height: blockHeight,
        message: 'attested',
      },
    ])
  })

  test('behavior: every failure has its line', async () => {
    using bench = await createOutboxBench({
      puts: ['forget', 'die', 'accept'],
      losesFeeds: true,
    })
    const transaction_hash = await leavePending(bench)
    const lines: unknown[] = []
    const write = (fields: object, message: string): void => void lines.push({ ...fields, message })
    const log = { info: write, warn: write, error: write }
    await bench.open({ log, wait: async () => bench.chain.revive() }).resume()
    const names = { transaction_hash, feed_ids: [A] }
    expect(lines).toEqual([
      { ...names, message: 'resuming a pending transaction' },
      {
        ...names,
        until: new Date(START + TTL_MS),
        message: 'transaction status unknown: no node reports it',
      },
      { ...names, message: 'transaction sent again' },
      {
        ...names,
        outcome: 'failed',
        charged_motes: '2500000000',
        error: 'User error: 1',
        message: 'transaction failed, expired or was rejected',
      },
    ])
  })
})

describe('two processes on one folder', () => {
  /** An outbox of a process that stands still at a step, until it is killed. */
  async function openStanding(bench: OutboxBench, at: OutboxStep['step']) {
    const process = bench.process('attest')
    const reached = Promise.withResolvers<void>()
    const outbox = bench.open({
      process,
      async observe({ step }) {
        if (step !== at) return
        reached.resolve()
        await new Promise(() => {})
      },
    })
    return {
      outbox,
      kill: process.kill,
      /** Resolves when it stands still. */
      stand: async (work: (outbox: Outbox) => Promise<unknown>) =>
        Promise.race([work(outbox), reached.promise]),
    }
  }

  const steps = ['checked', 'signed', 'written', 'accepted', 'settled'] as const

  test('behavior: a feed that a backfill holds is backfilled, also while a transaction of it is pending', async () => {
    using bench = await createOutboxBench()
    const transactionHash = await leavePending(bench)
    const outbox = bench.open()
    expect(outbox.listPending().map(({ transaction_hash }) => transaction_hash)).toEqual([
      transactionHash ?? '',
    ])
    expect(() => outbox.assertFree(feedOf('A.DAILY'))).toThrow(`in transaction ${transactionHash}`)
    using _backfill = bench.process('backfill').store.hold(A)
    expect(() => outbox.assertFree(feedOf('A.DAILY'))).toThrow('is being backfilled')
  })

  test.each(steps)('behavior: from %s on, its feeds are locked, and others continue', async (step) => {
    using bench = await createOutboxBench()
    const command = await openStanding(bench, step)
    await command.stand(({ attest }) => attest([attestationOf(0)]))
    const agent = bench.open()
    const pending = bench.pending()
    expect(await agent.resume()).toEqual([])
    for (const batch of [[attestationOf(0)], [attestationOf(1), attestationOf(0)]])
      expect(await errorOf(agent.attest(batch))).toMatchObject({
        code: 'feed_pending',
        feedId: A,
        holder: { id: process.pid, purpose: 'attest' },
      })
    expect(() => agent.assertFree(feedOf('A.DAILY'))).toThrow('is being attested by')
    agent.assertFree(feedOf('B.DAILY'))
    expect(agent.listPending().length).toBe(pending.length)
    await agent.attest([attestationOf(1)])
    expect(bench.pending()).toEqual(pending)
  })

  test.each(steps)('behavior: killed at %s, the same agent’s next cycle takes it up', async (step) => {
    using bench = await createOutboxBench()
    const agent = bench.open()
    expect(await agent.resume()).toEqual([])
    const command = await openStanding(bench, step)
    await command.stand(({ attest }) => attest([attestationOf(0)]))
    expect(await agent.resume()).toEqual([])
    command.kill()
    const [hash] = agent.listPending().map(({ transaction_hash }) => transaction_hash)
    // Between two cycles: nothing that would be a second one.
    if (hash !== undefined)
      expect(await errorOf(agent.attest([attestationOf(0)]))).toMatchObject({
        code: 'feed_pending',
        transactionHash: hash,
      })
    await agent.resume()
    await agent.attest([attestationOf(0)]).catch((error) => expect(error.code).toBe('nothing_to_attest'))
    expect([await bench.chain.attested(), bench.pending()]).toEqual([[attestationOf(0)], []])
  })

  test('behavior: stored transactions of another process count for the balance', async () => {
    using bench = await createOutboxBench({ balance: () => 4_900_000_000n })
    const command = await openStanding(bench, 'written')
    await command.stand(({ attest }) => attest([attestationOf(0)]))
    expect(await errorOf(bench.open().attest([attestationOf(1)]))).toMatchObject({
      code: 'balance',
      neededMotes: 5_000_000_000n,
    })
  })

  test('behavior: a backfill holds its feed between its transactions', async () => {
    using bench = await createOutboxBench()
    const process = bench.process('backfill')
    const backfill = bench.open({ process })
    const agent = bench.open()
    {
      using _ = process.store.hold(A)
      for (const period of [20261101, 20261102]) {
        await backfill.attest([attestationOf(0, period)])
        expect(await errorOf(agent.attest([attestationOf(0)]))).toMatchObject({ code: 'backfilling' })
      }
    }
    await agent.attest([attestationOf(0)])
    expect((await bench.chain.attested()).map(({ period }) => period)).toEqual([20261101, 20261102, 20261119])
  })
})
