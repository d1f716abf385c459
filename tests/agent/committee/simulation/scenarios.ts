import type { Scenario } from './runCommittee.ts'

/** Runs, and what must hold in them besides safety. */
export interface Case {
  readonly name: string
  readonly scenario: Scenario
  /** Whether every value must be attested soon. */
  readonly isLive: boolean
  /** Within which time every value must be attested, in milliseconds. @default by the number of faulty members */
  readonly limitMs?: number
}

const calm = (name: string, scenario: Scenario): Case => ({
  name: `${scenario.threshold} of ${scenario.members}, ${name}`,
  scenario: { ...scenario, isRough: false },
  isLive: true,
})
const rough = (name: string, scenario: Scenario): Case => ({
  name: `${scenario.threshold} of ${scenario.members}, rough, ${name}`,
  scenario,
  isLive: false,
})

const splits = (threshold: number, members: number): Case =>
  calm('one splits', { members, threshold, faults: [null, 'splits'], clocksApartMs: 2_000 })

/** What docs/committee.md promises of hostile members. */
const limitMs = 300_000

const tails = (threshold: number, members: number, ...lacking: number[]): Case => ({
  ...calm(`one tails, ${lacking.join(' and ')} lack a feed`, {
    members,
    threshold,
    faults: [null, 'tails'],
    lacking,
    clocksApartMs: 2_000,
  }),
  limitMs,
})

const pairs = (threshold: number, members: number): Case => ({
  ...calm('two pair', {
    members,
    threshold,
    faults: [null, 'pairs', null, 'pairs'],
    clocksApartMs: 2_000,
  }),
  limitMs,
})

const threeOfFive = { members: 5, threshold: 3 }
const fourOfFive = { members: 5, threshold: 4 }
const fiveOfSeven = { members: 7, threshold: 5 }

/** Fewer faulty members than the committee tolerates: liars fewer than m, double signers fewer than 2m - n. */
export const cases: readonly Case[] = [
  calm('all up', { members: 3, threshold: 2 }),
  calm('all up', threeOfFive),
  calm('all up', fourOfFive),
  calm('all up', fiveOfSeven),
  calm('two down', { ...threeOfFive, faults: ['stalls', null, 'stalls'] }),
  calm('two liars', { ...threeOfFive, faults: ['lies', 'lies'] }),
  calm('two withhold', { ...threeOfFive, faults: ['withholds', null, null, 'withholds'] }),
  calm('one floods, one lies', { ...threeOfFive, faults: ['floods', 'lies'] }),
  calm('one equivocates', { ...fourOfFive, faults: [null, 'equivocates'] }),
  calm('one signs twice', { ...fourOfFive, faults: [null, null, 'signs twice'] }),
  calm('one equivocates to one member', { ...fourOfFive, faults: [null, 'whispers'] }),
  calm('one mistimes', { ...fourOfFive, faults: [null, null, null, 'mistimes'] }),
  splits(2, 3),
  splits(3, 4),
  splits(3, 5),
  splits(4, 5),
  splits(5, 7),
  splits(6, 9),
  tails(3, 4, 2, 3),
  tails(4, 5, 0, 2),
  tails(4, 5, 2, 3),
  tails(5, 7, 0, 2, 3),
  pairs(5, 7),
  pairs(6, 9),
  calm('all look seldom', { ...fourOfFive, pollMs: 100_000 }),
  calm('all up, two backfill', { ...fourOfFive, backfill: 'careful' }),
  calm('one equivocates, one lies', { ...fiveOfSeven, faults: ['equivocates', null, 'lies'] }),
  rough('all up', threeOfFive),
  rough('all up', fourOfFive),
  rough('all up', fiveOfSeven),
  rough('one equivocates', { ...fourOfFive, faults: ['equivocates'] }),
  rough('two sign twice', { ...fourOfFive, faults: ['signs twice', 'signs twice'] }),
  rough('three liars', { ...fourOfFive, faults: ['lies', 'lies', 'lies'] }),
  rough('one signs twice, one lies', { ...fourOfFive, faults: ['signs twice', null, 'lies'] }),
  rough('one floods, one withholds', { ...threeOfFive, faults: ['floods', 'withholds'] }),
  rough('two backfill', { ...fourOfFive, backfill: 'careful' }),
  rough('two backfill anything, two sign twice', {
    ...fourOfFive,
    faults: [null, null, 'signs twice', 'signs twice'],
    backfill: 'careless',
    lags: [0, 3, 4, 5],
  }),
  rough('two backfill anything, two lie', {
    ...threeOfFive,
    faults: ['lies', null, 'lies'],
    backfill: 'careless',
  }),
  rough('nodes lag', { ...fourOfFive, faults: ['signs twice', 'signs twice'], lags: [0, 3, 4, 5] }),
  rough('EIA is slow, two sign all', { ...fourOfFive, faults: ['signs all', 'signs all'], answerMs: 80_000 }),
  rough('killed often', { ...threeOfFive, killed: 0.1 }),
  rough('killed often on a new chain, two sign twice', {
    ...fourOfFive,
    faults: ['signs twice', 'signs twice'],
    killed: 0.1,
    isFreshChain: true,
  }),
  rough('folders are lost', { ...threeOfFive, killed: 0.1, losesFiles: true }),
  rough('folders are lost, two sign twice', {
    ...fourOfFive,
    faults: ['signs twice', 'signs twice'],
    killed: 0.1,
    losesFiles: true,
  }),
]
