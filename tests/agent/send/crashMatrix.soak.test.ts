import { describe, expect, test } from 'bun:test'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { combinations, IS_SOAK } from '@wattfeed/testing/soak'
import type { OutboxStep } from '../../../src/agent/events.ts'
import { createArchive } from '../../../src/agent/send/archive.ts'
import type { Outbox } from '../../../src/agent/send/createOutbox.ts'
import { attestationOf, createOutboxBench, type OutboxBench, START, TTL_MS } from './outboxBench.ts'

/** Where a run ends, as if it were killed: after a step, or while the transaction is on the wire. */
type CrashPoint = OutboxStep['step'] | 'not taken' | 'taken, not answered' | 'no crash'

const firstCrashes: readonly CrashPoint[] = [
  'checked',
  'signed',
  'written',
  'not taken',
  'taken, not answered',
  'accepted',
  'pending',
  'settled',
  'removed',
]
const secondCrashes: readonly CrashPoint[] = [
  'no crash',
  'resumed',
  'not taken',
  'taken, not answered',
  'accepted',
  'pending',
  'settled',
  'removed',
]

/** What happens after a run was killed. */
const meanwhile = {
  'nothing happens': () => {},
  'a block is made': (bench) => bench.chain.makeBlock(),
  'five minutes passes': (bench) => bench.setNow(START + TTL_MS + 1),
  'a block is made, and five minutes passes': makeBlockAndWait,
  'a block is made, five minutes passes, and the node is behind': async (bench, run) => {
    await makeBlockAndWait(bench)
    // Where nothing is pending any more, nobody can know better than the node: that window is left.
    if (run === 'first') bench.chain.fallBehind(3)
  },
} satisfies Record<string, (bench: OutboxBench, run: 'first' | 'second') => void | Promise<void>>

async function makeBlockAndWait(bench: OutboxBench): Promise<void> {
  await bench.chain.makeBlock()
  bench.setNow(START + TTL_MS + 1)
}

/** A bench whose runs stop at a crash point. */
async function createCrashBench(puts: readonly ('accept' | 'forget')[]) {
  const processes = new Map<string, { kill(): void; resume(): Promise<unknown> }>()
  const bench = await createOutboxBench({ puts, looks: 2 })
  return {
    bench,
    /** Kills the previous process of this name. Then runs until the crash point, or to the end if it is never reached. */
    async run(
      at: CrashPoint,
      act: (outbox: Outbox) => Promise<unknown>,
      name: 'agent' | 'attest' = 'agent',
    ): Promise<void> {
      processes.get(name)?.kill()
      // Else the same call in another run would be the same transaction.
      bench.setNow(bench.now() + 1_000)
      const process = bench.process(name)
      const reached = Promise.withResolvers<void>()
      const resumed = Promise.withResolvers<void>()
      async function stopAt(here: CrashPoint): Promise<void> {
        if (here !== at) return
        reached.resolve()
        await resumed.promise
      }
      const between =
        (answer: AnswerRpc): AnswerRpc =>
        async (method, params) => {
          if (method !== 'account_put_transaction') return answer(method, params)
          await stopAt('not taken')
          const answered = await answer(method, params)
          await stopAt('taken, not answered')
          return answered
        }
      const work = act(bench.open({ process, between, observe: ({ step }) => stopAt(step) }))
      async function resume(): Promise<void> {
        resumed.resolve()
        await work
      }
      processes.set(name, { kill: process.kill, resume })
      await Promise.race([work, reached.promise])
    },
    /** Runs a stopped process to its end. */
    async resume(name: 'agent' | 'attest'): Promise<void> {
      await processes.get(name)?.resume()
    },
  }
}

const batch = [0, 1].map((feed) => attestationOf(feed))

/** What a run of the agent does: settles what is left, then attests what is still missing. */
async function cycle(outbox: Outbox): Promise<void> {
  await outbox.resume()
  await outbox.attest(batch)
}

describe('a process that is killed twice', () => {
  const all = combinations(
    ['accept', 'forget'] as const,
    firstCrashes,
    secondCrashes,
    Object.keys(meanwhile) as (keyof typeof meanwhile)[],
  )
  // Where nothing is pending any more, nobody can know better than the node.
  const runs = all.map(([put, one, two, what]) =>
    one === 'removed' && what.includes('behind')
      ? ([put, one, two, 'nothing happens'] as const)
      : ([put, one, two, what] as const),
  )

  test.each(runs)(
    'behavior: the node answers and continues to %s it; killed at %p, then at %p, and %s: attested once',
    async (put, one, two, what) => {
      const { bench, run } = await createCrashBench([put, 'accept'])
      using _ = bench
      const happen = meanwhile[what]
      await run(one, cycle)
      await happen(bench, 'first')
      await run(two, cycle)
      await happen(bench, 'second')
      await run('no crash', cycle)
      expect({ attested: await bench.chain.attested(), pending: bench.pending() }).toEqual({
        attested: batch,
        pending: [],
      })
      await bench.chain.makeBlock()
      expect(await bench.chain.attested()).toEqual(batch)
    },
  )
})

/** As {@link cycle}; without the feeds that the other process attests to. */
async function cycleBeside(outbox: Outbox, feeds: readonly number[]): Promise<void> {
  await outbox.resume()
  for (const feed of feeds)
    await outbox.attest([attestationOf(feed)]).catch((error) => {
      expect(error.code).toBe('feed_pending')
    })
}

describe('an agent and a command on one folder', () => {
  const agentCycle = (outbox: Outbox) => cycleBeside(outbox, [0, 1])
  const commandCycle = (outbox: Outbox) => cycleBeside(outbox, [1, 2])

  async function expectOnce(bench: OutboxBench): Promise<void> {
    await bench.chain.makeBlock()
    const byFeed = (await bench.chain.attested()).toSorted((a, b) => (a.feed_id < b.feed_id ? -1 : 1))
    expect({ attested: byFeed, pending: bench.pending() }).toEqual({
      attested: [0, 1, 2].map((feed) => attestationOf(feed)),
      pending: [],
    })
  }

  const kills = firstCrashes.flatMap((agent) => firstCrashes.map((command) => [agent, command] as const))
  test.each(kills)(
    'behavior: the agent is killed at %p, and the command beside it at %p: attested once',
    async (agent, command) => {
      const { bench, run } = await createCrashBench(['accept'])
      using _ = bench
      await run(agent, agentCycle)
      await run(command, commandCycle, 'attest')
      await run('no crash', agentCycle)
      await run('no crash', commandCycle, 'attest')
      await run('no crash', agentCycle)
      await expectOnce(bench)
    },
  )

  const stops = firstCrashes.flatMap((agent) =>
    (['no crash', 'checked', 'written', 'accepted', 'settled'] as const).map(
      (command) => [agent, command] as const,
    ),
  )
  test.each(stops)(
    'behavior: the agent pauses at %p, and the command at %p, and both continue: attested once',
    async (agent, command) => {
      const { bench, run, resume } = await createCrashBench(['accept'])
      using _ = bench
      // Both begin with the same feed.
      await run(agent, (outbox) => cycleBeside(outbox, [1, 0]))
      await run(command, commandCycle, 'attest')
      await resume('agent')
      await resume('attest')
      await expectOnce(bench)
    },
  )
})

describe('the matrix', () => {
  test('default: every step of a transaction is in it', async () => {
    const { bench, run } = await createCrashBench(['accept'])
    using _ = bench
    await run('accepted', cycle)
    await run('no crash', cycle)
    const all = new Set<string>([...firstCrashes, ...secondCrashes])
    expect(bench.steps.filter((step) => !all.has(step))).toEqual([])
  })
})

/** A bench whose runs are killed right before their n-th event: a call to a node, its answer, a write, or its end. */
async function createEventBench() {
  const bench = await createOutboxBench({ looks: 1 })
  return {
    bench,
    /** Runs until the event, or to the end; returns how many events there were. */
    async run(last: number): Promise<number> {
      bench.setNow(bench.now() + 1_000)
      const process = bench.process()
      const killed = Promise.withResolvers<void>()
      let events = 0
      function pass(): void {
        events += 1
        if (events <= last) return
        process.kill()
        killed.resolve()
      }
      /** Runs a step with an event before and after it. */
      async function around<T>(step: () => T | Promise<T>): Promise<T> {
        await process.alive(pass)
        const result = await step()
        await process.alive(pass)
        return result
      }
      const archive = createArchive(`${bench.stateDir}/archive.db`, {
        log: { info: () => {}, warn: () => {} },
      })
      const outbox = bench.open({
        process,
        between: (answer) => (method, params) => around(() => answer(method, params)),
        archive: { append: (values) => around(() => archive.append(values)) },
        // The transaction is stored before the one step, and removed before the other.
        observe: ({ step }) => (['signed', 'written', 'settled', 'removed'].includes(step) ? pass() : null),
      })
      await Promise.race([cycle(outbox), killed.promise])
      return events
    },
  }
}

/** How many events a run has that nothing kills. */
const EVENTS = await (async () => {
  const { bench, run } = await createEventBench()
  using _ = bench
  return await run(Number.POSITIVE_INFINITY)
})()

describe('a kill at each call to a node and each write', () => {
  // The last one is a run without a kill.
  const events = Array.from({ length: EVENTS + 1 }, (_, index) => index)
  const seconds = [0, 7, 15, 23, 31, 39, EVENTS]
  const happenings = [
    'nothing happens',
    'a block is made',
    'a block is made, and five minutes passes',
  ] as const
  const kills = IS_SOAK
    ? combinations(events, happenings, seconds)
    : combinations(events, happenings).map(
        ([first, what], index) => [first, what, seconds[index % seconds.length] ?? EVENTS] as const,
      )

  test.each(kills)(
    'behavior: killed at event %p, and %s, then at event %p: nothing is lost or doubled',
    async (first, what, second) => {
      const { bench, run } = await createEventBench()
      using _ = bench
      expect(await run(first)).toBe(Math.min(first + 1, EVENTS))
      await meanwhile[what](bench)
      await run(second)
      await run(Number.POSITIVE_INFINITY)
      await bench.chain.makeBlock()
      expect({ attested: await bench.chain.attested(), pending: bench.pending() }).toEqual({
        attested: batch,
        pending: [],
      })
    },
  )
})
