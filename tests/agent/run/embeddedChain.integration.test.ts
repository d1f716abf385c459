import { describe, expect, test } from 'bun:test'
import { sleep } from '@wattfeed/base'
import { signTransaction } from '@wattfeed/casper/transaction'
import { errorOf } from '@wattfeed/testing/errorOf'
import { sendTransaction } from '../../../packages/casper/src/transaction/sendTransaction.ts'
import { attestManyArguments } from '../../../packages/wattfeed/src/registry/calls.ts'
import type { FeedOutcome } from '../../../src/agent/feedOutcome.ts'
import { defaultIntervals } from '../../../src/agent/intervals.ts'
import { createAgentMetrics } from '../../../src/agent/monitor/agentMetrics.ts'
import { runAgent } from '../../../src/agent/run/runAgent.ts'
import { readAgentSettings } from '../../../src/agent/settings/agentSettings.ts'
import { createDevnetBench, type DevnetBench, flagshipFeeds } from '../../support/devnetBench.ts'

const feeds = flagshipFeeds.filter(({ feed_id }) => feed_id === 'EIA.PET.PRICE.WTI.DAILY')
const [feed] = feeds
if (feed === undefined) throw new Error('no such feed')
const id = feed.feed_id

/** Runs the agent once, as `feeds attest` does. */
async function runOnce(bench: DevnetBench, settings: Record<string, string> = {}): Promise<FeedOutcome> {
  const outcomes: FeedOutcome[] = []
  const never = new AbortController().signal
  const ignore = () => {}
  await runAgent({
    settings: readAgentSettings(
      { ...(bench.settings as Record<string, string>), ...settings },
      { writes: true, fetches: true },
    ),
    feeds,
    intervals: defaultIntervals,
    isOnce: true,
    isDryRun: false,
    log: { info: ignore, warn: ignore, error: ignore },
    metrics: createAgentMetrics(),
    platform: { fetch, now: Date.now, wait: sleep, random: Math.random, pollMs: 5 },
    onEvent: (event) => void (event.event === 'outcome' && outcomes.push(event.outcome)),
    stop: never,
    abandon: never,
  })
  const [outcome] = outcomes
  if (outcome === undefined) throw new Error('no outcome')
  return outcome
}

const historyOf = async (bench: DevnetBench): Promise<string[]> =>
  (await bench.client().getValueHistory(id)).map(({ period, amount }) => `${period} ${amount}`)

const eightDays = [1, 2, 3, 4, 5, 6, 7, 8].map((day) => `2027010${day} ${day}000000`)

/** Attests the first of eight days, and after the other seven came, those. */
async function attestEightDays(bench: DevnetBench): Promise<FeedOutcome> {
  bench.publish('1', '2027-01-01')
  expect(await runOnce(bench)).toMatchObject({ decision: 'new-period', error: null })
  for (let day = 2; day <= 8; day++) bench.publish(`${day}`, `2027-01-0${day}`)
  return runOnce(bench)
}

describe('the agent on a real contract', () => {
  test('default: it attests the periods that came since its last run, in their order', async () => {
    await using bench = await createDevnetBench({ feeds })
    const outcome = await attestEightDays(bench)
    expect(outcome).toMatchObject({ error: null, result: { period: 20270108 }, missing: 0 })
    expect([outcome.caughtUp.length, outcome.transactionHashes.length]).toEqual([6, 2])
    expect(await historyOf(bench)).toEqual(eightDays)
  })

  test('behavior: it attests revisions of earlier periods once, and the newest value again after them', async () => {
    await using bench = await createDevnetBench({ feeds })
    await attestEightDays(bench)
    bench.publish('6.5', '2027-01-06')
    bench.publish('7.5', '2027-01-07')
    expect(await runOnce(bench, { LOOK_BACK: '3' })).toMatchObject({
      decision: 'unchanged',
      revised: [20270106, 20270107],
    })
    const revised = [...eightDays, '20270106 6500000', '20270107 7500000', '20270108 8000000']
    expect(await historyOf(bench)).toEqual(revised)
    expect(await runOnce(bench, { LOOK_BACK: '3' })).toMatchObject({ revised: [], transactionHashes: [] })
    expect(await historyOf(bench)).toEqual(revised)
  })

  test('error: a transaction with too little gas for its five values stores none of them', async () => {
    await using bench = await createDevnetBench({ feeds })
    await attestEightDays(bench)
    const { rpc, owner, devnet, packageHashes } = bench.chain
    const five = Array.from({ length: 5 }, (_, index) => ({
      feed_id: id,
      period: 20270101 + index,
      amount: 1n,
      source_hash: 'ab'.repeat(16),
    }))
    const signed = await signTransaction(owner.signer, {
      target: { packageHash: packageHashes.AttestationRegistry, entryPoint: 'attest_many' },
      args: attestManyArguments(five),
      paymentMotes: 4_200_000_000n,
      chainName: devnet.chainName,
      timestamp: Date.now(),
    })
    expect(await errorOf(sendTransaction(signed, { rpc, pollMs: 5 }))).toMatchObject({
      code: 'transaction_failed',
    })
    expect(await historyOf(bench)).toEqual(eightDays)
  })
})
