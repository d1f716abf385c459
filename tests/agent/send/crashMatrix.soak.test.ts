import { describe, expect, test } from 'bun:test'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import type { OutboxStep } from '../../../src/agent/events.ts'
import { createArchive } from '../../../src/agent/send/archive.ts'
import type { Outbox } from '../../../src/agent/send/createOutbox.ts'
import { combinations } from '../../support/soak.ts'
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

describe.each(['accept', 'forget'] as const)('a node that answers and continues to %s it', (first) => {
  const all = combinations(firstCrashes, secondCrashes, Object.keys(meanwhile) as (keyof typeof meanwhile)[])
  // Where nothing is pending any more, nobody can know better than the node.
  const runs = all.filter(([one, , what]) => one !== 'removed' || !what.includes('behind'))

  test.each(runs)('behavior: killed at %p, then at %p, and %s: attested once', async (one, two, what) => {
    const { bench, run } = await createCrashBench([first, 'accept'])
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
  })
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

/** More than a run has: a number that is not reached is a run without a crash. */
const MAX_EVENTS = 64

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

describe('a kill at each call to a node and each write', () => {
  const events = Array.from({ length: MAX_EVENTS }, (_, index) => index)
  const happenings = [
    'nothing happens',
    'a block is made',
    'a block is made, and five minutes passes',
  ] as const

  test.each(combinations(events, [0, 7, 15, 23, 31, 39, 47, MAX_EVENTS], happenings))(
    'behavior: killed at event %p, then at event %p, and %s: nothing is lost or doubled',
    async (first, second, what) => {
      const { bench, run } = await createEventBench()
      using _ = bench
      await run(first)
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

  test('default: a run has fewer events than the matrix covers', async () => {
    const { bench, run } = await createEventBench()
    using _ = bench
    const count = await run(Number.POSITIVE_INFINITY)
    expect(count).toBeGreaterThan(MAX_EVENTS / 2)
    expect(count).toBeLessThan(MAX_EVENTS)
  })
})
