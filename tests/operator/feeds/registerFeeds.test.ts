import { describe, expect, test } from 'bun:test'
import { feedMetadata } from '../../../src/agent/feeds/feedConfig.ts'
import { registerFeeds } from '../../../src/operator/feeds/registerFeeds.ts'
import { testSigner } from '../../agent/support/keys.ts'
import { rpcOf } from '../../agent/support/rpc.ts'
import { errorOf } from '../../support/errorOf.ts'
import { createConfig } from './support/feedConfigs.ts'
import { createFeedsChain, type FeedsChain, type FeedsChainOptions, stranger } from './support/feedsChain.ts'
import { createRegistrationBench, START } from './support/registrationBench.ts'

const signer = await testSigner()
const wti = createConfig()
const brent = createConfig({
  feed_id: 'EIA.PET.PRICE.BRENT.DAILY',
  title: 'Brent',
  facets: { series: 'RBRTE' },
})
const long = createConfig({ feed_id: 'EIA.LONG', description: 'x'.repeat(300) })

const benchOf = (options: Partial<FeedsChainOptions> = {}) => {
  const chain = createFeedsChain({ signer, ...options })
  return { chain, ...createRegistrationBench(chain, signer) }
}

/** Gives a dead node up sooner. */
const impatient = (chain: FeedsChain) => rpcOf(chain.answer, { deadlineMs: 500 })

const nothing = {
  transaction_hash: null,
  block_height: null,
  payment_motes: null,
  consumed_motes: null,
  charged_motes: null,
  error: null,
}

describe('registerFeeds', () => {
  test('default: sends what is new or changed, one after another, and leaves the rest alone', async () => {
    const { chain, open, kept, progress } = benchOf()
    chain.register(brent.feed_id, feedMetadata(brent))
    chain.register(long.feed_id, { ...feedMetadata(long), title: 'as it was' })
    const reports = await registerFeeds(open(), [wti, brent, long])
    const executed = {
      state: 'executed',
      consumed_motes: '1000000000',
      error: null,
    }
    expect(reports).toEqual([
      {
        ...executed,
        feed_id: wti.feed_id,
        transaction_hash: chain.sent[0] ?? '',
        block_height: 1,
        payment_motes: '2500000000',
        charged_motes: '1375000000',
      },
      { feed_id: brent.feed_id, state: 'done', ...nothing },
      {
        ...executed,
        feed_id: long.feed_id,
        transaction_hash: chain.sent[1] ?? '',
        block_height: 2,
        payment_motes: '5000000000',
        charged_motes: '2000000000',
      },
    ] as typeof reports)
    expect(chain.registered).toEqual([
      { feedId: wti.feed_id, feed: feedMetadata(wti) },
      { feedId: long.feed_id, feed: feedMetadata(long) },
    ])
    expect(kept()).toBeNull()
    expect(progress).toEqual(
      [wti, long].flatMap(({ feed_id }) =>
        ['written', 'accepted', 'executed'].map((event) => `${feed_id}: ${event}`),
      ),
    )
    expect(await registerFeeds(open(), [wti, brent, long])).toMatchObject([
      { state: 'done' },
      { state: 'done' },
      { state: 'done' },
    ])
  })

  test('behavior: a dry run checks all the same, and sends and keeps nothing', async () => {
    const { chain, open, kept } = benchOf()
    expect(await registerFeeds(open({ isDryRun: true }), [wti, long])).toEqual([
      { ...nothing, feed_id: wti.feed_id, state: 'planned', payment_motes: '2500000000' },
      { ...nothing, feed_id: long.feed_id, state: 'planned', payment_motes: '5000000000' },
    ])
    expect([chain.sent, kept()]).toEqual([[], null])
  })

  test('behavior: PAYMENT_MOTES is paid instead', async () => {
    const { open } = benchOf()
    expect(await registerFeeds(open({ paymentMotes: 3_000_000_000n }), [wti])).toMatchObject([
      { payment_motes: '3000000000', charged_motes: '1500000000' },
    ])
  })

  test('behavior: it is written down before it is sent', async () => {
    const { chain, open, kept } = benchOf()
    let keptWhenSent: unknown
    const registration = open({
      onProgress({ event }) {
        if (event === 'written') keptWhenSent = { kept: kept(), sent: chain.sent.length }
      },
    })
    const [report] = await registerFeeds(registration, [wti])
    expect(keptWhenSent).toMatchObject({
      kept: {
        feed_id: wti.feed_id,
        transaction_hash: report?.transaction_hash,
        expires_at: START - 2_000 + 300_000,
        payment_motes: '2500000000',
      },
      sent: 0,
    })
  })
})

describe('after an interruption', () => {
  const interrupted = async (options: Partial<FeedsChainOptions> = {}) => {
    const bench = benchOf({ looks: 1_000, ...options })
    const stop = new AbortController()
    const registration = bench.open({
      follow: { pollMs: 1, wait: async () => stop.abort(), now: () => START, signal: stop.signal },
    })
    await registerFeeds(registration, [wti]).catch(() => null)
    return { ...bench, hash: bench.kept()?.transaction_hash ?? '' }
  }

  test('default: what was sent is followed, and not sent as another transaction', async () => {
    const { chain, open, kept, hash } = await interrupted()
    expect(hash).not.toBe('')
    chain.hurry()
    expect(await registerFeeds(open(), [wti, brent])).toMatchObject([
      { feed_id: wti.feed_id, state: 'executed', transaction_hash: hash },
      { feed_id: brent.feed_id, state: 'executed' },
    ])
    expect(new Set(chain.sent).size).toBe(2)
    expect(chain.registered.map(({ feedId }) => feedId)).toEqual([wti.feed_id, brent.feed_id])
    expect(kept()).toBeNull()
  })

  test('behavior: it is reported also where another feed is asked for', async () => {
    const { chain, open, hash } = await interrupted()
    chain.hurry()
    expect(await registerFeeds(open(), [brent])).toMatchObject([
      { feed_id: wti.feed_id, state: 'executed', transaction_hash: hash },
      { feed_id: brent.feed_id, state: 'executed' },
    ])
  })

  test('behavior: a dry run tells of it, and does not follow it', async () => {
    const { chain, open, kept, hash } = await interrupted()
    const asked = chain.sent.length
    expect(await registerFeeds(open({ isDryRun: true }), [wti])).toEqual([
      {
        ...nothing,
        feed_id: wti.feed_id,
        state: 'pending',
        transaction_hash: hash,
        payment_motes: '2500000000',
      },
    ])
    expect([chain.sent.length, kept()?.transaction_hash]).toEqual([asked, hash])
  })

  test('behavior: one that expired is registered anew', async () => {
    const { chain, open, hash } = await interrupted({
      // Refused for a reason that another node need not have had: that settles nothing.
      puts: [
        'forget',
        'forget',
        { error: { code: -32016, message: 'Invalid transaction', data: 'expired' } },
        'accept',
      ],
      time: () => START + 9e6,
    })
    chain.hurry()
    const late = START + 9_000_000
    const registration = open({ follow: { pollMs: 1, wait: async () => {}, now: () => late } })
    const [report] = await registerFeeds(registration, [wti])
    expect(report).toMatchObject({ feed_id: wti.feed_id, state: 'executed' })
    expect(report?.transaction_hash).not.toBe(hash)
  })

  test('behavior: one that expired is forgotten, also where the feed is registered by now', async () => {
    const { chain, open, kept } = await interrupted({ puts: ['forget'], time: () => START + 9e6 })
    chain.register(wti.feed_id, feedMetadata(wti))
    const follow = { pollMs: 1, wait: async () => {}, now: () => START + 9_000_000 }
    expect(await registerFeeds(open({ follow }), [wti])).toMatchObject([{ state: 'done' }])
    expect(kept()).toBeNull()
  })

  test('error: one that failed is told, and nothing further is sent', async () => {
    const { chain, open, kept } = await interrupted({ fails: () => 'User error: 1' })
    chain.hurry()
    expect(await registerFeeds(open(), [wti, brent])).toMatchObject([
      { feed_id: wti.feed_id, state: 'failed', error: { code: 'transaction_failed' } },
      { feed_id: brent.feed_id, state: 'not_sent', error: null },
    ])
    expect([new Set(chain.sent).size, kept()]).toEqual([1, null])
  })
})

describe('what would fail is not sent', () => {
  test('error: a feed of somebody else, where the others go on', async () => {
    const { chain, open } = benchOf()
    chain.register(wti.feed_id, feedMetadata(brent), stranger)
    const message = `${wti.feed_id} belongs to ${stranger}, and the key is that of ${signer.accountHash}; use the claimant's key, or give the feed another id`
    expect(await registerFeeds(open(), [wti, brent])).toMatchObject([
      { ...nothing, state: 'refused', error: { code: 'registration', message, retryable: false } },
      { state: 'executed' },
    ])
    expect(chain.registered.map(({ feedId }) => feedId)).toEqual([brent.feed_id])
  })

  test('error: a new feed of an account that is not eligible; what it has it may change', async () => {
    const { chain, open } = benchOf({ isEligible: false })
    chain.register(brent.feed_id, { ...feedMetadata(brent), title: 'as it was' })
    const reports = await registerFeeds(open(), [wti, brent])
    expect(reports).toMatchObject([{ state: 'refused' }, { state: 'executed' }])
    expect(reports[0]?.error?.message).toBe(
      `${signer.accountHash} may not register new feeds: it is not eligible at the gate hash-${chain.gatePackageHash}; "bun run eligibility" makes it so`,
    )
  })

  test.each([
    ['no gate', { gate: null }, 'has no eligibility gate'],
    ['an account for a gate', { gate: stranger }, 'has no eligibility gate'],
    ['a gate that is not there', { gate: `hash-${'12'.repeat(32)}` }, 'cannot be read'],
    ['a gate of another kind', { gateEntryPoints: ['is_eligible'] }, 'cannot be read'],
  ])('error: %s', async (_, options, words) => {
    const { chain, open } = benchOf(options)
    const [report] = await registerFeeds(open(), [wti])
    expect(report).toMatchObject({ state: 'refused', error: { code: 'registration' } })
    expect(report?.error?.message).toContain(words)
    expect(chain.sent).toEqual([])
  })

  test('error: texts that fit no lane', async () => {
    const { chain, open } = benchOf()
    const [report] = await registerFeeds(open(), [createConfig({ description: 'x'.repeat(1_000) })])
    expect(report).toMatchObject({ state: 'refused', error: { code: 'no_lane', retryable: false } })
    expect(chain.sent).toEqual([])
  })

  test('error: texts that are no UTF-8', async () => {
    const { open } = benchOf()
    expect(await registerFeeds(open(), [createConfig({ title: '\ud800' })])).toMatchObject([
      { state: 'refused', error: { code: 'argument' } },
    ])
  })

  test('error: a balance that does not do for all of them', async () => {
    const { chain, open } = benchOf({ balance: 7_499_999_999n })
    expect(await errorOf(registerFeeds(open(), [wti, long]))).toMatchObject({
      code: 'preflight',
      message:
        'the account has 7.499999999 CSPR, and the payments come to 7.5 CSPR; send it 0.000000001 CSPR more',
    })
    expect(chain.sent).toEqual([])
  })

  test('error: a payment below the least', async () => {
    const { open } = benchOf()
    expect(await registerFeeds(open({ paymentMotes: 1n }), [wti])).toMatchObject([
      { state: 'refused', error: { code: 'no_lane' } },
    ])
  })

  test('behavior: claimed by somebody else while others were sent, it is not sent', async () => {
    const { chain, open } = benchOf()
    const registration = open({
      onProgress({ pending, event }) {
        if (pending.feed_id === wti.feed_id && event === 'executed')
          chain.register(brent.feed_id, feedMetadata(brent), stranger)
      },
    })
    const changed = { ...brent, title: 'another' }
    expect(await registerFeeds(registration, [wti, changed, long])).toMatchObject([
      { state: 'executed' },
      { state: 'refused', error: { code: 'registration' } },
      { state: 'executed' },
    ])
    expect(chain.sent).toHaveLength(2)
  })
})

describe('what was sent and did not succeed', () => {
  test('error: failed on chain: the whole payment is lost, and nothing further is sent', async () => {
    const { chain, open, kept } = benchOf({ fails: () => 'User error: 1' })
    chain.register(long.feed_id, feedMetadata(long))
    expect(await registerFeeds(open(), [wti, brent, long])).toMatchObject([
      {
        state: 'failed',
        transaction_hash: chain.sent[0] ?? '',
        block_height: 1,
        payment_motes: '2500000000',
        charged_motes: '2500000000',
        error: { code: 'transaction_failed', retryable: false },
      },
      { feed_id: brent.feed_id, ...nothing, state: 'not_sent' },
      { feed_id: long.feed_id, state: 'done' },
    ])
    expect([chain.sent.length, kept()]).toEqual([1, null])
  })

  test('error: refused by the node: nothing is charged', async () => {
    const { open, kept } = benchOf({
      puts: [{ error: { code: -32016, message: 'Invalid transaction', data: 'no' } }],
    })
    expect(await registerFeeds(open(), [wti])).toMatchObject([
      { state: 'failed', charged_motes: null, error: { code: 'transaction_refused' } },
    ])
    expect(kept()).toBeNull()
  })

  test('error: an end that is not known: it stays pending, and nothing further is sent', async () => {
    const { chain, open, kept } = benchOf({ puts: ['takeAndDie'] })
    let time = START
    const wait = async () => {
      time += 3_600_000
    }
    const registration = open({ rpc: impatient(chain), follow: { pollMs: 1, wait, now: () => time } })
    const reports = await registerFeeds(registration, [wti, brent])
    expect(reports).toMatchObject([
      { state: 'pending', transaction_hash: chain.sent[0] ?? '', error: { code: 'transaction_unresolved' } },
      { state: 'not_sent' },
    ])
    expect(kept()?.transaction_hash).toBe(chain.sent[0] ?? '')
  })

  test('behavior: a node that dies after it took it: the same bytes are followed', async () => {
    const { chain, open } = benchOf({ puts: ['takeAndDie'] })
    const registration = open({
      rpc: impatient(chain),
      follow: { pollMs: 1, wait: async () => chain.revive(), now: () => START },
    })
    expect(await registerFeeds(registration, [wti])).toMatchObject([{ state: 'executed' }])
    expect([new Set(chain.sent).size, chain.registered.length]).toEqual([1, 1])
  })
})
