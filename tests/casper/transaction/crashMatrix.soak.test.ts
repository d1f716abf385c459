import { describe, expect, test } from 'bun:test'
import type { PutBehavior } from '@wattfeed/casper-devnet/testing/scriptedNode'
import { combinations } from '@wattfeed/testing/soak'
import { type Crash, type CrashPoint, writingPrograms } from './writingPrograms.ts'

const START = 1_800_000_000_000
const TTL_MS = 5 * 60_000

/** The place in a program where a run ends: where it comes to a point the nth time. */
type Place = { point: CrashPoint; nth: number } | null

/** A program whose runs never come back from the place where they end, on a clock that only waiting moves. */
async function createRuns(name: string, puts: readonly PutBehavior[]) {
  let now = START
  let place: Place = null
  let ended = (): void => {}
  const passed = new Set<CrashPoint>()
  const reached = (here: CrashPoint): boolean => {
    passed.add(here)
    if (place?.point !== here || place.nth-- > 1) return false
    ended()
    return true
  }
  const crash: Crash = {
    at: async (here) => {
      if (reached(here)) await new Promise(() => {})
    },
    atOnce(here) {
      if (reached(here)) throw new Error(`killed: ${here}`)
    },
  }
  const { create, effects } = writingPrograms[name] ?? {}
  if (create === undefined || effects === undefined) throw new Error(`no program ${name}`)
  const wait = async (): Promise<void> => {
    now += 10_000
  }
  const program = await create({ node: { puts, looks: 2 }, crash, now: () => now, wait })
  return {
    program,
    effects,
    /** The points where a run has been. */
    passed,
    passTime: (ms: number) => {
      now += ms
    },
    /** Runs up to the place, or to the end where it is never reached: then true. */
    async run(until: Place): Promise<boolean> {
      place = until && { ...until }
      // Else the same call in another run would be the same transaction.
      now += 1_000
      const killed = new Promise<false>((resolve) => {
        ended = () => resolve(false)
      })
      const finished = program.run().then(
        () => true,
        (error) => {
          // One that expired is to be sent anew, by the next run.
          if (Object(error).code !== 'transaction_expired' && !String(error).includes('killed:')) throw error
          return false
        },
      )
      return await Promise.race([finished, killed])
    },
  }
}

type Runs = Awaited<ReturnType<typeof createRuns>>

/** What happens after a run was killed. */
const meanwhile: Record<string, (runs: Runs) => void | Promise<void>> = {
  'nothing happens': () => {},
  'a block is made': ({ program }) => program.node.makeBlock(),
  'five minutes passes': ({ passTime }) => passTime(TTL_MS + 1_000),
  'a block is made, and five minutes passes': async ({ program, passTime }) => {
    await program.node.makeBlock()
    passTime(TTL_MS + 1_000)
  },
}

describe.each(Object.entries(writingPrograms))('%s', (name, { points, transactions, secondPoints }) => {
  // In its first transaction and in its last one.
  const runs = combinations(
    ['accept', 'forget'] as const,
    points,
    [...new Set([1, transactions])],
    secondPoints,
    Object.keys(meanwhile),
  )

  test.each(runs)(
    'behavior: the node answers and continues to %s it; killed at %p the %i. time, then at %p, and %s: executed once',
    async (put, point, nth, second, what) => {
      const runs = await createRuns(name, [put, 'accept'])
      const { program, effects } = runs
      using _ = program
      expect(await runs.run({ point, nth })).toBe(false)
      await meanwhile[what]?.(runs)
      await runs.run(second === 'no point' ? null : { point: second, nth: 1 })
      await meanwhile[what]?.(runs)
      // An expired one ends a run, and the next one sends another.
      for (let tries = 0; !(await runs.run(null)); tries++) expect(tries).toBeLessThan(3)
      expect({ effects: await program.effects(), pending: await program.pending() }).toEqual({
        effects: [...effects],
        pending: [],
      })
      await program.node.makeBlock()
      expect(await program.effects()).toEqual([...effects])
    },
  )
})

describe('the matrix', () => {
  test.each(Object.entries(writingPrograms))(
    'default: %s passes its points, and no others',
    async (name, { points }) => {
      const runs = await createRuns(name, ['accept'])
      using _ = runs.program
      expect(await runs.run(null)).toBe(true)
      expect([...runs.passed].toSorted()).toEqual(points.toSorted())
    },
  )
})
