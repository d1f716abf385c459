import { DAY_MS } from '@wattfeed/base'
import { readBlockPlace } from '@wattfeed/casper/light-client'
import type { ExecutedTransaction } from '@wattfeed/casper/transaction'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { createRandom } from '@wattfeed/testing/random'
import { FIRST_LOOK_MS } from '../../src/agent/intervals.ts'
import {
  type CommitteeBench,
  createCommitteeBench,
  feeds,
} from '../../tests/agent/committee/embedded/committeeBench.ts'
import { rowOf } from '../../tests/agent/run/fakes.ts'
import { percentile } from '../percentile.ts'
import type { Plan } from '../plan.ts'
import type { Row } from '../table.ts'

const MOTES_PER_CSPR = 1e9
const FIRST_DAY = Date.UTC(2026, 7, 1)

/** Releases of a committee, for each round of the plan. */
const RELEASES = 3

/** After this time, no member looks for the last value any more. */
const REST_MS = 600_000

/** How many of how many keys must sign. */
const committees = [
  [1, 1],
  [4, 5],
  [6, 9],
] as const

/**
 * Measures what a committee costs, and how long it takes, in the time of an embedded chain with a block every 8 s. Every
 * member polls a minute or two after a release, as agents do.
 */
export async function measureCommittee({ rounds }: Plan): Promise<Row[]> {
  const rows: Row[] = []
  for (const [threshold, members] of committees) {
    await using bench = await createCommitteeBench({ threshold, members })
    const random = createRandom(1)
    const releases: Release[] = []
    for (let day = 0; day < RELEASES * rounds; day++) releases.push(await attestOne(bench, day, random))
    const executed = await attestAll(bench, RELEASES * rounds)
    rows.push(rowOfCommittee(`${threshold} of ${members}`, releases, executed))
  }
  return rows
}

/** A value that was attested. Times are those of the chain, in milliseconds. */
interface Release {
  readonly fromReleaseMs: number
  readonly fromFirstPollMs: number
  readonly executed: ExecutedTransaction
}

async function attestOne(bench: CommitteeBench, day: number, random: () => number): Promise<Release> {
  const [feed] = feeds
  if (feed === undefined) throw new Error('there are feeds')
  // A leader looks at EIA for some minutes after a value was found. Releases and slots have no common phase.
  await bench.pass(REST_MS + 30_000 * random())
  publish(bench, day)
  const releasedAt = bench.time()
  const polls = bench.members.map(({ member }) => ({
    member,
    at: releasedAt + FIRST_LOOK_MS * (1 + random()),
  }))
  const firstPoll = Math.min(...polls.map(({ at }) => at))
  const executed = await untilExecuted(bench, () => {
    for (const poll of polls.filter(({ at }) => at <= bench.time())) {
      polls.splice(polls.indexOf(poll), 1)
      poll.member.found(feed.feed_id)
    }
  })
  const attestedAt = await timeOf(bench, executed)
  return { fromReleaseMs: attestedAt - releasedAt, fromFirstPollMs: attestedAt - firstPoll, executed }
}

/** Attests a value of each feed in one transaction. */
async function attestAll(bench: CommitteeBench, day: number): Promise<ExecutedTransaction> {
  await bench.pass(REST_MS)
  publish(bench, day)
  bench.find(...feeds.map(({ feed_id }) => feed_id))
  return untilExecuted(bench, () => {})
}

function publish(bench: CommitteeBench, day: number): void {
  const period = new Date(FIRST_DAY + day * DAY_MS).toISOString().slice(0, 10)
  bench.publish(rowOf({ period, value: `${50 + day}.25` }))
}

/** Lets time pass until a member knows of another executed transaction. @param eachStep called between two steps */
async function untilExecuted(bench: CommitteeBench, eachStep: () => void): Promise<ExecutedTransaction> {
  const list = (): ExecutedTransaction[] =>
    bench.members
      .flatMap(({ steps }) => steps)
      .flatMap((step) => (step.step === 'settled' && step.executed !== null ? [step.executed] : []))
  const known = new Set(list().map(({ transactionHash }) => transactionHash))
  const find = () => list().find(({ transactionHash }) => !known.has(transactionHash))
  await bench.until(() => {
    eachStep()
    return find() !== undefined
  })
  const executed = find()
  if (executed === undefined || executed.errorMessage !== null) throw new Error('the transaction failed')
  return executed
}

async function timeOf({ devnet }: CommitteeBench, { blockHeight }: ExecutedTransaction): Promise<number> {
  const { timestamp } = await readBlockPlace(rpcOf(devnet.call), blockHeight)
  return timestamp
}

function rowOfCommittee(name: string, releases: readonly Release[], all: ExecutedTransaction): Row {
  const times = releases.map(({ fromReleaseMs }) => fromReleaseMs)
  const afterPoll = releases.map(({ fromFirstPollMs }) => fromFirstPollMs)
  const seconds = (share: number) => `${Math.round(percentile(afterPoll, share) / 1_000)} s`
  const last = releases.at(-1)?.executed
  if (last === undefined) throw new Error('nothing was attested')
  return {
    name: `a value attested by ${name} keys, from its release by the chain's clock`,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    other: `from the first poll p50 ${seconds(0.5)}, p99 ${seconds(0.99)}; ${costOf(last)}; ${feeds.length} values in one transaction ${costOf(all)}`,
  }
}

const costOf = ({ consumedMotes, chargedMotes }: ExecutedTransaction): string =>
  `gas ${cspr(consumedMotes)}, charged ${cspr(chargedMotes)} CSPR`

const cspr = (motes: bigint): string => (Number(motes) / MOTES_PER_CSPR).toFixed(3)
