import { describe, expect, test } from 'bun:test'
import { testSigner } from '@wattfeed/casper/testing/keys'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder } from '@wattfeed/testing/folder'
import { localClient } from 'wattfeed/testing/localClient'
import { feedMetadata, type SeriesConfig } from '../../../src/feeds/file/feedConfig.ts'
import { formatCount } from '../../../src/operator/feeds/register/register.ts'
import {
  MAX_REGISTRATIONS,
  openRegistrations,
  registerFeeds,
  registrationOf,
} from '../../../src/operator/feeds/register/registerFeeds.ts'
import type { StepCount } from '../../../src/operator/payAll.ts'
import { readTransactionFile } from '../../../src/operator/transaction/transactionFile.ts'
import { createState, type TestState } from '../../support/state.ts'
import { createConfig } from './support/feedConfigs.ts'
import {
  CHAIN_NAME,
  costOf,
  createFeedsChain,
  type FeedsChain,
  type FeedsChainOptions,
  START,
} from './support/feedsChain.ts'
import { createRegistrationBench } from './support/registrationBench.ts'

const signer = await testSigner()
const wti = createConfig()
const brent = createConfig({
  feed_id: 'EIA.PET.PRICE.BRENT.DAILY',
  title: 'Brent',
  facets: { series: 'RBRTE' },
})
const long = createConfig({ feed_id: 'EIA.LONG', description: 'x'.repeat(300) })

/** The requested number of new feeds. */
const manyConfigs = (count: number) =>
  Array.from({ length: count }, (_, index) => createConfig({ feed_id: `EIA.MANY_${index}` }))

const benchOf = async (options: FeedsChainOptions = {}) => {
  const chain = await createFeedsChain(options)
  return { chain, ...createRegistrationBench(chain, signer) }
}

/** A store that other processes could share. */
const storeIn = ({ file }: TestState, { feedRegistryPackageHash: contract }: FeedsChain) =>
  openRegistrations({
    state: file,
    destination: { chainName: CHAIN_NAME, contract, account: signer.accountHash },
  })

const nothing = {
  transaction_hash: null,
  block_height: null,
  payment_motes: null,
  consumed_motes: null,
  charged_motes: null,
  differences: [],
  error: null,
}

describe('registerFeeds', () => {
  test('default: sends new and changed feeds, and skips the rest', async () => {
    const { chain, open, kept, progress } = await benchOf()
    await chain.register(brent.feed_id, feedMetadata(brent))
    await chain.register(long.feed_id, { ...feedMetadata(long), title: 'as it was' })
    const reports = await registerFeeds(open(), [wti, brent, long])
    const executed = {
      state: 'executed',
      transaction_hash: expect.any(String),
      block_height: expect.any(Number),
      error: null,
    }
    const title = { field: 'title', on_chain: 'as it was', configured: long.title }
    expect(reports as object[]).toEqual([
      {
        ...executed,
        feed_id: wti.feed_id,
        payment_motes: '2500000000',
        ...(await costOf(chain, reports[0]?.transaction_hash)),
        differences: [],
      },
      { feed_id: brent.feed_id, state: 'done', ...nothing },
      {
        ...executed,
        feed_id: long.feed_id,
        payment_motes: '5000000000',
        ...(await costOf(chain, reports[2]?.transaction_hash)),
        differences: [title],
      },
    ])
    const hashes = [0, 2].map((index) => reports[index]?.transaction_hash ?? '')
    expect(hashes.toSorted()).toEqual([...chain.sent].toSorted())
    expect((await chain.registered()).toSorted((a, b) => b.feedId.localeCompare(a.feedId))).toEqual([
      { feedId: wti.feed_id, feed: feedMetadata(wti) },
      { feedId: long.feed_id, feed: feedMetadata(long) },
    ])
    expect(kept()).toBeNull()
    for (const { feed_id } of [wti, long])
      expect(progress.filter((line) => line.startsWith(feed_id))).toEqual(
        ['signed', 'written', 'accepted', 'settled', 'removed'].map((event) => `${feed_id}: ${event}`),
      )
    expect(await registerFeeds(open(), [wti, brent, long])).toMatchObject([
      { state: 'done' },
      { state: 'done' },
      { state: 'done' },
    ])
  })

  test('error: a feed of another account is rejected, even if nothing would change', async () => {
    const { chain, open } = await benchOf()
    await chain.register(wti.feed_id, feedMetadata(wti), 'stranger')
    expect(await registerFeeds(open(), [wti])).toMatchObject([
      { state: 'refused', error: { code: 'registration', message: expect.stringContaining('belongs to') } },
    ])
    expect(chain.sent).toEqual([])
  })

  test('behavior: a dry run still checks, but sends and stores nothing', async () => {
    const { chain, open, kept } = await benchOf()
    expect(await registerFeeds(open({ isDryRun: true }), [wti, long])).toEqual([
      { ...nothing, feed_id: wti.feed_id, state: 'planned', payment_motes: '2500000000' },
      { ...nothing, feed_id: long.feed_id, state: 'planned', payment_motes: '5000000000' },
    ])
    expect([chain.sent, kept()]).toEqual([[], null])
  })

  test('behavior: with a file, the first registration is written there, and nothing is sent', async () => {
    const { chain, open, kept } = await benchOf()
    await chain.register(brent.feed_id, feedMetadata(brent))
    using folder = createFolder()
    const out = { path: `${folder.path}/register.json`, lifetimeMs: null }
    const reports = await registerFeeds(open({ out }), [brent, wti, long])
    expect(reports.map(({ feed_id, state }) => [feed_id, state])).toEqual([
      [brent.feed_id, 'done'],
      [wti.feed_id, 'written'],
      [long.feed_id, 'planned'],
    ])
    const { transaction } = await readTransactionFile(out.path)
    expect(reports[1]).toMatchObject({ file: out.path, transaction_hash: transaction.hash, is_signed: true })
    expect(transaction).toMatchObject({ entryPoint: 'register_feed', ttlMs: 7_200_000 })
    expect([chain.sent, kept()]).toEqual([[], null])
  })

  test('behavior: PAYMENT_MOTES is paid instead', async () => {
    const { chain, open } = await benchOf()
    const [report] = await registerFeeds(open({ paymentMotes: 3_000_000_000n }), [wti])
    const cost = await costOf(chain, report?.transaction_hash)
    expect(report).toMatchObject({ payment_motes: '3000000000', ...cost })
  })

  test('behavior: it is written down before it is sent', async () => {
    const { chain, open, kept } = await benchOf()
    let keptWhenSent: unknown
    const registration = open({
      onStep({ step }) {
        if (step === 'written') keptWhenSent = { kept: kept(), sent: chain.sent.length }
      },
    })
    const [report] = await registerFeeds(registration, [wti])
    expect(keptWhenSent).toMatchObject({
      kept: {
        purpose: { kind: 'register', feed_id: wti.feed_id, is_new: true },
        transaction_hash: report?.transaction_hash,
        expires_at: START + 300_000,
        payment_motes: '2500000000',
      },
      sent: 0,
    })
  })
})

test('behavior: only a new feed is one that a lost state cannot have sent values to', async () => {
  const { chain, open } = await benchOf()
  await chain.register(long.feed_id, { ...feedMetadata(long), title: 'as it was' })
  using state = createState()
  const reports = await registerFeeds(open({ store: storeIn(state, chain) }), [wti, long])
  expect(reports.map(({ state }) => state)).toEqual(['executed', 'executed'])
  expect(state.file.database.query('SELECT chain_name, feed_id FROM registered_feed').all()).toEqual([
    { chain_name: CHAIN_NAME, feed_id: wti.feed_id },
  ])
})

describe('after an interruption', () => {
  const interrupted = async (options: FeedsChainOptions = {}, configs = [wti]) => {
    const bench = await benchOf({ looks: 1_000, ...options })
    const stop = new AbortController()
    const registration = bench.open({
      async wait() {
        if (new Set(bench.chain.sent).size === configs.length) stop.abort()
      },
      now: () => START,
      signal: stop.signal,
    })
    await registerFeeds(registration, configs).catch(() => null)
    return { ...bench, hash: bench.kept()?.transaction_hash ?? '' }
  }

  test('default: a sent transaction is followed, and not sent as another one', async () => {
    const { chain, open, kept, hash } = await interrupted()
    expect(hash).not.toBe('')
    chain.hurry()
    expect(await registerFeeds(open(), [wti, brent])).toMatchObject([
      { feed_id: wti.feed_id, state: 'executed', transaction_hash: hash },
      { feed_id: brent.feed_id, state: 'executed' },
    ])
    expect(new Set(chain.sent).size).toBe(2)
    expect((await chain.registered()).map(({ feedId }) => feedId)).toEqual([wti.feed_id, brent.feed_id])
    expect(kept()).toBeNull()
  })

  test('behavior: all that was in flight is followed, however many', async () => {
    const { chain, open, kept } = await interrupted({}, [wti, brent, long])
    const hashes = [...new Set(chain.sent)]
    expect(hashes).toHaveLength(3)
    chain.hurry()
    const reports = await registerFeeds(open(), [wti, brent, long])
    expect(reports.map(({ state }) => state)).toEqual(['executed', 'executed', 'executed'])
    expect([new Set(chain.sent).size, (await chain.registered()).length, kept()]).toEqual([3, 3, null])
  })

  test('behavior: it is reported even if another feed is requested', async () => {
    const { chain, open, hash } = await interrupted()
    chain.hurry()
    expect(await registerFeeds(open(), [brent])).toMatchObject([
      { feed_id: wti.feed_id, state: 'executed', transaction_hash: hash },
      { feed_id: brent.feed_id, state: 'executed' },
    ])
  })

  test('behavior: a dry run reports it, and does not follow it', async () => {
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

  test('behavior: one that expired is registered again', async () => {
    let time = START
    const { chain, open, hash } = await interrupted({
      // Rejected for a reason that another node need not share, so the result stays open.
      puts: [
        'forget',
        'forget',
        { error: { code: -32016, message: 'Invalid transaction', data: 'expired' } },
        'accept',
      ],
      time: () => time,
    })
    chain.hurry()
    time += 9_000_000
    const registration = open({ now: () => time })
    const [report] = await registerFeeds(registration, [wti])
    expect(report).toMatchObject({ feed_id: wti.feed_id, state: 'executed' })
    expect(report?.transaction_hash).not.toBe(hash)
  })

  test('behavior: one that expired is forgotten, even if the feed is registered by now', async () => {
    let time = START
    const { chain, open, kept } = await interrupted({ puts: ['forget'], time: () => time })
    time += 9_000_000
    await chain.register(wti.feed_id, feedMetadata(wti))
    expect(await registerFeeds(open({ now: () => time }), [wti])).toMatchObject([{ state: 'done' }])
    expect(kept()).toBeNull()
  })

  test('error: a failed one is reported, and the others are sent', async () => {
    const { chain, open, kept } = await interrupted({ claimedAhead: wti.feed_id })
    chain.hurry()
    expect(await registerFeeds(open(), [wti, brent])).toMatchObject([
      { feed_id: wti.feed_id, state: 'failed', error: { code: 'transaction_failed' } },
      { feed_id: brent.feed_id, state: 'executed', error: null },
    ])
    expect([new Set(chain.sent).size, kept()]).toEqual([2, null])
  })
})

describe('registrations that would fail are not sent', () => {
  test('error: a feed of another account; the others continue', async () => {
    const { chain, open } = await benchOf()
    await chain.register(wti.feed_id, feedMetadata(brent), 'stranger')
    const message = `${wti.feed_id} belongs to ${chain.stranger}, but the key belongs to ${signer.accountHash}; use the claimant's key, or give the feed another id`
    expect(await registerFeeds(open(), [wti, brent])).toMatchObject([
      {
        ...nothing,
        state: 'refused',
        differences: [{ field: 'title', on_chain: brent.title, configured: wti.title }],
        error: { code: 'registration', message, retryable: false },
      },
      { state: 'executed' },
    ])
    expect((await chain.registered()).map(({ feedId }) => feedId)).toEqual([brent.feed_id])
  })

  test('error: a new feed of an account that is not eligible; it may still change its own feeds', async () => {
    const { chain, open } = await benchOf({ isEligible: false })
    await chain.register(brent.feed_id, { ...feedMetadata(brent), title: 'as it was' })
    const reports = await registerFeeds(open(), [wti, brent])
    expect(reports).toMatchObject([{ state: 'refused' }, { state: 'executed' }])
    expect(reports[0]?.error?.message).toBe(
      `${signer.accountHash} may not register new feeds: it is not eligible at the gate hash-${chain.gatePackageHash}; ask the owner of the gate to add your identity, then run "npx -y bun@1.4.4 run eligibility prove" and "npx -y bun@1.4.4 run eligibility claim"`,
    )
  })

  test.each([
    ['no gate', { gate: null }, 'has no eligibility gate'],
    ['an account for a gate', { gate: `account-hash-${'77'.repeat(32)}` }, 'has no eligibility gate'],
    ['a gate that is not there', { gate: `hash-${'12'.repeat(32)}` }, 'cannot read whether'],
    ['a gate of another kind', { gate: 'without a list' }, 'cannot read whether'],
  ])('error: %s', async (_, options, words) => {
    const { chain, open } = await benchOf(options)
    const [report] = await registerFeeds(open(), [wti])
    expect(report).toMatchObject({ state: 'refused', error: { code: 'registration' } })
    expect(report?.error?.message).toContain(words)
    expect(chain.sent).toEqual([])
  })

  test('error: texts that fit no lane', async () => {
    const { chain, open } = await benchOf()
    const [report] = await registerFeeds(open(), [createConfig({ description: 'x'.repeat(2_000) })])
    expect(report).toMatchObject({ state: 'refused', error: { code: 'no_lane', retryable: false } })
    expect(chain.sent).toEqual([])
  })

  test('error: texts that fit a lane of another protocol only, and nothing is sent', async () => {
    const { chain, open } = await benchOf()
    const wordy = createConfig({ description: 'x'.repeat(1_200) })
    const reports = async (protocol_version: string) => {
      const { client } = localClient({
        ...chain,
        async answer(method, params) {
          const answer = await chain.answer(method, params)
          return method === 'info_get_status' && 'result' in answer
            ? { result: { ...Object(answer.result), protocol_version } }
            : answer
        },
      })
      return registerFeeds(open({ client, isDryRun: true }), [wordy])
    }
    expect(await reports('2.2.2')).toMatchObject([{ state: 'planned' }])
    expect(await reports('2.0.0')).toMatchObject([{ state: 'refused', error: { code: 'no_lane' } }])
    expect(chain.sent).toEqual([])
  })

  test('error: texts that are no UTF-8', async () => {
    const { open } = await benchOf()
    expect(await registerFeeds(open(), [createConfig({ title: '\ud800' })])).toMatchObject([
      { state: 'refused', error: { code: 'argument' } },
    ])
  })

  test('error: a balance that does not do for all of them', async () => {
    const { chain, open } = await benchOf({ balance: 7_499_999_999n })
    expect(await errorOf(registerFeeds(open(), [wti, long]))).toMatchObject({
      code: 'preflight',
      message:
        'the account has 7.499999999 CSPR, but the payments come to 7.5 CSPR; send it 0.000000001 CSPR more',
    })
    expect(chain.sent).toEqual([])
  })

  test('error: a payment below the minimum', async () => {
    const { open } = await benchOf()
    expect(await registerFeeds(open({ paymentMotes: 1n }), [wti])).toMatchObject([
      { state: 'refused', error: { code: 'no_lane' } },
    ])
  })

  test('behavior: a feed that another account claims meanwhile is not sent', async () => {
    const { chain, open } = await benchOf()
    const registration = open({
      async onStep({ pending, step }) {
        if (pending.purpose.feed_id === wti.feed_id && step === 'settled')
          await chain.register(brent.feed_id, feedMetadata(brent), 'stranger')
      },
    })
    // Before it, the program sends as many as may be in flight at once.
    const before = manyConfigs(MAX_REGISTRATIONS - 1)
    const changed = { ...brent, title: 'another' }
    const reports = await registerFeeds(registration, [wti, ...before, changed, long])
    expect(reports.slice(-2)).toMatchObject([
      { state: 'refused', error: { code: 'registration' } },
      { state: 'executed' },
    ])
    expect(chain.sent).toHaveLength(MAX_REGISTRATIONS + 1)
  })
})

describe('sent registrations that did not succeed', () => {
  test('error: failed on chain: the whole payment is lost, and the others continue', async () => {
    const { chain, open, kept } = await benchOf({ claimedAhead: 'EIA.MANY_0' })
    const reports = await registerFeeds(open(), manyConfigs(2 * MAX_REGISTRATIONS))
    const wrong = reports.filter(({ state }) => state !== 'executed')
    expect(wrong).toMatchObject([
      {
        feed_id: 'EIA.MANY_0',
        state: 'failed',
        transaction_hash: expect.any(String),
        payment_motes: '2500000000',
        charged_motes: '2500000000',
        error: { code: 'transaction_failed', retryable: false },
      },
    ])
    expect([chain.sent.length, kept()]).toEqual([2 * MAX_REGISTRATIONS, null])
  })

  test('error: refused by the node: nothing is charged', async () => {
    const { open, kept } = await benchOf({
      puts: [{ error: { code: -32016, message: 'Invalid transaction', data: 'no' } }],
    })
    expect(await registerFeeds(open(), [wti])).toMatchObject([
      { state: 'failed', charged_motes: null, error: { code: 'transaction_refused' } },
    ])
    expect(kept()).toBeNull()
  })

  test('error: an unknown outcome: it stays pending, and the other feeds report the failing node', async () => {
    const { chain, open, kept } = await benchOf({ puts: ['takeAndDie'] })
    let time = START
    const wait = async () => {
      time += 3_600_000
    }
    const registration = open({ rpc: rpcOf(chain.answer), wait, now: () => time })
    const reports = await registerFeeds(registration, [wti, brent])
    expect(reports[0]).toMatchObject({
      state: 'pending',
      transaction_hash: chain.sent[0] ?? '',
      error: { code: 'transaction_unresolved' },
    })
    expect(reports[1]?.state).toBeOneOf(['pending', 'not_sent'])
    expect(reports[1]?.error?.retryable).toBeTrue()
    expect(kept()?.transaction_hash).toBe(chain.sent[0] ?? '')
  })

  test('behavior: a node that dies after it took it: the same bytes are followed', async () => {
    const { chain, open } = await benchOf({ puts: ['takeAndDie'] })
    const registration = open({
      rpc: rpcOf(chain.answer),
      wait: async () => chain.revive(),
      now: () => START,
    })
    expect(await registerFeeds(registration, [wti])).toMatchObject([{ state: 'executed' }])
    expect([new Set(chain.sent).size, (await chain.registered()).length]).toEqual([1, 1])
  })
})

describe('many feeds', () => {
  test('default: as many as the limit are in flight at once, and the progress is reported', async () => {
    const { chain, open } = await benchOf({ looks: 1, balance: 1_000_000_000_000n })
    const inFlight = new Set<string>()
    const counts: StepCount[] = []
    let most = 0
    const registration = open({
      onStep({ pending, step }) {
        const { feed_id } = registrationOf(pending.purpose)
        if (step === 'written') inFlight.add(feed_id)
        if (step === 'settled') inFlight.delete(feed_id)
        most = Math.max(most, inFlight.size)
      },
      onCount: (count) => counts.push(count),
    })
    const configs = manyConfigs(40)
    const reports = await registerFeeds(registration, configs)
    expect(reports.map(({ feed_id, state }) => [feed_id, state])).toEqual(
      configs.map(({ feed_id }) => [feed_id, 'executed']),
    )
    expect([most, (await chain.registered()).length]).toEqual([MAX_REGISTRATIONS, 40])
    const paymentMotes = 40n * 2_500_000_000n
    expect(counts).toEqual(Array.from({ length: 41 }, (_, done) => ({ done, total: 40, paymentMotes })))
  })

  test('error: a balance that falls meanwhile stops only the feeds that it does not cover', async () => {
    const balances = [10_000_000_000n, 5_000_000_000n]
    const bench = await benchOf()
    const answer: typeof bench.chain.answer = (method, params) =>
      method === 'query_balance'
        ? { result: { balance: `${balances.length > 1 ? balances.shift() : balances[0]}` } }
        : bench.chain.answer(method, params)
    using state = createState()
    const reports = await registerFeeds(
      bench.open({ rpc: rpcOf(answer), store: storeIn(state, bench.chain) }),
      manyConfigs(4),
    )
    expect(reports.map(({ state }) => state).toSorted()).toEqual([
      'executed',
      'executed',
      'not_sent',
      'not_sent',
    ])
    expect(reports.filter(({ state }) => state === 'not_sent')).toMatchObject([
      { error: { code: 'balance' } },
      { error: { code: 'balance' } },
    ])
    expect(bench.chain.sent).toHaveLength(2)
  })

  test('error: an unexpected one is thrown once nothing is in flight any more', async () => {
    const { chain, open } = await benchOf({ looks: 100 })
    const registration = open({
      onStep({ pending, step }) {
        if (pending.purpose.feed_id === wti.feed_id && step === 'written') throw new TypeError('a bug')
      },
    })
    const found = await registerFeeds(registration, [wti, ...manyConfigs(4)]).catch(async ({ message }) => ({
      message,
      registered: (await chain.registered()).length,
    }))
    expect(found).toEqual({ message: 'a bug', registered: 4 })
  })

  test('default: a line at the start, for each tenth and at the end; none for few', () => {
    const lines = (total: number) =>
      Array.from({ length: total + 1 }, (_, done) =>
        formatCount({ done, total, paymentMotes: 2_500_000_000n * BigInt(total) }),
      ).filter((line) => line !== null)
    expect(lines(24)).toEqual([
      '24 feeds to register, for 60 CSPR at most',
      '10 of 24 feeds done',
      '20 of 24 feeds done',
      '24 of 24 feeds done',
    ])
    expect(lines(9)).toEqual([])
  })
})

describe('metadata of a feed that has values', () => {
  const withValues = async (changes: Partial<SeriesConfig>, count = 2) => {
    const bench = await benchOf()
    await bench.chain.register(wti.feed_id, { ...feedMetadata(wti), ...changes })
    for (let period = 1; period <= count; period++)
      await bench.chain.attest(wti.feed_id, { period, amount: BigInt(period) })
    return bench
  }
  const decimals = { field: 'decimals', on_chain: 2, configured: 6 } as const

  test.each([
    [{ decimals: 2 }, [decimals], 'decimals: 2 → 6'],
    [
      { decimals: 2, unit: '€/bbl', title: 'Öl' },
      [
        decimals,
        { field: 'unit', on_chain: '€/bbl', configured: '$/bbl' } as const,
        { field: 'title', on_chain: 'Öl', configured: wti.title } as const,
      ],
      'decimals: 2 → 6, unit: "€/bbl" → "$/bbl"',
    ],
  ])(
    'error: %p is not changed, because values would read differently',
    async (changes, differences, words) => {
      const { chain, open } = await withValues(changes)
      for (const isDryRun of [true, false]) {
        const [report] = await registerFeeds(open({ isDryRun }), [wti])
        expect(report).toMatchObject({ state: 'refused', differences, error: { code: 'registration' } })
        expect(report?.error?.message).toBe(
          `${wti.feed_id} has values on chain (2), and ${words} would re-scale them; give the feed another id, or pass --rescale-history if that is intended`,
        )
      }
      expect(chain.sent).toEqual([])
    },
  )

  test('behavior: decimals and unit change only with the option or without a value, other fields always', async () => {
    const meant = await withValues({ decimals: 2 })
    expect(await registerFeeds(meant.open({ rescalesHistory: true }), [wti])).toMatchObject([
      { state: 'executed', differences: [decimals] },
    ])
    expect(await registerFeeds((await withValues({ decimals: 2 }, 0)).open(), [wti])).toMatchObject([
      { state: 'executed', differences: [decimals] },
    ])
    expect(await registerFeeds((await withValues({ title: 'Öl' })).open(), [wti])).toMatchObject([
      { state: 'executed', differences: [{ field: 'title' }] },
    ])
  })
})
