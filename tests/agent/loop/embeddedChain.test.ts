import { expect, test } from 'bun:test'
import type { FeedOutcome } from '../../../src/agent/feedOutcome.ts'
import { defaultIntervals } from '../../../src/agent/intervals.ts'
import { runAgent } from '../../../src/agent/loop/runAgent.ts'
import { createAgentMetrics } from '../../../src/agent/monitor/agentMetrics.ts'
import { readAgentSettings } from '../../../src/agent/settings/agentSettings.ts'
import { sleep } from '../../../src/async/sleep.ts'
import { sendTransaction } from '../../../src/casper/transaction/sendTransaction.ts'
import { signTransaction } from '../../../src/casper/transaction/signTransaction.ts'
import { attestManyArguments } from '../../../src/registry/calls.ts'
import { createDevnetBench, type DevnetBench, flagshipFeeds } from '../../support/devnetBench.ts'
import { errorOf } from '../../support/errorOf.ts'

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
    onOutcome: (outcome) => void outcomes.push(outcome),
    onCycle: ignore,
    stop: never,
    abandon: never,
  })
  const [outcome] = outcomes
  if (outcome === undefined) throw new Error('no outcome')
  return outcome
}

test('behavior: on a real contract, what was slept over is in the history in order, revisions close with the newest, and a transaction is all or nothing', async () => {
  await using bench = await createDevnetBench({ feeds })
  const client = bench.client()
  const history = async () =>
    (await client.getValueHistory(id)).map(({ period, amount }) => `${period} ${amount}`)
  const publish = (...days: [day: number, value: string][]) => {
    for (const [day, value] of days) bench.publish(value, `2027-01-0${day}`)
  }

  publish([1, '1'])
  expect(await runOnce(bench)).toMatchObject({ decision: 'new-period', error: null })
  publish([2, '2'], [3, '3'], [4, '4'], [5, '5'], [6, '6'], [7, '7'], [8, '8'])
  const caughtUp = await runOnce(bench)
  expect(caughtUp).toMatchObject({ error: null, period: 20270108, missing: 0 })
  expect([caughtUp.caughtUp.length, caughtUp.transactionHashes.length]).toEqual([6, 2])
  const slept = [1, 2, 3, 4, 5, 6, 7, 8].map((day) => `2027010${day} ${day}000000`)
  expect(await history()).toEqual(slept)

  publish([6, '6.5'], [7, '7.5'])
  expect(await runOnce(bench, { LOOK_BACK: '3' })).toMatchObject({
    decision: 'unchanged',
    revised: [20270106, 20270107],
  })
  const revised = [...slept, '20270106 6500000', '20270107 7500000', '20270108 8000000']
  expect(await history()).toEqual(revised)
  expect(await runOnce(bench, { LOOK_BACK: '3' })).toMatchObject({ revised: [], transactionHash: null })

  // Too little for five: what the first four have stored is undone.
  const { rpc, signer, devnet, packageHashes } = bench.chain
  const five = Array.from({ length: 5 }, (_, index) => ({
    feedId: id,
    period: 20270101 + index,
    amount: 1n,
    sourceHash: 'ab'.repeat(16),
  }))
  const signed = await signTransaction(signer, {
    target: { packageHash: packageHashes.AttestationRegistry, entryPoint: 'attest_many' },
    args: attestManyArguments(five),
    paymentMotes: 4_200_000_000n,
    chainName: devnet.chainName,
    timestamp: Date.now(),
  })
  expect(await errorOf(sendTransaction(signed, { rpc, pollMs: 5 }))).toMatchObject({
    code: 'transaction_failed',
  })
  expect(await history()).toEqual(revised)
})
