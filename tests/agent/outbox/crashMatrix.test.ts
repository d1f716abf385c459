import { describe, expect, test } from 'bun:test'
import { NothingToAttestError } from '../../../src/agent/outbox/checkChain.ts'
import type { Outbox } from '../../../src/agent/outbox/createOutbox.ts'
import type { OutboxStep } from '../../../src/agent/outbox/outboxStep.ts'
import type { AnswerRpc } from '../../../src/devnet/rpcAnswer.ts'
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
  'read_back',
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

const never = (): Promise<never> => new Promise(() => {})

/** A bench whose runs never come back from a crash point. */
async function createCrashBench(puts: readonly ('accept' | 'forget')[]) {
  let point: CrashPoint = 'no crash'
  let crashed = (): void => {}
  const crashAt = async (here: CrashPoint): Promise<void> => {
    if (here !== point) return
    crashed()
    await never()
  }
  const between =
    (answer: AnswerRpc): AnswerRpc =>
    async (method, params) => {
      if (method !== 'account_put_transaction') return answer(method, params)
      await crashAt('not taken')
      const answered = await answer(method, params)
      await crashAt('taken, not answered')
      return answered
    }
  const bench = await createOutboxBench({ puts, looks: 2, between })
  return {
    bench,
    /** Runs until the crash point, or to the end where it is never reached. */
    async run(at: CrashPoint, act: (outbox: Outbox) => Promise<unknown>): Promise<void> {
      point = at
      // Else the same call in another run would be the same transaction.
      bench.setNow(bench.now() + 1_000)
      const reached = new Promise<void>((resolve) => {
        crashed = resolve
      })
      const outbox = bench.open({ observe: ({ step }) => crashAt(step) })
      await Promise.race([act(outbox), reached])
    },
  }
}

const batch = [0, 1].map((feed) => attestationOf(feed))

/** What a run of the agent does: settles what is left, then attests what is still missing. */
async function cycle(outbox: Outbox): Promise<void> {
  await outbox.resume()
  await outbox.attest(batch).catch((error) => {
    if (!(error instanceof NothingToAttestError)) throw error
  })
}

describe.each(['accept', 'forget'] as const)('a node that answers and goes on to %s it', (first) => {
  describe.each(Object.entries(meanwhile))('%s', (name, happen) => {
    const ones = firstCrashes.filter((one) => one !== 'removed' || !name.includes('behind'))
    const runs = ones.flatMap((one) => secondCrashes.map((two) => [one, two] as const))

    test.each(runs)('behavior: killed at %p, then at %p: attested once', async (one, two) => {
      const { bench, run } = await createCrashBench([first, 'accept'])
      using _ = bench
      await run(one, cycle)
      await happen(bench, 'first')
      await run(two, cycle)
      await happen(bench, 'second')
      await run('no crash', cycle)
      expect({ attested: bench.chain.attested, files: bench.files() }).toEqual({ attested: batch, files: [] })
      await bench.chain.makeBlock()
      expect(bench.chain.attested).toEqual(batch)
    })
  })
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

  test('behavior: killed while the file is written: nothing was sent, and the rest of it harms nobody', async () => {
    const { bench, run } = await createCrashBench(['accept'])
    using _ = bench
    await run('signed', cycle)
    await Bun.write(`${bench.stateDir}/pending/${'1'.repeat(64)}.json.1.new`, '{"form')
    await run('no crash', cycle)
    expect(bench.chain.attested).toEqual(batch)
  })
})
