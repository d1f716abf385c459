import type { DatasetScenario } from './datasetWorld.ts'
import type { Fault } from './faulty.ts'
import type { Scenario } from './runCommittee.ts'
import type { Case } from './scenarios.ts'

/** A run of a committee that attests a dataset. */
export interface RootCase extends Case {
  /** Whether it is one of the few that run each time. */
  readonly isShort: boolean
}

interface Committee {
  readonly threshold: number
  readonly members: number
}

/** One release, whose pieces take half an hour to all replicas of EIA. */
const slow: DatasetScenario = { spreadsMs: [1_800_000] }
/** Releases whose pieces take five minutes and one, in turn. */
const quick: DatasetScenario = { spreadsMs: [300_000, 60_000] }

/** What docs/committee.md promises. */
const limitMs = 300_000

const nameOf = ({ threshold, members }: Committee, name: string): string =>
  `${threshold} of ${members}, a dataset, ${name}`

const calm = (
  committee: Committee,
  name: string,
  scenario: Partial<Scenario>,
  isShort = false,
): RootCase => ({
  name: nameOf(committee, name),
  scenario: { ...committee, isRough: false, clocksApartMs: 2_000, dataset: quick, ...scenario },
  isLive: true,
  limitMs,
  isShort,
})

const rough = (
  committee: Committee,
  name: string,
  scenario: Partial<Scenario>,
  isShort = false,
): RootCase => ({
  name: nameOf(committee, `rough, ${name}`),
  scenario: { ...committee, dataset: quick, ...scenario },
  isLive: false,
  isShort,
})

const hostile = (committee: Committee, ...faults: (Fault | null)[]): RootCase =>
  calm(
    committee,
    faults.flatMap((fault) => (fault === null ? [] : [`one ${fault}`])).join(', '),
    { faults },
    committee === fourOfFive && faults.includes('mimics'),
  )

const twoOfThree: Committee = { threshold: 2, members: 3 }
const threeOfFive: Committee = { threshold: 3, members: 5 }
const fourOfFive: Committee = { threshold: 4, members: 5 }
const fiveOfSeven: Committee = { threshold: 5, members: 7 }

const committees = [twoOfThree, threeOfFive, fourOfFive, fiveOfSeven]

/** Those in which a member may sign twice. */
const intersecting = [fourOfFive, fiveOfSeven]

export const rootCases: readonly RootCase[] = [
  ...committees.map((each) => calm(each, 'all up, for half an hour', { dataset: slow }, each === fourOfFive)),
  ...committees.map((each) =>
    calm(each, 'all up, replicas at random', { dataset: { ...quick, stickiness: 0 } }, each === twoOfThree),
  ),
  ...committees.flatMap((each) =>
    (
      [
        'lies',
        'stalls',
        'withholds',
        'invents roots',
        'invents leaves',
        'mimics',
        'flatters',
        'proposes inventions',
      ] as const
    ).map((fault) => hostile(each, null, fault)),
  ),
  ...intersecting.flatMap((each) =>
    (['equivocates about roots', 'equivocates', 'splits'] as const).map((fault) =>
      hostile(each, null, fault),
    ),
  ),
  hostile(threeOfFive, 'lies', null, 'lies'),
  hostile(threeOfFive, 'mimics', null, 'mimics'),
  hostile(threeOfFive, 'lies', 'mimics'),
  hostile(threeOfFive, 'flatters', null, 'flatters'),
  hostile(fiveOfSeven, 'lies', null, 'lies'),
  hostile(fiveOfSeven, 'mimics', null, 'mimics'),
  hostile(fiveOfSeven, 'flatters', null, 'flatters'),
  hostile(fiveOfSeven, 'invents leaves', null, 'invents leaves'),
  hostile(fiveOfSeven, 'invents roots', null, 'mimics'),
  hostile(fiveOfSeven, 'equivocates about roots', null, 'mimics'),
  hostile(fiveOfSeven, null, 'pairs', null, 'pairs'),
  ...committees.map((each) => calm(each, 'all look seldom', { dataset: { ...quick, pollMs: 150_000 } })),
  ...committees.flatMap((each) => [
    rough(each, 'all up', {}, each === fourOfFive),
    rough(each, 'killed often', { killed: 0.05 }),
    rough(each, 'folders are lost', { killed: 0.05, losesFiles: true }, each === threeOfFive),
  ]),
  ...intersecting.map((each) =>
    rough(each, 'folders are lost, two sign twice', {
      faults: ['signs twice', 'signs twice'],
      killed: 0.05,
      losesFiles: true,
    }),
  ),
]
