import { expect, test } from 'bun:test'
import type { FeedOutcome } from '../../../src/agent/feedOutcome.ts'
import { observe } from '../../../src/agent/look/observe.ts'
import type { FeedPlan } from '../../../src/agent/plan/plan.ts'
import { planFeed } from '../../../src/agent/plan/plan.ts'
import { WaitingFeeds } from '../../../src/agent/run/waitingFeeds.ts'
import {
  createFakeChain,
  createFakeEia,
  createFakeOutbox,
  createManualWait,
  feedOf,
  observeSettings,
  rowOf,
  turn,
} from './fakes.ts'

const feed = feedOf('A')

/** Waiting feeds without a limit, on a chain that takes several values at once. */
async function createBench() {
  const chain = createFakeChain([feed])
  const { outbox, sent } = createFakeOutbox()
  const { wait, waits } = createManualWait()
  const reported: string[] = []
  const waiting = new WaitingFeeds({
    patienceMs: null,
    wait,
    report: (event) => void (event.event === 'outcome' && reported.push(event.outcome.feedId)),
  })
  const settings = observeSettings({ eia: createFakeEia(() => []).eia })
  const attesting = { outbox, settings }
  /** Plans the feed when EIA has this value. */
  async function planOf(value: string): Promise<FeedPlan> {
    const { eia } = createFakeEia(() => [rowOf({ value })])
    const seen = await observe(feed, await chain.openView(), { ...settings, eia })
    return planFeed(feed, seen, { ...settings, ...outbox, maxSteps: null })
  }
  const outcomes: Record<string, string | undefined> = {}
  const cycle = (name: string) => (outcome: FeedOutcome) => {
    outcomes[name] = outcome.result?.amount?.toString() ?? outcome.error?.message
  }
  return { waiting, attesting, planOf, cycle, outcomes, reported, sent, waits }
}

test('behavior: a later plan replaces one that is not sent yet, and its outcome counts for both cycles', async () => {
  const { waiting, attesting, planOf, cycle, outcomes, reported, sent } = await createBench()
  waiting.add(await planOf('59.91'), cycle('first'), attesting)
  waiting.add(await planOf('60.00'), cycle('second'), attesting)
  expect(sent).toEqual([])
  waiting.sendAll(attesting)
  await waiting.drain()
  expect(sent.map((batch) => batch.map(({ amount }) => amount))).toEqual([[6_000n]])
  expect([outcomes, reported]).toEqual([{ first: '6000', second: '6000' }, ['EIA.A']])
})

test('behavior: a later poll that fails ends the wait of an earlier plan, which is not sent', async () => {
  const { waiting, attesting, planOf, cycle, outcomes, sent } = await createBench()
  waiting.add(await planOf('59.91'), cycle('first'), attesting)
  const about = { row: null, result: null }
  waiting.add({ feedId: 'EIA.A', error: new Error('EIA is down'), about }, cycle('second'), attesting)
  waiting.sendAll(attesting)
  await turn()
  expect([outcomes, sent]).toEqual([{ first: 'EIA is down', second: 'EIA is down' }, []])
})
