import type { Pending } from '@wattfeed/casper/transaction'
import type { PastValues } from '../../../src/agent/committee/checkBackfill.ts'
import { openEquivocators } from '../../../src/agent/committee/equivocators.ts'
import { createGivenApprovals } from '../../../src/agent/committee/givenApprovals.ts'
import { createMember } from '../../../src/agent/committee/member.ts'
import type { MemberEvent, MemberOptions } from '../../../src/agent/committee/memberState.ts'
import { formatTransaction, type Proposal } from '../../../src/agent/committee/proposal.ts'
import type { PlannedFeed } from '../../../src/agent/plan/plan.ts'
import type { AnnouncedRoot } from '../../../src/agent/state/announcedRoots.ts'
import { executedAs, rowOf } from '../run/fakes.ts'
import { noDatasets } from './noDatasets.ts'
import { noSides } from './noSides.ts'
import type { Disk } from './simulation/disk.ts'
import { createModelNotary } from './simulation/notary.ts'

/** The start of a slot whose leader is the first of three members. */
export const T = 1_800_000_000_000
export const names = ['a', 'b', 'c']
export const feed = 'EIA.A'
export const value = {
  feed_id: feed,
  period: 2,
  amount: 100n,
  source_hash: 'ab'.repeat(32),
  role: 'newest' as const,
}

export const planOf = (feedId: string): PlannedFeed => ({
  feedId,
  steps: [[{ ...value, feed_id: feedId }]],
  height: 100,
  latest: null,
  about: {
    row: rowOf(),
    result: { ...value, decision: 'new-period', unit: '' },
  },
  missing: 0,
  leftOut: [],
  gaps: [],
  error: null,
})

/** A member on a chain that the test moves. */
export function createMemberBench(name: string, disk: Disk, { roots } = noDatasets) {
  const state = disk.open(() => world.atWrite())
  const sent: { to: string; hash: string; signers: string[] }[] = []
  const announced: { to: string; feedId: string; root: AnnouncedRoot | undefined }[] = []
  const delivered: Pending[] = []
  const events: MemberEvent[] = []
  const world = {
    time: T,
    /** The machine's clock; null if it shows the block's time. */
    clock: null as number | null,
    height: 100,
    plans: new Map([[feed, planOf(feed)]]),
    executed: new Map<string, number>(),
    onPlan: async () => {},
    onFind() {},
    alone: [] as readonly string[],
    keys: names,
    weightOf: (_key: string) => 1,
    threshold: 2,
    recovery: new Set<string>(),
    /** Runs before and after each write. */
    atWrite() {},
    past: { own: new Map(), prints: new Map() } as PastValues,
    roots,
  }
  const options: MemberOptions = {
    chain: {
      readView: async () => ({
        block: { height: world.height, time: world.time, stateRootHash: '' },
        keys: {
          weights: new Map(world.keys.map((each) => [each, world.weightOf(each)])),
          threshold: world.threshold,
        },
      }),
      listLeaders: async () => names,
      async findExecution(hash) {
        world.onFind()
        const height = world.executed.get(hash)
        return height === undefined ? null : executedAs(hash, height)
      },
      async plan(feedId) {
        await world.onPlan()
        return world.plans.get(feedId) ?? { ...planOf(feedId), steps: [] }
      },
      readPast: async () => world.past,
    },
    notary: createModelNotary(name),
    peers: {
      members: names.filter((each) => each !== name),
      async send(to, { Version1: { hash, approvals } }) {
        sent.push({ to, hash, signers: approvals.map(({ signer }) => signer) })
        return null
      },
      announce: (to, feedId, root) => void announced.push({ to, feedId, root }),
      ...noSides,
    },
    approvals: createGivenApprovals(state),
    equivocators: openEquivocators(state),
    startRule: { check: () => null },
    roots: world.roots,
    recovery: world.recovery,
    group(plans, alone) {
      world.alone = [...alone]
      return plans.map(({ steps: [first = []] }) => first)
    },
    deliver: (transaction) => void delivered.push(transaction),
    now: () => world.clock ?? world.time,
    onEvent: (event) => void events.push(event),
  }
  return { member: createMember(options), world, disk, sent, announced, delivered, events }
}

export async function proposalBy(name: string, timestamp: number, changes: Partial<typeof value> = {}) {
  const notary = createModelNotary(name)
  const proposal = await notary.create([{ ...value, ...changes }], timestamp)
  return {
    proposal,
    transaction: formatTransaction({ proposal, approvals: await approvalsOf(proposal, name) }),
  }
}

/** A transaction with a value of each feed. */
export async function groupBy(
  name: string,
  timestamp: number,
  feedIds: readonly string[],
  ...others: string[]
) {
  const proposal = await createModelNotary(name).create(
    feedIds.map((feed_id) => ({ ...value, feed_id })),
    timestamp,
  )
  return formatTransaction({ proposal, approvals: await approvalsOf(proposal, name, ...others) })
}

export const approvalsOf = async (proposal: Proposal, ...by: string[]) =>
  new Map(
    await Promise.all(by.map(async (name) => [name, await createModelNotary(name).sign(proposal)] as const)),
  )
