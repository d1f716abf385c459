import { afterAll, describe, expect, test } from 'bun:test'
import { seedOf } from '@wattfeed/testing/seed'
import { IS_SOAK } from '@wattfeed/testing/soak'
import { type Outcome, runCommittee } from './simulation/runCommittee.ts'
import { cases } from './simulation/scenarios.ts'

/*
 * Runs the members' own code on a model chain in virtual time. COMMITTEE_SEEDS runs are spread over all cases, from
 * COMMITTEE_SEED on. A failure names the seed; COMMITTEE_SEED=<seed> COMMITTEE_SEEDS=1 with -t '<case>' repeats it.
 */
const SEEDS = Number(process.env.COMMITTEE_SEEDS ?? (IS_SOAK ? 500 : cases.length))
const FIRST = seedOf({ name: 'COMMITTEE_SEED', file: 'tests/agent/committee/simulation' })
const RUNS = Math.ceil(SEEDS / cases.length)
/** In a soak, of each case with a limit of its own. */
const HOSTILE_RUNS = Math.max(RUNS, IS_SOAK ? 30 : 0)

/** The longest time from when enough members have fetched a value to its block, for each faulty member and one more. */
const LIMIT_MS = 150_000

/**
 * Values that may take longer. The usual seeds have none. Of the fresh ones of a soak, some do: docs/committee.md says how many.
 */
const MAX_LATE = IS_SOAK ? 2 : 0
const MAX_LATE_HOSTILE = IS_SOAK ? 1 : 0

/** In fewer runs of other seeds, the values of one slow round are more than 1 % of all. */
const MANY = IS_SOAK ? 30 : 8

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

const figures: string[] = []
afterAll(() => console.info(figures.join('\n')))

/** Adds a line with the times of a case, in seconds. */
function record(name: string, sorted: readonly number[]): void {
  const [median, most, longest] = [0.5, 0.99, 1].map((share) => Math.round(percentile(sorted, share) / 1_000))
  figures.push(`${name}: ${sorted.length} values, p50 ${median} s, p99 ${most} s, at most ${longest} s`)
}

/** The last events of a failed run. */
const tail = ({ script }: Outcome): string => script.slice(-60).join('\n')

describe('a committee', () => {
  test.each(cases.map((each) => [each.name, each] as const))(
    'behavior: %s',
    async (name, { scenario, isLive, limitMs }) => {
      const latencies: number[] = []
      const runs = limitMs === undefined ? RUNS : HOSTILE_RUNS
      for (let seed = FIRST; seed < FIRST + runs; seed++) {
        const outcome = await runCommittee(scenario, seed)
        const { wrong, doubled, accused, repeated, unfounded, unaware, missing, failures } = outcome
        const expected = {
          seed,
          wrong: [],
          doubled: [],
          accused: [],
          repeated: [],
          unfounded: [],
          unaware: [],
          missing: [],
          failures: [],
        }
        // Where reads of a node may show different blocks, a leader cannot always complete what it has.
        const found = {
          seed,
          wrong,
          doubled,
          accused,
          repeated: isLive ? repeated : [],
          unfounded,
          // Evidence is forwarded once. Messages that are lost, and members that are cut off, do not get it.
          unaware: isLive ? unaware : [],
          missing: isLive ? missing : [],
          failures,
        }
        if (!Bun.deepEquals(found, expected)) console.error(tail(outcome))
        expect(found).toEqual(expected)
        latencies.push(...outcome.latencies)
      }
      const sorted = latencies.toSorted((a, b) => a - b)
      record(name, sorted)
      const faulty = (scenario.faults ?? []).filter((fault) => fault !== null).length
      if (!isLive) return
      expect(sorted.length).toBeGreaterThan(0)
      const late = sorted.filter((ms) => ms > (limitMs ?? (faulty + 1) * LIMIT_MS))
      expect(late.slice(limitMs === undefined ? MAX_LATE : MAX_LATE_HOSTILE)).toEqual([])
    },
    300_000,
  )

  test('behavior: with nobody absent, half of the values take 15 s at most, and 99 % take 90 s', async () => {
    // A live proposal of past values delays new values of its feed.
    const scenarios = cases.flatMap(({ scenario, isLive }) =>
      isLive && scenario.faults === undefined && scenario.backfill === undefined ? [scenario] : [],
    )
    const latencies: number[] = []
    for (const scenario of scenarios)
      for (let seed = FIRST; seed < FIRST + Math.max(RUNS, MANY); seed++)
        latencies.push(...(await runCommittee(scenario, seed)).latencies)
    const sorted = latencies.toSorted((a, b) => a - b)
    record('nobody absent', sorted)
    expect(percentile(sorted, 0.5)).toBeLessThanOrEqual(15_000)
    expect(percentile(sorted, 0.99)).toBeLessThanOrEqual(90_000)
  }, 300_000)

  test('behavior: with nobody absent, what is released together shares a transaction', async () => {
    const groups: number[] = []
    for (let seed = FIRST; seed < FIRST + Math.max(RUNS, MANY); seed++)
      groups.push(...(await runCommittee({ members: 5, threshold: 4, isRough: false }, seed)).groups)
    const mean = groups.reduce((sum, count) => sum + count, 0) / groups.length
    figures.push(`${groups.length} transactions of ${mean.toFixed(2)} feeds of three`)
    // It is not three, because members fetch the feeds at different moments.
    expect(mean).toBeGreaterThan(2.2)
  }, 300_000)

  test('behavior: from the first fetch of any member, half of the values take 30 s at most, and 99 % take 120 s', async () => {
    // On average, a member looks every 200 s on its own.
    const scenarios = cases.flatMap(({ scenario }) => (scenario.pollMs === undefined ? [] : [scenario]))
    const latencies: number[] = []
    for (const scenario of scenarios)
      for (let seed = FIRST; seed < FIRST + Math.max(RUNS, MANY); seed++)
        latencies.push(...(await runCommittee(scenario, seed)).latenciesOfFirst)
    const sorted = latencies.toSorted((a, b) => a - b)
    record('from the first fetch', sorted)
    expect(sorted.length).toBeGreaterThan(0)
    expect(percentile(sorted, 0.5)).toBeLessThanOrEqual(30_000)
    expect(percentile(sorted, 0.99)).toBeLessThanOrEqual(120_000)
  }, 300_000)
})
