import { describe, expect, test } from 'bun:test'
import { sampled } from '@wattfeed/testing/soak'
import { type Outcome, type Rule, runCommittee, type Scenario } from './simulation/runCommittee.ts'

const fiveMembers = { members: 5 }
const isDoubled = ({ doubled }: Outcome): boolean => doubled.length > 0

interface Removal {
  readonly rule: Rule
  readonly scenario: Scenario
  /** What the rule prevents. */
  readonly isHarmed: (outcome: Outcome) => boolean
}

/** The times of the second and third release, when all have met the equivocator. */
const laterTimes = ({ latencies }: Outcome): readonly number[] => latencies.slice(3)

const removals: readonly Removal[] = [
  {
    rule: 'announcements',
    scenario: { ...fiveMembers, threshold: 4, isRough: false, pollMs: 100_000 },
    isHarmed: ({ latenciesOfFirst }) => latenciesOfFirst.some((time) => time > 120_000),
  },
  {
    rule: 'one live approval for a feed',
    scenario: { ...fiveMembers, threshold: 4, faults: ['equivocates'] },
    isHarmed: isDoubled,
  },
  {
    rule: 'plans not before the last end',
    scenario: { ...fiveMembers, threshold: 4, faults: ['signs twice', 'signs twice'], lags: [0, 3, 4, 5] },
    isHarmed: isDoubled,
  },
  {
    rule: 'the last end checked again',
    scenario: {
      ...fiveMembers,
      threshold: 4,
      faults: ['signs all', 'signs all'],
      isRough: false,
      answerMs: 80_000,
    },
    isHarmed: ({ unfounded }) => unfounded.length > 0,
  },
  {
    rule: 'approvals to all',
    scenario: { ...fiveMembers, threshold: 3, faults: ['withholds', 'withholds'], isRough: false },
    isHarmed: ({ missing }) => missing.length > 0,
  },
  {
    rule: 'equivocators refused',
    scenario: { ...fiveMembers, threshold: 4, faults: [null, 'equivocates'], isRough: false },
    isHarmed: (outcome) => laterTimes(outcome).some((time) => time > 100_000),
  },
  {
    rule: 'approvals on disk',
    scenario: { ...fiveMembers, threshold: 4, faults: ['signs twice', 'signs twice'], killed: 0.1 },
    isHarmed: isDoubled,
  },
  {
    rule: 'a lifetime after the start',
    scenario: {
      ...fiveMembers,
      threshold: 4,
      faults: ['signs twice', 'signs twice'],
      killed: 0.1,
      losesFiles: true,
    },
    isHarmed: isDoubled,
  },
  {
    rule: 'past values that the chain lacks',
    scenario: { ...fiveMembers, threshold: 4, backfill: 'careless' },
    isHarmed: isDoubled,
  },
]

/** Enough to meet a rare case without a rule. */
const MOST_RUNS = 150
/** As many runs with the rule. */
const RUNS = 8

describe('without a rule, the committee fails where it does not with it', () => {
  test.each(sampled(removals).map((each) => [each.rule, each] as const))(
    'behavior: %s',
    async (rule, { scenario, isHarmed }) => {
      // An approval that is lost with the disk matters only if the member signs at once after a restart.
      const without: Rule[] = rule === 'approvals on disk' ? [rule, 'a lifetime after the start'] : [rule]
      const kept: Rule[] = rule === 'approvals on disk' ? ['a lifetime after the start'] : []
      for (let seed = 1; seed <= RUNS; seed++)
        expect([seed, isHarmed(await runCommittee({ ...scenario, without: kept }, seed))]).toEqual([
          seed,
          false,
        ])
      let seed = 1
      while (seed <= MOST_RUNS && !isHarmed(await runCommittee({ ...scenario, without }, seed))) seed += 1
      expect(seed).toBeLessThanOrEqual(MOST_RUNS)
    },
    300_000,
  )
})
