import { createPendingRows } from '@wattfeed/casper/sqlite'
import type { Pending } from '@wattfeed/casper/transaction'
import type { Side } from '@wattfeed/dataset/compare'
import { createRandom } from '@wattfeed/testing/random'
import type { NewAttestation } from '../../../../packages/wattfeed/src/registry/calls.ts'
import { openEquivocators } from '../../../../src/agent/committee/equivocators.ts'
import { createGivenApprovals, type GivenApprovals } from '../../../../src/agent/committee/givenApprovals.ts'
import { leaderOf } from '../../../../src/agent/committee/leader.ts'
import { type CommitteeMember, createMember } from '../../../../src/agent/committee/member.ts'
import type {
  MemberChain,
  MemberEvent,
  MemberOptions,
  MemberView,
  Peers,
} from '../../../../src/agent/committee/memberState.ts'
import type { Proposal } from '../../../../src/agent/committee/proposal.ts'
import { isTemporary, refuse } from '../../../../src/agent/committee/refusal.ts'

import { LIFETIME_MS, slotOf, slotStart } from '../../../../src/agent/committee/slot.ts'
import { StartRule } from '../../../../src/agent/committee/startRule.ts'
import { groupPlans } from '../../../../src/agent/send/batchPlans.ts'
import type { AnnouncedRoot } from '../../../../src/agent/state/announcedRoots.ts'
import { AttestPurpose, pendingFeedIds } from '../../../../src/agent/state/attestPurpose.ts'
import type { AgentState } from '../../../../src/agent/state/openState.ts'
import { executedAs } from '../../run/fakes.ts'
import { noDatasets } from '../noDatasets.ts'
import { anyBackfill, nextBackfill } from './backfill.ts'
import { type ChainEntry, createModelChain, type ModelChain } from './chain.ts'
import { type Clock, createClock } from './clock.ts'
import { datasetFeed } from './datasetLeaves.ts'
import { createDatasetMember, type DatasetMember } from './datasetMember.ts'
import {
  auditRoots,
  bootDataset,
  checkRootApproval,
  createDatasetWorld,
  type DatasetScenario,
  type DatasetWorld,
  lieOfEia,
  type RootsOutcome,
} from './datasetWorld.ts'
import { createDisk, type Disk } from './disk.ts'
import { createEiaModel, createMemberEia, DISPUTED, type EiaModel, type Release } from './eia.ts'
import {
  createFaultyMoves,
  type Fault,
  type FaultyMoves,
  hasMoves,
  isFast,
  isRootFault,
  signsAll,
  signsNoOther,
} from './faulty.ts'
import { clearProposals, createModelNotary, describeHash, termsOf } from './notary.ts'

/** A rule that a run may leave out, to show what it is for. */
export type Rule =
  | 'announcements'
  | 'one live approval for a feed'
  | 'plans not before the last end'
  | 'the last end checked again'
  | 'approvals to all'
  | 'equivocators refused'
  | 'approvals on disk'
  | 'a lifetime after the start'
  | 'past values that the chain lacks'
  | 'a look before a root is signed'
  | 'leaves from EIA alone'

/** What happens in a run. */
export interface Scenario {
  readonly members: number
  readonly threshold: number
  /** @default none */
  readonly faults?: readonly (Fault | null)[]
  /** Whether messages are lost, members are killed at writes, nodes lag and the network splits. @default true */
  readonly isRough?: boolean
  /** The blocks by which a read may lag, one of them at random. @default [0, 0, 0, 3], or [0] if it is not rough */
  readonly lags?: readonly [number, ...number[]]
  /**
   * The probability that a member is killed before, during or after a write; it is killed between two steps, too, a tenth as often.
   *
   * @default 0.01, or 0 if it is not rough
   */
  readonly killed?: number
  /** Whether a killed member may find an earlier state of its folder, or an empty one. @default false */
  readonly losesFiles?: boolean
  /** Whether the chain is new, so that members sign at once after a start. @default false */
  readonly isFreshChain?: boolean
  /**
   * How the first two members backfill two feeds: `careful` with what the chain lacks, or `careless` with any values in any
   * order.
   *
   * @default not at all
   */
  readonly backfill?: 'careful' | 'careless'
  /** How long a member waits at least before it looks for new values again; at most three times as long. @default 10_000 */
  readonly pollMs?: number
  /** How far apart the members' clocks are at most. @default 0 */
  readonly clocksApartMs?: number
  /** How long EIA takes at most to answer. @default 2_000 */
  readonly answerMs?: number
  /** The members, by index, without one of the feeds in their feeds files. @default none */
  readonly lacking?: readonly number[]
  /** @default none */
  readonly without?: readonly Rule[]
  /** The dataset that the members attest besides; the run then takes 50 minutes. @default none */
  readonly dataset?: DatasetScenario
}

/** What a run has shown. */
export interface Outcome {
  /** Attestations that are not EIA's. */
  readonly wrong: readonly string[]
  /** Attestations that the chain had already. */
  readonly doubled: readonly string[]
  /** Honest members whose proposals prove equivocation. */
  readonly accused: readonly string[]
  /** Proposals of honest leaders that repeat a live one, which they could have completed. */
  readonly repeated: readonly string[]
  /** Approvals of honest members that no block which they have just seen allows, or at a root before the feed's last end. */
  readonly unfounded: readonly string[]
  /** Honest members that do not know an equivocator at the end, though another one has the evidence. */
  readonly unaware: readonly string[]
  /** Periods that the chain lacks at the end. */
  readonly missing: readonly string[]
  /** From the moment when enough honest members have fetched a value to its block, in milliseconds. */
  readonly latencies: readonly number[]
  /** From the moment when the first honest member has fetched a value to its block, in milliseconds. */
  readonly latenciesOfFirst: readonly number[]
  /** How many feeds each executed transaction has, in order. */
  readonly groups: readonly number[]
  /** Errors that members threw. */
  readonly failures: readonly string[]
  readonly script: readonly string[]
  /** What was found about the dataset's roots; null without one. */
  readonly roots: RootsOutcome | null
}

/** How long EIA takes at most to answer. */
const ANSWER_MS = 2_000

const START = 1_800_000_000_000
const DURATION_MS = 1_500_000
/** With a dataset. */
const LONG_MS = 3_000_000
/** No value is released in the last minutes, so that all can be attested. */
const REST_MS = 500_000

const durationOf = ({ dataset }: Scenario): number => (dataset === undefined ? DURATION_MS : LONG_MS)

/** How long a member waits between two readings of the dataset, about. */
const POLL_MS = 80_000

/** Connections stay open for some requests. */
const STICKINESS = 0.9

/** From a block's time until nodes have executed it. */
const BLOCK_TRAVEL_MS = 3_000

interface Process {
  readonly member: CommitteeMember
  readonly moves: FaultyMoves | null
  /** Null without a dataset. */
  readonly dataset: DatasetMember | null
  /** The proposals that their leaders have signed and that it has refused for now, and when. */
  readonly refused: Map<string, number>
  /** When its current or last regular work began. */
  tickedAt: number
}

interface Node {
  lag: number
}

interface World {
  readonly scenario: Scenario
  readonly clock: Clock
  readonly random: () => number
  readonly chain: ModelChain
  readonly eia: EiaModel
  readonly names: readonly string[]
  readonly disks: readonly Disk[]
  readonly nodes: readonly Node[]
  /** By how much each member's clock is ahead. */
  readonly clocksAhead: readonly number[]
  readonly running: (Process | null)[]
  /** When each member last saw each block while that was not older than half a lifetime, by the block's time. */
  readonly seen: readonly Map<number, number>[]
  /** Members that cannot be reached now. */
  readonly cutOff: Set<number>
  /** When each honest member has fetched each release. */
  readonly fetched: Map<Release, Map<number, number>>
  readonly accused: string[]
  readonly repeated: string[]
  readonly unfounded: string[]
  readonly failures: string[]
  readonly script: string[]
  /** Null without a dataset. */
  readonly dataset: DatasetWorld | null
}

/** Runs members on a model chain, for 25 minutes of virtual time, or 50 with a dataset. The same seed always gives the same run. */
export async function runCommittee(scenario: Scenario, seed: number): Promise<Outcome> {
  clearProposals()
  using resources = new DisposableStack()
  const random = createRandom(seed)
  const clock = createClock(START)
  const names = Array.from({ length: scenario.members }, (_, index) => `m${index}`)
  const keys = { weights: new Map(names.map((name) => [name, 1])), threshold: scenario.threshold }
  const world: World = {
    scenario,
    clock,
    random,
    chain: createModelChain(clock, keys, random),
    eia: createEiaModel(START, START + durationOf(scenario) - REST_MS, random),
    names,
    disks: names.map(() => resources.use(createDisk())),
    nodes: names.map(() => ({ lag: pick(random, [0, 0, 0, 1, 2]) })),
    clocksAhead: names.map(() =>
      scenario.clocksApartMs ? Math.round(scenario.clocksApartMs * (random() - 0.5)) : 0,
    ),
    running: names.map(() => null),
    seen: names.map(() => new Map()),
    cutOff: new Set(),
    fetched: new Map(),
    accused: [],
    repeated: [],
    unfounded: [],
    failures: [],
    script: [],
    dataset: scenario.dataset
      ? createDatasetWorld({
          ...scenario.dataset,
          names,
          start: START,
          end: START + LONG_MS - REST_MS,
          random,
        })
      : null,
  }
  for (const index of names.keys()) clock.after(5_000 * random(), () => boot(world, index))
  if (isRough(world)) disturb(world)
  await clock.runUntil(START + durationOf(scenario))
  return audit(world)
}

const isRough = ({ scenario }: World): boolean => scenario.isRough ?? true
const killedOf = (world: World): number => world.scenario.killed ?? (isRough(world) ? 0.01 : 0)
const lacks = ({ scenario }: World, rule: Rule): boolean => scenario.without?.includes(rule) ?? false
const faultOf = ({ scenario }: World, index: number): Fault | null => scenario.faults?.[index] ?? null

const nowOf =
  ({ clock, clocksAhead }: World, index: number) =>
  (): number =>
    clock.now() + (clocksAhead[index] ?? 0)

function diskOf({ disks }: World, index: number): Disk {
  const disk = disks[index]
  if (disk === undefined) throw new Error(`there is no member ${index}`)
  return disk
}

function pick<T>(random: () => number, [first, ...rest]: readonly [T, ...T[]]): T {
  const index = Math.floor(random() * (rest.length + 1))
  return index === 0 ? first : (rest[index - 1] ?? first)
}

function note({ script, clock }: World, index: number, text: string): void {
  script.push(`${Math.round((clock.now() - START) / 100) / 10} s m${index} ${text}`)
}

/** Lets nodes lag and the network split, at random. */
function disturb(world: World): void {
  const { clock, random, nodes, names, cutOff } = world
  clock.after(1_000, () => disturb(world))
  for (const node of nodes) if (random() < 0.01) node.lag = pick(random, [0, 0, 0, 1, 2, 8])
  if (random() > 0.003) return
  const index = Math.floor(random() * names.length)
  cutOff.add(index)
  clock.after(20_000 + 100_000 * random(), () => cutOff.delete(index))
}

const never = new Promise<never>(() => {})

/** Ends what a process was doing when it was killed at a write. */
class KilledError extends Error {}

/** Starts a member's process, which may be killed at any write. */
function boot(world: World, index: number): void {
  const { clock, random, running } = world
  const fault = faultOf(world, index)
  if (fault === 'stalls') return
  const disk = diskOf(world, index)
  const life = { isOver: false }
  const { losesFiles = false } = world.scenario
  const backups: (Uint8Array | null)[] = losesFiles ? [null, disk.copy()] : []

  function kill(): void {
    life.isOver = true
    running[index] = null
    note(world, index, 'is killed')
    if (lacks(world, 'approvals on disk')) disk.restore(null)
    clock.after(5_000 + (random() < 0.5 ? 20_000 : 195_000) * random(), () => {
      if (losesFiles && random() < 0.5) {
        disk.restore(pick(random, [null, ...backups]))
        world.dataset?.stored[index]?.clear()
      }
      boot(world, index)
    })
  }

  function mayCrash(): void {
    if (!life.isOver) {
      if (losesFiles && random() < 0.1) backups.push(disk.copy())
      if (random() >= killedOf(world)) return
      kill()
    }
    throw new KilledError()
  }

  const isOver = () => life.isOver
  const dataset = createDataset(world, index, isOver)
  const options = createOptions(world, index, { state: disk.open(mayCrash), isOver, dataset })
  const member = createMember(options)
  const { notary, chain, peers } = options
  const { names, eia } = world
  const moves = hasMoves(fault)
    ? createFaultyMoves({
        fault,
        chain,
        notary,
        peers,
        eia,
        contents: world.dataset?.contents ?? new Map(),
        members: names,
        accomplices: names.filter((_, other) => faultOf(world, other) === fault),
        random,
        now: options.now,
        sleep: clock.sleep,
        listBackfill: ({ block }) => chooseBackfill(world, block.height),
      })
    : null
  const process = { member, moves, dataset, refused: new Map(), tickedAt: clock.now() }
  running[index] = process
  if (!isRootFault(fault)) dataset?.run(member, peers)
  void run(world, index, process, chain, life, kill)
}

/** Runs a process until it is killed. */
async function run(
  world: World,
  index: number,
  process: Process,
  chain: MemberChain,
  life: { readonly isOver: boolean },
  kill: () => void,
): Promise<void> {
  const { clock, random } = world
  const { member, moves } = process
  await member.start()
  void poll(world, member, chain, () => life.isOver)
  void backfill(world, index, member, chain, () => life.isOver)
  while (!life.isOver) {
    try {
      process.tickedAt = clock.now()
      await member.tick()
      await moves?.tick()
    } catch (error) {
      if (error instanceof KilledError) return
      world.failures.push(`m${index} ${error instanceof Error ? error.stack : error}`)
    }
    await clock.sleep(2_000 + 1_000 * random())
    if (!life.isOver && random() < killedOf(world) / 10) kill()
  }
}

/** Looks for new values, as the agent's schedule does after a release. */
async function poll(
  { clock, random, eia, scenario: { pollMs = 10_000 } }: World,
  member: CommitteeMember,
  chain: MemberChain,
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    await clock.sleep(pollMs * (1 + 2 * random()))
    const view = await chain.readView()
    const plans = await Promise.all(eia.feeds.map(({ feed_id }) => chain.plan(feed_id, view)))
    for (const plan of plans) if (plan.error === null && plan.steps.length > 0) member.found(plan.feedId)
  }
}

/** Backfills past values, as the operators of the first two members do. */
async function backfill(
  world: World,
  index: number,
  member: CommitteeMember,
  chain: MemberChain,
  isOver: () => boolean,
): Promise<void> {
  const { clock, random, scenario } = world
  if (scenario.backfill === undefined || index > 1) return
  while (!isOver()) {
    const { block } = await chain.readView()
    const values = chooseBackfill(world, block.height)
    const [first] = values
    using _ = first === undefined ? null : member.backfill(first.feed_id, values)
    await clock.sleep(10_000 + 20_000 * random())
  }
}

function chooseBackfill(world: World, height: number): readonly NewAttestation[] {
  const { eia, chain, random, scenario } = world
  if (scenario.backfill === undefined) return []
  const feeds = random() < 0.5 ? ['EIA.A', 'EIA.B'] : ['EIA.B', 'EIA.A']
  const wished = feeds.map((feedId) => {
    const options = { eia, chain, feedId, height }
    return scenario.backfill === 'careful' ? nextBackfill(options) : anyBackfill(options, random)
  })
  return wished.find(({ length }) => length > 0) ?? []
}

interface Machine {
  readonly state: AgentState
  readonly isOver: () => boolean
  readonly dataset: DatasetMember | null
}

/** Creates what a process does for the dataset; null without one. */
function createDataset(world: World, index: number, isOver: () => boolean): DatasetMember | null {
  const { dataset, clock, names, chain, random, scenario } = world
  if (dataset === null) return null
  const fault = faultOf(world, index)
  const keys = { weights: new Map(names.map((name) => [name, 1])), threshold: scenario.threshold }
  return createDatasetMember({
    ...{ clock, chain, random, keys, model: dataset.model },
    ...bootDataset(dataset, index),
    name: names[index] ?? '',
    now: nowOf(world, index),
    pollMs: scenario.dataset?.pollMs ?? POLL_MS,
    signsAtOnce: lacks(world, 'a look before a root is signed'),
    copied: () =>
      lacks(world, 'leaves from EIA alone') ? ([...dataset.contents.values()].at(-1)?.codes ?? null) : null,
    stickiness: scenario.dataset?.stickiness ?? STICKINESS,
    ...(fault === 'lies' && { lie: lieOfEia }),
    readBlock: async () => showBlock(world, index),
    alive: (value) => (isOver() ? never : Promise.resolve(value)),
    onEvent(event) {
      if (event.event === 'root_announced') return
      note(world, index, JSON.stringify(event, null, 0).slice(0, 300))
    },
    onFailure(error) {
      note(world, index, `failure ${error.message.slice(0, 300)}`)
      // All others are failures that a member must expect.
      if (error instanceof TypeError || error instanceof RangeError)
        world.failures.push(`m${index} ${error.stack}`)
    },
  })
}

function createOptions(world: World, index: number, machine: Machine): MemberOptions {
  const { names, chain } = world
  const { state } = machine
  const isForgetful = lacks(world, 'plans not before the last end')
  const given = createGivenApprovals(state)
  const approvals = checkRoots(world, index, {
    ...given,
    ...(isForgetful && { lastEnd: () => null }),
    ...((isForgetful || lacks(world, 'the last end checked again')) && {
      claim: (transaction) => given.claim(transaction, AFTER_EVERY_END),
    }),
  })
  const now = nowOf(world, index)
  const fault = faultOf(world, index)
  const isFree = lacks(world, 'one live approval for a feed') || signsAll(fault)
  const claimed: Partial<GivenApprovals> = isFree
    ? { findConflict: () => null, claim: createFreeClaim(state) }
    : signsNoOther(fault)
      ? { claim: () => refuse('not_leader', 'it signs nothing') }
      : {}
  const equivocators = openEquivocators(state)
  return {
    chain: createMemberChain(world, index, machine.isOver, machine.dataset),
    notary: createModelNotary(names[index] ?? ''),
    peers: createPeers(world, index, machine.isOver),
    approvals: { ...approvals, ...claimed },
    equivocators: lacks(world, 'equivocators refused')
      ? { ...equivocators, refusedUntil: () => null }
      : equivocators,
    recovery: new Set(),
    roots: machine.dataset?.roots ?? noDatasets.roots,
    startRule:
      lacks(world, 'a lifetime after the start') || signsAll(fault)
        ? { check: () => null }
        : new StartRule(now, world.scenario.isFreshChain),
    group(plans, alone) {
      // The others propose by moves of their own.
      if (hasMoves(fault) && fault !== 'floods') return []
      return groupPlans(plans, alone, { offersMany: true, paymentMotes: null })
    },
    deliver(transaction) {
      if (machine.isOver() || fault === 'withholds') return
      chain.put(transaction)
      if (machine.dataset !== null) void follow(world, transaction, machine.dataset)
    },
    now,
    onEvent(event) {
      if (machine.isOver()) return
      note(world, index, describe(event))
      check(world, index, event)
      machine.dataset?.hear(event)
    },
  }
}

/** Tells a process that sends a transaction how it has ended. */
async function follow({ clock, chain }: World, transaction: Pending, dataset: DatasetMember): Promise<void> {
  while (clock.now() <= transaction.expires_at + 2 * LIFETIME_MS) {
    await clock.sleep(FOLLOW_MS)
    const hash = transaction.transaction_hash
    const height = chain.executedAt(hash)
    if (height === null) continue
    const executed = executedAs(hash, height)
    dataset.hear({ event: 'ended', transaction, executed, approvedBy: [], answers: new Map() })
    return
  }
}

/** How often the agent looks whether a transaction is executed, about. */
const FOLLOW_MS = 5_000

const AFTER_EVERY_END = { height: Number.MAX_SAFE_INTEGER, time: Number.MAX_SAFE_INTEGER }

/** Returns a claim that stores any number of approvals for a feed. */
function createFreeClaim({ file, destination }: AgentState): GivenApprovals['claim'] {
  const rows = createPendingRows({
    state: file,
    destination,
    purpose: AttestPurpose,
    role: 'approval',
    keysOf: () => [],
  })
  return (transaction) => {
    file.write(() => rows.insert(transaction))
    return null
  }
}

/** Checks that an honest member approves values only at roots that are not before the feed's last end. */
function checkRoots(world: World, index: number, approvals: GivenApprovals): GivenApprovals {
  const heights = new Map<string, number>()
  return {
    ...approvals,
    release(transaction, end) {
      approvals.release(transaction, end)
      for (const feedId of pendingFeedIds(transaction)) heights.set(feedId, end.height)
    },
    async claim(transaction, block) {
      const refusal = await approvals.claim(transaction, block)
      const isEarly = pendingFeedIds(transaction).some((feedId) => block.height < (heights.get(feedId) ?? 0))
      if (refusal === null && isEarly && faultOf(world, index) === null)
        world.unfounded.push(
          `${describeHash(transaction.transaction_hash)} by ${world.names[index]} at block ${block.height}`,
        )
      return refusal
    },
  }
}

/** Checks what an honest member does. */
function check(world: World, index: number, event: MemberEvent): void {
  const { accused, repeated, unfounded, running, names } = world
  if (faultOf(world, index) !== null) return
  const isHonest = (name: string) => faultOf(world, names.indexOf(name)) === null
  if (event.event === 'equivocated' && isHonest(event.equivocation.leader))
    accused.push(`${event.equivocation.leader} by ${names[index]}`)
  if (event.event !== 'approved') return
  if (world.dataset !== null)
    checkRootApproval(world.dataset, {
      index,
      proposal: event.proposal,
      held: running[index]?.dataset?.roots.held(datasetFeed) ?? null,
      now: nowOf(world, index)(),
    })
  if (!isTimely(world, index, event.proposal))
    unfounded.push(`${describeHash(event.proposal.hash)} by ${names[index]} at ${world.clock.now()}`)
  if (event.proposer !== names[index]) return
  const own = termsOf(event.proposal.hash)
  for (const [hash, at] of running[index]?.refused ?? []) {
    const earlier = termsOf(hash)
    const leader = leaderOf(slotOf(earlier.timestamp), names) ?? ''
    const isLive = own.timestamp <= earlier.timestamp + LIFETIME_MS
    const isKnown = at < (running[index]?.tickedAt ?? 0) && slotOf(earlier.timestamp) < slotOf(own.timestamp)
    if (earlier.values === own.values && isLive && isKnown && isHonest(leader))
      repeated.push(`${describeHash(hash)} by ${names[index]} as ${describeHash(event.proposal.hash)}`)
  }
}

/** How long a check of a proposal takes at most: some answers of EIA. */
const checkMsOf = ({ scenario }: World): number => 6 * (scenario.answerMs ?? ANSWER_MS)

/**
 * Whether a block that the member has just seen allows the approval of a proposal: the block is not old, the proposal's slot has
 * begun, and its lifetime is not over. The chain alone does not show an approval that breaks these rules: quorums intersect, and
 * nodes do not execute what has expired.
 */
function isTimely(world: World, index: number, { timestamp }: Proposal): boolean {
  const now = world.clock.now()
  return [...(world.seen[index] ?? [])].some(
    ([time, at]) =>
      at >= now - checkMsOf(world) &&
      slotStart(slotOf(timestamp)) <= time &&
      timestamp <= now + (world.scenario.clocksApartMs ?? 0) / 2 &&
      time <= timestamp + LIFETIME_MS,
  )
}

function describe(event: MemberEvent): string {
  if ('proposal' in event) {
    const { event: name, proposal } = event
    const refusal = 'refusal' in event ? ` ${JSON.stringify(event.refusal)}` : ''
    return `${name} ${describeHash(proposal.hash)}${refusal}${'member' in event ? ` by ${event.member}` : ''}`
  }
  if ('transaction' in event) return `${event.event} ${describeHash(event.transaction.transaction_hash)}`
  return `${event.event} ${event.equivocation.leader}`
}

/** Returns the newest block that a member's node shows. */
function showBlock(world: World, index: number): MemberView['block'] {
  const { chain, clock, nodes, random } = world
  // A load balancer may use a node that lags more.
  const { lags = isRough(world) ? [0, 0, 0, 3] : [0] } = world.scenario
  const newest = chain.blockTimes.findLastIndex((time) => time <= clock.now() - BLOCK_TRAVEL_MS)
  const height = Math.max(0, newest - (nodes[index]?.lag ?? 0) - pick(random, lags))
  return { height, time: chain.blockTimes[height] ?? 0, stateRootHash: '' }
}

function createMemberChain(
  world: World,
  index: number,
  isOver: () => boolean,
  dataset: DatasetMember | null,
): MemberChain {
  const { clock, chain, names, random, seen, fetched, eia } = world
  const isHonest = faultOf(world, index) === null
  const { plan, readPast } = createMemberEia({
    model: eia,
    chain,
    clock,
    random,
    isLying: faultOf(world, index) === 'lies',
    lagMs: () => 20_000 * random(),
    lacksDisputed: world.scenario.lacking?.includes(index) ?? false,
    // A faulty member asks whom it likes.
    answerMs: (isHonest ? world.scenario.answerMs : null) ?? ANSWER_MS,
    onFetched(releases) {
      if (!isHonest || isOver()) return
      for (const release of releases) {
        const times = fetched.get(release) ?? new Map()
        fetched.set(release, times)
        if (!times.has(index)) times.set(index, clock.now())
      }
    },
  })
  const alive = <T>(value: T): Promise<T> => (isOver() ? never : Promise.resolve(value))
  const weights = new Map(names.map((name) => [name, 1]))
  return {
    readView() {
      const block = showBlock(world, index)
      if (clock.now() <= block.time + LIFETIME_MS / 2) seen[index]?.set(block.time, clock.now())
      return alive({ block, keys: { weights, threshold: world.scenario.threshold } })
    },
    listLeaders: () => alive(names),
    findExecution(hash) {
      const executed = chain.executedAt(hash)
      return alive(
        executed !== null && executed <= showBlock(world, index).height ? executedAs(hash, executed) : null,
      )
    },
    plan: async (feedId, view) =>
      alive(
        await (feedId === datasetFeed.feed_id && dataset !== null ? dataset.plan(view) : plan(feedId, view)),
      ),
    async readPast(feedId, past, view) {
      const read = await readPast(feedId, past, view)
      const forgets = lacks(world, 'past values that the chain lacks')
      return alive('refusal' in read || !forgets ? read : { ...read, prints: new Map() })
    },
  }
}

function createPeers(world: World, index: number, isOver: () => boolean): Peers {
  const { names, clock, random, running, cutOff } = world
  const self = names[index] ?? ''
  const isWithholding = faultOf(world, index) === 'withholds'
  const isLost = (other: number) =>
    isOver() || cutOff.has(index) || cutOff.has(other) || (isRough(world) && random() < 0.05)
  return {
    members: names.filter((name) => name !== self),
    async send(member, transaction) {
      const other = names.indexOf(member)
      const { approvals } = transaction.Version1
      if (isWithholding && approvals[0]?.signer !== self) return never
      if (
        lacks(world, 'approvals to all') &&
        approvals[0]?.signer !== member &&
        approvals[0]?.signer !== self
      )
        return never
      if (isLost(other)) return never
      // A snapshot, as sent.
      const sent = {
        Version1: { ...transaction.Version1, approvals: isWithholding ? approvals.slice(0, 1) : approvals },
      }
      await clock.sleep(isFast(faultOf(world, index)) ? 30 + 70 * random() : 50 + 1_950 * random())
      const process = running[other]
      if (process === null || process === undefined) return never
      void process.moves?.receive(sent)
      const answer = await process.member.receive(sent)
      const { hash, approvals: given } = sent.Version1
      const leader = leaderOf(slotOf(termsOf(hash).timestamp), names)
      if (answer !== null && isTemporary(answer) && given.some(({ signer }) => signer === leader))
        process.refused.set(hash, clock.now())
      await clock.sleep(50 + 1_950 * random())
      return isLost(other) ? never : answer
    },
    sideOf: (member, _, root) =>
      createPeerSide(world, { index, other: names.indexOf(member), root, isOver, isLost }),
    announce(member, feedId, root) {
      const other = names.indexOf(member)
      if (isLost(other) || lacks(world, 'announcements')) return
      clock.after(50 + 1_950 * random(), () => {
        const process = running[other]
        if (process === null || process === undefined) return
        if (root === undefined) return void process.member.announced(feedId)
        process.dataset?.roots.note(feedId, self, root)
        process.moves?.roots?.announced(self, root)
      })
    },
  }
}

/** How long a member waits for an answer of another one. */
const TIMEOUT_MS = 20_000

interface PeerSide {
  /** The member that asks. */
  readonly index: number
  readonly other: number
  readonly root: Pick<AnnouncedRoot, 'root' | 'size'>
  readonly isOver: () => boolean
  readonly isLost: (other: number) => boolean
}

/** Returns the snapshot of another member, as that answers requests. */
function createPeerSide(world: World, { other, root, isOver, isLost }: PeerSide): Side {
  const { clock, random, running, names } = world
  const name = names[other] ?? ''
  async function answer(work: (side: Side) => Promise<Uint8Array>): Promise<Uint8Array> {
    if (isLost(other)) return never
    await clock.sleep(50 + 950 * random())
    const process = running[other]
    if (process === null || process === undefined) return never
    const side = process.moves?.roots?.openSide(root) ?? (await process.dataset?.openSide(root.root)) ?? null
    await clock.sleep(50 + 950 * random())
    if (side === null) throw new Error(`${name} does not have the snapshot ${root.root.slice(0, 8)}`)
    const bytes = await work(side)
    return isLost(other) ? never : bytes
  }
  const ask = (work: (side: Side) => Promise<Uint8Array>): Promise<Uint8Array> =>
    Promise.race([
      answer(work),
      clock.sleep(TIMEOUT_MS).then(() => {
        if (isOver()) return never
        throw new Error(`${name} does not answer`)
      }),
    ])
  return {
    ...{ name, ...root },
    digestsOf: (level, runs) => ask((side) => side.digestsOf(level, runs)),
    leavesOf: (indices) => ask((side) => side.leavesOf(indices)),
  }
}

/** Compares the chain with EIA's releases. */
function audit(world: World): Outcome {
  const { chain, eia, scenario, accused, repeated, unfounded, failures, script } = world
  const seen = new Set<string>()
  const wrong: string[] = []
  const doubled: string[] = []
  const all = [...eia.releases, ...eia.past]
  for (const entry of chain.entries) {
    const { feedId, period, amount, time, approvedBy } = entry
    if (feedId === datasetFeed.feed_id) continue
    const value = `${feedId} ${period} ${amount}`
    const text = `${Math.round((time - START) / 1_000)} s ${value} by ${approvedBy.join(' ')}`
    const isTrue = all.some(
      (each) =>
        each.feedId === feedId && each.period === period && each.amount === amount && each.time <= time,
    )
    if (!isTrue || hidesNewest(chain, entry)) wrong.push(text)
    if (seen.has(value) && !isRestated(chain, entry)) doubled.push(text)
    seen.add(value)
  }
  const isOnChain = ({ feedId, period }: Release) =>
    chain.entries.some((each) => each.feedId === feedId && each.period === period)
  const due = scenario.backfill === 'careful' ? all : eia.releases
  const missing = due.filter(
    (each) => !isOnChain(each) && (each.feedId !== DISPUTED || canAttestDisputed(scenario)),
  )
  const honest = scenario.members - (scenario.faults ?? []).filter((fault) => fault !== null).length
  return {
    wrong,
    doubled,
    accused,
    repeated,
    unfounded,
    unaware: listUnaware(world),
    missing: missing.map(({ feedId, period }) => `${feedId} ${period}`),
    latencies: listLatencies(world, Math.min(scenario.threshold, honest)),
    latenciesOfFirst: listLatencies(world, 1),
    roots: world.dataset && auditRoots(world.dataset, chain, START),
    groups: [...Map.groupBy(chain.entries, ({ hash }) => hash).values()].map(countFeeds),
    failures,
    script,
  }
}

const countFeeds = (entries: readonly ChainEntry[]): number =>
  new Set(entries.map(({ feedId }) => feedId)).size

/** Whether enough members have the feed that some may lack. */
const canAttestDisputed = ({ members, threshold, faults = [], lacking = [] }: Scenario): boolean =>
  lacking.length === 0 ||
  Array.from({ length: members }, (_, index) => index).filter(
    (index) => (faults[index] ?? null) === null && !lacking.includes(index),
  ).length >= threshold

/** Lists the times from the moment when some honest members have fetched a value to its block. */
function listLatencies({ chain, eia, fetched }: World, members: number): number[] {
  return eia.releases.flatMap((release) => {
    const times = [...(fetched.get(release)?.values() ?? [])].sort((a, b) => a - b)
    const from = times[members - 1]
    const entry = chain.entries.find(
      ({ feedId, period, amount }) =>
        feedId === release.feedId && period === release.period && amount === release.amount,
    )
    return from === undefined || entry === undefined ? [] : [Math.max(0, entry.time - from)]
  })
}

/** Lists the honest members without the evidence that another one has. */
function listUnaware(world: World): string[] {
  const honest = [...world.names.keys()].filter((index) => faultOf(world, index) === null)
  const known = honest.map((index) => ({ index, leaders: new Set(diskOf(world, index).convicted()) }))
  const all = new Set(known.flatMap(({ leaders }) => [...leaders]))
  return known.flatMap(({ index, leaders }) =>
    [...all].filter((leader) => !leaders.has(leader)).map((leader) => `${world.names[index]} of ${leader}`),
  )
}

const transactionOf = ({ entries }: ModelChain, { hash, feedId }: ChainEntry): readonly ChainEntry[] =>
  entries.filter((each) => each.hash === hash && each.feedId === feedId)

/** Whether a transaction ends with this value, and the feed has had a later period before. */
function hidesNewest(chain: ModelChain, entry: ChainEntry): boolean {
  if (transactionOf(chain, entry).at(-1) !== entry) return false
  const before = chain.entries.slice(0, chain.entries.indexOf(entry))
  return before.some(({ feedId, period }) => feedId === entry.feedId && period > entry.period)
}

/** Whether a transaction attests past values, and ends with this value, which was the feed's newest before. */
function isRestated(chain: ModelChain, entry: ChainEntry): boolean {
  const [first, ...others] = transactionOf(chain, entry)
  if (first === undefined || others.at(-1) !== entry) return false
  const before = chain.entries.slice(0, chain.entries.indexOf(first))
  const newest = before.findLast(({ feedId }) => feedId === entry.feedId)
  return newest?.period === entry.period && newest.amount === entry.amount
}
