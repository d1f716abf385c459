import { afterAll, describe, expect, test } from 'bun:test'
import { seedOf } from '@wattfeed/testing/seed'
import { IS_SOAK } from '@wattfeed/testing/soak'
import { rootCases } from './simulation/rootScenarios.ts'
import { type Outcome, runCommittee, type Scenario } from './simulation/runCommittee.ts'

/*
 * Runs the members' own code on a model chain and a model of EIA, whose replicas differ for a while after each release of a dataset of
 * 10,000 leaves. ROOT_SEEDS runs of each case, from COMMITTEE_SEED on: in a soak 20 of all, otherwise one of a few.
 */
const SEEDS = Number(process.env.ROOT_SEEDS ?? (IS_SOAK ? 20 : 1))
const FIRST = seedOf({ name: 'COMMITTEE_SEED', file: 'tests/agent/committee/roots.soak.test.ts' })
const chosen =
  IS_SOAK || process.env.ROOT_SEEDS !== undefined ? rootCases : rootCases.filter(({ isShort }) => isShort)

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

const figures: string[] = []
afterAll(() => console.info(figures.join('\n')))

const times = (values: readonly number[]): string => {
  const sorted = values.toSorted((a, b) => a - b)
  const [median, most, longest] = [0.5, 0.99, 1].map((share) => Math.round(percentile(sorted, share) / 1_000))
  return `${sorted.length}, p50 ${median} s, p99 ${most} s, at most ${longest} s`
}

/** What must not be found in a run. */
function faultsOf(
  { wrong, doubled, accused, repeated, unfounded, missing, failures, roots }: Outcome,
  isLive: boolean,
) {
  return {
    ...{ wrong, doubled, accused, unfounded, failures },
    repeated: isLive ? repeated : [],
    missing: isLive ? missing : [],
    unserved: roots?.unserved,
    doubledRoots: roots?.doubled,
    wrongRoots: roots?.wrong,
    missingRoots: isLive ? roots?.missing : [],
  }
}

const none = {
  ...{ wrong: [], doubled: [], accused: [], unfounded: [], failures: [], repeated: [], missing: [] },
  ...{ unserved: [], doubledRoots: [], wrongRoots: [], missingRoots: [] },
}

describe('a committee that attests a dataset', () => {
  test.each(chosen.map((each) => [each.name, each] as const))(
    'behavior: %s',
    async (name, { scenario, isLive, limitMs = 0 }) => {
      const [ofRoots, ofFeeds]: [number[], number[]] = [[], []]
      let [attested, returned] = [0, 0]
      for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
        const outcome = await runCommittee(scenario, seed)
        const found = { seed, ...faultsOf(outcome, isLive) }
        const expected = { seed, ...none }
        if (!Bun.deepEquals(found, expected)) console.error(outcome.script.slice(-60).join('\n'))
        expect(found).toEqual(expected)
        ofRoots.push(...(outcome.roots?.latencies ?? []))
        ofFeeds.push(...outcome.latencies)
        attested += outcome.roots?.attested ?? 0
        returned += outcome.roots?.returned ?? 0
      }
      const counts = `${attested} on chain, ${returned} came back`
      figures.push(`${name}: roots ${times(ofRoots)}; ${counts}; values ${times(ofFeeds)}`)
      if (!isLive) return
      expect(ofRoots.length).toBeGreaterThan(0)
      expect([...ofRoots, ...ofFeeds].filter((ms) => ms > limitMs)).toEqual([])
    },
    3_600_000,
  )
})

const withLag: Scenario = { threshold: 2, members: 3, isRough: false, dataset: { spreadsMs: [600_000] } }

describe('without a rule, the audit finds it', () => {
  test('behavior: a look before a root is signed', async () => {
    const { roots } = await runCommittee({ ...withLag, without: ['a look before a root is signed'] }, 1)
    expect(roots?.unserved.join()).toContain('it has just got it')
  })

  test('behavior: leaves from EIA alone', async () => {
    const { roots } = await runCommittee({ ...withLag, without: ['leaves from EIA alone'] }, 1)
    expect(roots?.unserved.join()).toContain('EIA has not served')
  })

  test('behavior: announcements', async () => {
    const { roots } = await runCommittee({ ...withLag, without: ['announcements'] }, 1)
    expect(roots?.missing).toHaveLength(2)
  })
})
