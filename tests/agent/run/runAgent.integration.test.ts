import { describe, expect, test } from 'bun:test'
import { cpSync, renameSync, rmSync } from 'node:fs'
import { memberAt } from '@wattfeed/base'
import { pemOf, testSigner } from '@wattfeed/casper/testing/keys'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { localFetch } from '@wattfeed/casper-devnet/testing/localNode'
import { createFolder } from '@wattfeed/testing/folder'
import { type FeedOutcome, outcomeFields } from '../../../src/agent/feedOutcome.ts'
import { defaultIntervals } from '../../../src/agent/intervals.ts'
import { createAgentMetrics } from '../../../src/agent/monitor/agentMetrics.ts'
import type { AgentHealth } from '../../../src/agent/monitor/health.ts'
import { createStopSignals } from '../../../src/agent/run/agentCommand.ts'
import { type AgentOptions, runAgent } from '../../../src/agent/run/runAgent.ts'
import { readAgentSettings } from '../../../src/agent/settings/agentSettings.ts'
import { openLostPeriods } from '../../../src/agent/state/lostPeriods.ts'
import { openState, stateOf } from '../../../src/agent/state/openState.ts'
import type { SeriesConfig } from '../../../src/feeds/file/feedConfig.ts'
import { openFeedsFile } from '../../../src/feeds/file/feedsFile.ts'
import type { Log } from '../../../src/runtime/log.ts'
import { pendingHashes, statePath } from '../../support/state.ts'
import { type AttestChainOptions, createAttestChain } from '../support/attestChain.ts'
import { feedsOf } from './agentBench.ts'
import { createManualWait, feedOf, turn } from './fakes.ts'

const feeds = [feedOf('A'), feedOf('B'), feedOf('C', { frequency: 'annual' })]
const POLL_MS = 4_321

interface BenchOptions {
  chain?: Partial<Omit<AttestChainOptions, 'feeds'>>
  /** Registered. @default feeds */
  registered?: readonly SeriesConfig[]
  between?: (answer: AnswerRpc) => AnswerRpc
  /** Answers in EIA's place; null leaves it to answer. */
  eia?: () => Response | null
  /** How far this machine's clock is ahead. @default 0 */
  aheadMs?: number
}

const INCOMPLETE = { warning: 'incomplete return', description: 'More rows than can be returned.' }

/** An agent in this process, on a chain and an upstream in memory; waits between looks at a transaction are short. */
async function createBench({
  chain: chainOptions,
  registered = feeds,
  between = (answer) => answer,
  eia = () => null,
  aheadMs = 0,
}: BenchOptions = {}) {
  const folder = createFolder('in memory')
  let waitedMs = 0
  const now = (): number => Date.now() + waitedMs
  const chain = await createAttestChain({ feeds: feedsOf(registered), time: now, ...chainOptions })
  const answer = between(chain.answer)
  const node = localFetch(answer)
  const periods: Record<string, string | string[]> = { daily: '2020-01-02', annual: '2019' }
  const warnings: { warning: string; description: string }[] = []
  const { wait, waits } = createManualWait()
  const logged: { fields: Record<string, unknown>; message: string }[] = []
  const tell = (fields: object, message: string) => void logged.push({ fields: { ...fields }, message })
  const log: Log = { info: tell, warn: tell, error: tell }
  const settings = readAgentSettings(
    {
      EIA_API_KEY: 'k3y',
      EIA_BASE_URL: 'http://eia.test',
      EIA_RPS: '1000',
      ATTESTER_KEY_PATH: folder.write('key.pem', pemOf('ed25519')),
      AGENT_STATE_DIR: `${folder.path}/state`,
      AGENT_PORT: '0',
      CASPER_RPC_URL: 'http://node.test/rpc',
      CASPER_CHAIN_NAME: chain.chainName,
      FEED_REGISTRY_PACKAGE_HASH: chain.feedRegistryPackageHash,
      ATTESTATION_REGISTRY_PACKAGE_HASH: chain.attestationRegistryPackageHash,
    },
    { writes: true, fetches: true },
  )

  async function fetch(url: string, init: RequestInit): Promise<Response> {
    if (url.startsWith('http://node.test')) return node(url, init)
    const instead = eia()
    if (instead !== null) return instead
    const asked = new URL(url).searchParams
    const period = periods[asked.get('frequency') ?? '']
    const facets = [...asked].map(([name, text]) => [/^facets\[(.*)\]\[\]$/.exec(name)?.[1] ?? '', text])
    const rows = [period ?? []].flat().map((each) => ({
      ...Object.fromEntries(facets),
      period: each,
      value: '59.91',
      units: '$/BBL',
    }))
    const offset = Number(asked.get('offset'))
    const data = rows.slice(offset, offset + Number(asked.get('length')))
    const headers = { date: new Date(now()).toUTCString() }
    return Response.json({ response: { total: `${rows.length}`, data, warnings } }, { headers })
  }

  /** Starts an agent, as a process of its own would. */
  function start(options: Partial<AgentOptions> = {}) {
    const signals = createStopSignals(() => wait(8_000, new AbortController().signal))
    const cycles: (readonly FeedOutcome[])[] = []
    const ended = runAgent({
      ...signals,
      settings,
      feeds,
      intervals: defaultIntervals,
      isOnce: false,
      isDryRun: false,
      isFreshChain: true,
      log,
      metrics: createAgentMetrics(),
      platform: {
        fetch,
        now: () => now() + aheadMs,
        wait: (ms, signal) => (ms === POLL_MS ? turn() : wait(ms, signal)),
        random: () => 0.5,
        pollMs: POLL_MS,
      },
      ...options,
      onEvent(event) {
        if (event.event === 'cycle') cycles.push(event.outcomes)
        return options.onEvent?.(event)
      },
    })
    return { ...signals, ended, cycles }
  }

  /** Ends the newest wait that is about as long as this, once there is one: the clock moves on by that. */
  async function endWait(ms: number): Promise<void> {
    for (;;) {
      // An outcome aborts the loop's wait. The loop may still read the feeds file before it waits again.
      const found = waits.findLastIndex((each) => !each.signal.aborted && Math.abs(each.ms - ms) < 10_000)
      const [ended] = found === -1 ? [] : waits.splice(found, 1)
      if (ended) {
        waitedMs += ended.ms
        return ended.end()
      }
      await turn()
    }
  }

  return {
    chain,
    settings,
    stateDir: settings.agentStateDir,
    periods,
    warnings,
    folder,
    log,
    logged,
    start,
    endWait,
    /** Where the newest agent serves its metrics and health. */
    url: () => `http://127.0.0.1:${logged.findLast(({ fields }) => 'port' in fields)?.fields.port}`,
    pending: () => pendingHashes(`${folder.path}/state`),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

const until = async (isTrue: () => boolean): Promise<void> => {
  while (!isTrue()) await turn()
}

const summary = (outcomes: readonly FeedOutcome[] = []) =>
  Object.fromEntries(
    outcomes.map(({ feedId, decision, error }) => [
      feedId,
      decision ?? (error as { code?: string } | null)?.code,
    ]),
  )

const HOUR_MS = 3_600_000

describe('runAgent', () => {
  test('default: attests new values, waits, and attests the next ones; ends when stopped', async () => {
    using bench = await createBench()
    const agent = bench.start()
    await until(() => agent.cycles.length === 1)
    expect(summary(agent.cycles[0])).toEqual({
      'EIA.A': 'new-period',
      'EIA.B': 'new-period',
      'EIA.C': 'new-period',
    })
    bench.periods.daily = '2020-01-03'
    await bench.endWait(HOUR_MS)
    await until(() => agent.cycles.length === 2)
    expect(summary(agent.cycles[1])).toEqual({ 'EIA.A': 'new-period', 'EIA.B': 'new-period' })
    agent.end()
    await agent.ended
    // Whichever feed EIA answers first goes first.
    expect(
      bench.logged.filter(({ fields }) => String(fields.detail).includes('upstream_unit, so')),
    ).toHaveLength(3)
    const periods = (await bench.chain.attested()).map(({ period }) => period)
    expect(periods.slice(0, 3).toSorted()).toEqual([2019, 20200102, 20200102])
    expect(periods.slice(3)).toEqual([20200103, 20200103])
    expect(bench.pending()).toEqual([])
  })

  test('behavior: a fast clock does not matter, even if only EIA sends a Date', async () => {
    using bench = await createBench({ aheadMs: 6 * HOUR_MS })
    const agent = bench.start({ isOnce: true })
    await agent.ended
    expect(agent.cycles.map(summary)).toEqual([
      { 'EIA.A': 'new-period', 'EIA.B': 'new-period', 'EIA.C': 'new-period' },
    ])
  })

  test('behavior: each alone if the contract offers no attest_many', async () => {
    using bench = await createBench({ chain: { offersMany: false } })
    await bench.start({ isOnce: true }).ended
    expect([(await bench.chain.attested()).length, bench.chain.executed.length]).toEqual([3, 3])
  })

  test('behavior: stopped while a transaction is in flight, it waits for it', async () => {
    using bench = await createBench({ chain: { looks: 5 } })
    const agent = bench.start({
      onEvent: (event) => {
        if (event.event === 'step' && event.step.step === 'accepted') agent.end()
      },
    })
    await agent.ended
    expect(summary(agent.cycles[0])).toEqual({
      'EIA.A': 'new-period',
      'EIA.B': 'new-period',
      'EIA.C': 'new-period',
    })
    expect([(await bench.chain.attested()).length, bench.pending()]).toEqual([3, []])
  })

  test('behavior: a transaction that does not settle in time stays on disk and is logged, and the next run resumes it', async () => {
    using bench = await createBench({ chain: { looks: Number.POSITIVE_INFINITY } })
    const agent = bench.start()
    await until(() => bench.chain.sent.length === 1)
    agent.end()
    await bench.endWait(8_000)
    await agent.ended
    const [hash] = bench.chain.sent
    expect(summary(agent.cycles[0])).toEqual({ 'EIA.A': 'stopped', 'EIA.B': 'stopped', 'EIA.C': 'stopped' })
    expect(bench.pending()).toEqual([hash ?? ''])
    expect(bench.logged).toContainEqual({
      fields: { feed_id: 'EIA.C', transaction_hash: `${hash}`, state_dir: bench.stateDir },
      message: 'transaction still in flight; the next run resumes it',
    })
    bench.chain.hurry()
    const next = bench.start({ isOnce: true })
    await next.ended
    expect(summary(next.cycles[0])).toEqual({
      'EIA.A': 'unchanged',
      'EIA.B': 'unchanged',
      'EIA.C': 'unchanged',
    })
    expect([(await bench.chain.attested()).length, new Set(bench.chain.sent).size, bench.pending()]).toEqual([
      3,
      1,
      [],
    ])
  })

  test('behavior: a transaction of an earlier run is logged, even if no node answers', async () => {
    using bench = await createBench({ chain: { looks: Number.POSITIVE_INFINITY } })
    const first = bench.start({ feeds: feeds.slice(0, 1) })
    await until(() => bench.chain.sent.length === 1)
    first.end()
    await bench.endWait(8_000)
    await first.ended
    bench.logged.length = 0
    bench.chain.die()
    const next = bench.start({ feeds: feeds.slice(0, 1) })
    next.end()
    await next.ended
    expect(bench.logged).toContainEqual({
      fields: { feed_id: 'EIA.A', transaction_hash: bench.chain.sent[0], state_dir: bench.stateDir },
      message: 'transaction still in flight; the next run resumes it',
    })
  })

  test('behavior: stopped during catch-up, the next run settles the pending transaction and continues; nothing is doubled', async () => {
    using bench = await createBench({ chain: { looks: Number.POSITIVE_INFINITY } })
    const first = { feed_id: 'EIA.A', period: 20200102, amount: 5_991n, source_hash: 'ab'.repeat(16) }
    await bench.chain.attestAsAnother(first)
    bench.periods.daily = Array.from(
      { length: 14 },
      (_, day) => `2020-01-${String(15 - day).padStart(2, '0')}`,
    )
    const agent = bench.start({ feeds: feeds.slice(0, 1) })
    await until(() => bench.chain.sent.length === 1)
    agent.end()
    await bench.endWait(8_000)
    await agent.ended
    expect([bench.pending().length, (await bench.chain.attested()).length]).toEqual([1, 1])
    bench.chain.hurry()
    const next = bench.start({ isOnce: true, feeds: feeds.slice(0, 1) })
    await next.ended
    const caughtUp = next.cycles[0]?.[0]?.caughtUp
    expect(next.cycles[0]?.[0]).toMatchObject({
      decision: 'new-period',
      result: { period: 20200115 },
      missing: 0,
    })
    // Those of the transaction that was in flight are not this run's.
    expect(caughtUp?.[0]).toBeGreaterThan(20200103)
    expect((await bench.chain.attested()).map(({ period }) => period)).toEqual(
      Array.from({ length: 14 }, (_, day) => 20200102 + day),
    )
    expect(bench.pending()).toEqual([])
  })

  test('behavior: a transaction that takes long does not stop the others, and its feeds are skipped', async () => {
    using bench = await createBench({ chain: { looks: Number.POSITIVE_INFINITY } })
    const agent = bench.start({ feeds: feeds.slice(0, 1) })
    await until(() => bench.chain.sent.length === 1)
    await bench.endWait(120_000)
    await until(() => agent.cycles.length === 1)
    expect(agent.cycles[0]?.map(outcomeFields)).toMatchObject([
      {
        feed_id: 'EIA.A',
        decision: null,
        transaction_hash: bench.chain.sent[0],
        error: { code: 'transaction_slow', retryable: true },
        waits_for: bench.chain.sent[0],
        waits_until: expect.any(Number),
      },
    ])
    await bench.endWait(30_000)
    await until(() => agent.cycles.length === 2)
    expect(agent.cycles[1]?.map(outcomeFields)).toMatchObject([
      { transaction_hash: bench.chain.sent[0], error: { code: 'feed_pending' } },
    ])
    bench.chain.hurry()
    await until(() => bench.pending().length === 0)
    await bench.endWait(60_000)
    await until(() => agent.cycles.length === 3)
    expect(summary(agent.cycles[2])).toEqual({ 'EIA.A': 'unchanged' })
    agent.end()
    await agent.ended
    expect([(await bench.chain.attested()).length, new Set(bench.chain.sent).size]).toEqual([1, 1])
  })

  test('behavior: while a transaction waits for a block, other feeds are polled', async () => {
    const hourly = feedOf('H', { frequency: 'hourly' })
    let requests = 0
    using bench = await createBench({
      chain: { looks: Number.POSITIVE_INFINITY },
      registered: [...feeds, hourly],
      eia() {
        requests += 1
        return null
      },
    })
    const agent = bench.start({ feeds: [hourly, ...feeds.slice(0, 1)] })
    await until(() => bench.chain.sent.length === 1)
    const before = requests
    // EIA has no row of the hourly feed yet: it is polled again after 30 s.
    bench.periods.hourly = '2020-01-02T03'
    await bench.endWait(30_000)
    await until(() => requests > before)
    await until(() => new Set(bench.chain.sent).size === 2)
    expect([bench.chain.executed, agent.cycles]).toEqual([[], []])
    bench.chain.hurry()
    await until(() => agent.cycles.length === 2)
    expect(agent.cycles.map(summary)).toEqual([
      { 'EIA.H': 'eia_no_rows', 'EIA.A': 'new-period' },
      { 'EIA.H': 'new-period' },
    ])
    agent.end()
    await agent.ended
    expect((await bench.chain.attested()).length).toBe(2)
  })

  test('behavior: stopped, it also waits for a slow transaction that the others did not wait for', async () => {
    using bench = await createBench({ chain: { looks: Number.POSITIVE_INFINITY } })
    const agent = bench.start()
    await until(() => bench.chain.sent.length === 1)
    await bench.endWait(120_000)
    await until(() => agent.cycles.length === 1)
    let hasEnded = false
    agent.ended.then(() => {
      hasEnded = true
    })
    agent.end()
    for (let turns = 0; turns < 50; turns++) await turn()
    expect(hasEnded).toBeFalse()
    bench.chain.hurry()
    await agent.ended
    expect([(await bench.chain.attested()).length, bench.pending()]).toEqual([3, []])
  })

  test('behavior: a slow transaction of an earlier run does not stop the others', async () => {
    using bench = await createBench({ chain: { looks: Number.POSITIVE_INFINITY } })
    const first = bench.start({ isOnce: true, feeds: feeds.slice(0, 1) })
    await until(() => bench.chain.sent.length === 1)
    first.end()
    await bench.endWait(8_000)
    await first.ended
    const second = bench.start()
    await bench.endWait(120_000)
    await until(() => bench.chain.sent.length > 1 && new Set(bench.chain.sent).size === 2)
    bench.chain.hurry()
    await until(() => second.cycles.length === 1)
    expect(summary(second.cycles[0])).toEqual({
      'EIA.A': 'feed_pending',
      'EIA.B': 'new-period',
      'EIA.C': 'new-period',
    })
    second.end()
    await second.ended
    expect([(await bench.chain.attested()).length, bench.pending()]).toEqual([3, []])
  })

  /** Lets a node stay at a block that is not the newest. */
  function createLag() {
    let stale: Awaited<ReturnType<AnswerRpc>> | null = null
    const between =
      (answer: AnswerRpc): AnswerRpc =>
      async (method, params) => {
        const isNewest = method === 'chain_get_block' && memberAt(params, 'block_identifier') === undefined
        return isNewest && stale !== null ? stale : answer(method, params)
      }
    return {
      between,
      async stay(answer: AnswerRpc): Promise<void> {
        stale = await answer('chain_get_block', {})
      },
      catchUp(): void {
        stale = null
      },
    }
  }

  test('behavior: no decision is based on a node behind the values of this agent', async () => {
    const lag = createLag()
    using bench = await createBench({ between: lag.between })
    await lag.stay(bench.chain.answer)
    const agent = bench.start({ feeds: feeds.slice(0, 1) })
    await until(() => agent.cycles.length === 1)
    expect(summary(agent.cycles[0])).toEqual({ 'EIA.A': 'new-period' })
    await bench.endWait(HOUR_MS)
    await until(() => agent.cycles.length === 2)
    expect(summary(agent.cycles[1])).toEqual({ 'EIA.A': 'lagging_value' })
    lag.catchUp()
    await bench.endWait(30_000)
    await until(() => agent.cycles.length === 3)
    expect(summary(agent.cycles[2])).toEqual({ 'EIA.A': 'unchanged' })
    agent.end()
    await agent.ended
    expect((await bench.chain.attested()).length).toBe(1)
  })

  test('behavior: after a restart, no decision is based on a node behind the settled blocks', async () => {
    const lag = createLag()
    using bench = await createBench({ chain: { looks: Number.POSITIVE_INFINITY }, between: lag.between })
    const first = bench.start({ isOnce: true, feeds: feeds.slice(0, 1) })
    await until(() => bench.chain.sent.length === 1)
    first.end()
    await bench.endWait(8_000)
    await first.ended
    await lag.stay(bench.chain.answer)
    bench.chain.hurry()
    const lagging = bench.start({ isOnce: true, feeds: feeds.slice(0, 1) })
    await lagging.ended
    expect(summary(lagging.cycles[0])).toEqual({ 'EIA.A': 'lagging_value' })
    lag.catchUp()
    const last = bench.start({ isOnce: true, feeds: feeds.slice(0, 1) })
    await last.ended
    expect(summary(last.cycles[0])).toEqual({ 'EIA.A': 'unchanged' })
    expect((await bench.chain.attested()).length).toBe(1)
  })

  test('behavior: a node that is down fails every feed, and the loop continues when it is back', async () => {
    using bench = await createBench()
    bench.chain.die()
    const agent = bench.start({ feeds: feeds.slice(0, 1) })
    await until(() => agent.cycles.length === 1)
    expect(summary(agent.cycles[0])).toEqual({ 'EIA.A': 'all_nodes_failed' })
    bench.chain.revive()
    await bench.endWait(30_000)
    await until(() => agent.cycles.length === 2)
    expect(summary(agent.cycles[1])).toEqual({ 'EIA.A': 'new-period' })
    agent.end()
    await agent.ended
  })
  test('error: with --once, a rate limit of more than a minute fails the remaining feeds, with its end', async () => {
    const many = Array.from({ length: 24 }, (_, index) => feedOf(`F${index}`))
    let requests = 0
    const eia = () => {
      requests += 1
      return new Response('', { status: 429, headers: { 'retry-after': '120' } })
    }
    using bench = await createBench({ registered: many, eia })
    const startedAt = Date.now()
    const metrics = createAgentMetrics()
    const agent = bench.start({ isOnce: true, feeds: many, metrics })
    await agent.ended
    const [outcomes = []] = agent.cycles
    expect(Object.values(summary(outcomes))).toEqual(Array(24).fill('throttled'))
    for (const { error } of outcomes) {
      const [time = ''] = /\d{4}-\S+Z/.exec(error?.message ?? '') ?? []
      expect(Date.parse(time)).toBeGreaterThanOrEqual(startedAt + 119_000)
    }
    // Those that were under way when it was said, as many as are read at once.
    expect(requests).toBeLessThanOrEqual(8)
    expect(bench.logged.filter(({ message }) => message.startsWith('rate limited by EIA')).length).toBe(1)
    expect(await metrics.text()).toContain('wattfeed_eia_throttled_total 1\n')
  })

  test('behavior: a warning of EIA is logged once for each feed, even after other feeds were read', async () => {
    using bench = await createBench()
    const path = bench.folder.write('feeds.json', JSON.stringify(feeds))
    const feedsFile = await openFeedsFile({ path, feedIds: [], log: bench.log, now: () => 0 })
    bench.warnings.push(INCOMPLETE)
    const agent = bench.start({ feedsFile })
    await until(() => agent.cycles.length === 1)
    bench.folder.write(
      'feeds.json',
      JSON.stringify(feeds.slice(0, 2).map((each) => ({ ...each, title: 'New' }))),
    )
    await bench.endWait(feedsFile.pollMs)
    await until(() => agent.cycles.length === 2)
    agent.end()
    await agent.ended
    expect(
      bench.logged.filter(({ message }) => message === 'warning from EIA').map(({ fields }) => fields),
    ).toEqual(Array(3).fill({ route: 'petroleum/pri/spt', ...INCOMPLETE }))
  })

  test('error: a second agent on another state folder doubles values: the first one warns', async () => {
    using bench = await createBench()
    const other = { ...bench.settings, agentStateDir: `${bench.folder.path}/other` }
    const alarms = () =>
      bench.logged
        .filter(
          ({ message }) => message === 'the state folder has no record of sending this value of its account',
        )
        .map(({ fields }) => `${fields.feed_id} ${fields.period}`)
        .toSorted()
    for (const [day, settings] of [
      ['2020-01-02', bench.settings],
      ['2020-01-03', other],
    ] as const) {
      bench.periods.daily = day
      await bench.start({ settings, isOnce: true }).ended
    }
    expect(alarms()).toEqual([])
    await bench.start({ isOnce: true }).ended
    expect(alarms()).toEqual(['EIA.A 20200103', 'EIA.B 20200103'])
    bench.periods.daily = '2020-01-04'
    await bench.start({ isOnce: true }).ended
    await bench.start({ isOnce: true }).ended
    expect(alarms().length).toBe(2)
  })

  test('behavior: a state folder restored from a copy attests nothing twice, and reports the values since the copy once', async () => {
    using bench = await createBench()
    const reported = () => bench.logged.filter(({ message }) => message.startsWith('the state folder has no'))
    await bench.start({ isOnce: true }).ended
    const copy = `${bench.folder.path}/copy`
    cpSync(bench.stateDir, copy, { recursive: true })
    bench.periods.daily = '2020-01-03'
    await bench.start({ isOnce: true }).ended
    rmSync(bench.stateDir, { recursive: true })
    renameSync(copy, bench.stateDir)
    for (const _ of ['restored', 'later']) {
      await bench.start({ isOnce: true }).ended
      expect([(await bench.chain.attested()).length, reported().length]).toEqual([5, 2])
    }
  })

  test('behavior: new feeds in the feeds file are watched at once, removed ones no longer', async () => {
    using bench = await createBench()
    const write = (content: unknown) => bench.folder.write('feeds.json', JSON.stringify(content))
    const path = write(feeds.slice(0, 2))
    const feedsFile = await openFeedsFile({ path, feedIds: [], log: bench.log, now: () => 0 })
    const metrics = createAgentMetrics()
    const agent = bench.start({ feeds: feedsFile.feeds, feedsFile, metrics })
    await until(() => agent.cycles.length === 1)
    expect(summary(agent.cycles[0])).toEqual({ 'EIA.A': 'new-period', 'EIA.B': 'new-period' })
    expect(await metrics.text()).toContain('last_success_timestamp_seconds{feed_id="EIA.A"}')
    write([feeds[2], { ...feeds[1], decimals: 3 }])
    await bench.endWait(feedsFile.pollMs)
    await until(() => agent.cycles.length === 2)
    expect(summary(agent.cycles[1])).toEqual({ 'EIA.C': 'new-period', 'EIA.B': 'feed_mismatch' })
    write('no feeds')
    await bench.endWait(feedsFile.pollMs)
    const health = async () => (await fetch(`${bench.url()}/health`)).json()
    await until(() => bench.logged.some(({ fields }) => fields.code === 'feeds_file'))
    expect((await health()).reasons.map(({ code }: { code: string }) => code)).toEqual([
      // The rows of these tests are of years ago.
      'late',
      'feed_mismatch',
      'feeds_file',
    ])
    expect(await metrics.text()).not.toContain('EIA.A')
    agent.end()
    await agent.ended
  })

  test('behavior: on request, the feeds file is read without waiting for the next poll', async () => {
    using bench = await createBench()
    const path = bench.folder.write('feeds.json', JSON.stringify(feeds.slice(0, 1)))
    const feedsFile = await openFeedsFile({ path, feedIds: [], log: bench.log, now: () => 0 })
    const agent = bench.start({ feeds: feedsFile.feeds, feedsFile })
    await until(() => agent.cycles.length === 1)
    bench.folder.write('feeds.json', JSON.stringify(feeds.slice(1, 2)))
    agent.reload()
    await until(() => agent.cycles.length === 2)
    expect(summary(agent.cycles[1])).toEqual({ 'EIA.B': 'new-period' })
    agent.end()
    await agent.ended
  })

  test('behavior: /health is degraded while EIA fails, 503 if nothing works for too long, then ok', async () => {
    const hourly = [feedOf('H', { frequency: 'hourly' })]
    let isDown = true
    const eia = () => (isDown ? new Response('oops', { status: 500 }) : null)
    using bench = await createBench({ registered: hourly, eia })
    bench.periods.hourly = new Date().toISOString().slice(0, 13)
    const agent = bench.start({ feeds: hourly })
    const health = async (cycles: number) => {
      await until(() => agent.cycles.length === cycles)
      const answer = await fetch(`${bench.url()}/health`)
      const { reasons } = (await answer.json()) as AgentHealth
      return [answer.status, reasons.map(({ code }) => code).join()]
    }
    expect(await health(1)).toEqual([200, 'eia_status'])
    const pauses = [0.5, 1, 2, 4, 8, 10]
    for (const [index, minutes] of pauses.entries()) {
      expect(await health(index + 1)).toEqual([200, 'eia_status'])
      await bench.endWait(minutes * 60_000)
    }
    expect(await health(7)).toEqual([503, 'nothing_works,eia_status'])
    isDown = false
    await bench.endWait(10 * 60_000)
    expect(await health(8)).toEqual([200, ''])
    agent.end()
    await agent.ended
  })

  test('behavior: /health shows the lost periods of an earlier run, even while EIA fails', async () => {
    using bench = await createBench({ eia: () => new Response('oops', { status: 500 }) })
    const { chainName, attestationRegistryPackageHash: contract } = bench.chain
    const { accountHash: account } = await testSigner()
    using file = openState(bench.stateDir, { purpose: 'agent' })
    const state = stateOf(file, { chainName, contract, account })
    const periods = openLostPeriods(state, { warn: () => {} }, () => {})
    for (const gaps of [[20200103], []])
      periods.note(feedOf('A'), { latest: 20261113, gaps, prints: new Map() })
    const agent = bench.start()
    await until(() => agent.cycles.length === 1)
    const answer = await fetch(`${bench.url()}/health`)
    expect(await answer.json()).toMatchObject({ lost_periods: { 'EIA.A': ['2020-01-03'] } })
    agent.end()
    await agent.ended
  })

  test('behavior: a stop logs the transactions in flight, and where they are stored', async () => {
    using bench = await createBench({ chain: { looks: 5 } })
    const agent = bench.start({
      onEvent: (event) => {
        if (event.event === 'step' && event.step.step === 'accepted') agent.end()
      },
    })
    await agent.ended
    const [said] = bench.logged.filter(({ message }) => message.startsWith('shutting down'))
    const [transaction_hash] = bench.chain.executed
    expect(said?.fields.pending).toEqual(
      expect.arrayContaining([
        {
          transaction_hash,
          path: statePath(bench.stateDir),
        },
      ]),
    )
  })
})
