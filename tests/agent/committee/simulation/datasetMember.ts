import type { Side } from '@wattfeed/dataset/compare'
import type { Reads } from 'wattfeed'
import type { AccountKeys } from '../../../../src/agent/committee/accountKeys.ts'
import { Ballots } from '../../../../src/agent/committee/ballots.ts'
import type { CommitteeMember } from '../../../../src/agent/committee/member.ts'
import type { MemberEvent, MemberView, Peers } from '../../../../src/agent/committee/memberState.ts'
import { createCommitteeKeeper } from '../../../../src/agent/committee/roots/committeeKeeper.ts'
import { Convergence } from '../../../../src/agent/committee/roots/convergence.ts'
import { keepConverging } from '../../../../src/agent/committee/roots/keepConverging.ts'
import { MemberRoots } from '../../../../src/agent/committee/roots/memberRoots.ts'
import { planRoot } from '../../../../src/agent/committee/roots/planRoot.ts'
import type { RootEvent } from '../../../../src/agent/committee/roots/rootEvents.ts'
import { RootsDifferError, RootVote } from '../../../../src/agent/committee/roots/rootVote.ts'
import type { DatasetKeeper } from '../../../../src/agent/datasets/datasetKeeper.ts'
import { pollDataset } from '../../../../src/agent/datasets/pollDataset.ts'
import type { View } from '../../../../src/agent/look/view.ts'
import type { FeedPlan, PlannedFeed } from '../../../../src/agent/plan/plan.ts'
import { feedMetadata } from '../../../../src/feeds/file/feedConfig.ts'
import { asError } from '../../../../src/runtime/asError.ts'
import { createFakeEia, observeSettings, owner } from '../../run/fakes.ts'
import type { ModelChain } from './chain.ts'
import type { Clock } from './clock.ts'
import { createModelKeeper, type ModelKeeperOptions } from './datasetKeeper.ts'
import { datasetFeed } from './datasetLeaves.ts'

export interface DatasetMemberOptions extends Omit<ModelKeeperOptions, 'name'> {
  readonly clock: Clock
  readonly chain: ModelChain
  readonly name: string
  readonly keys: AccountKeys
  /** The machine's clock. */
  readonly now: () => number
  /** How long it waits between two readings, about. */
  readonly pollMs: number
  /** Reads the newest block. */
  readonly readBlock: () => Promise<MemberView['block']>
  /** Whether it signs a root that it has just got. */
  readonly signsAtOnce: boolean
  readonly onEvent: (event: RootEvent) => void
  /** Called when a reading, a comparison or an attestation has failed. */
  readonly onFailure: (error: Error) => void
}

/** What a member's process does for a dataset, besides the protocol. */
export interface DatasetMember {
  readonly roots: MemberRoots
  plan(view: MemberView): Promise<FeedPlan>
  openSide(root: string): Promise<Side | null>
  hear(event: MemberEvent): void
  /** Reads, attests and converges, as the agent does, until the process is killed. */
  run(member: CommitteeMember, peers: Peers): void
}

const registered = feedMetadata(datasetFeed)

/** How long the agent waits for the committee. */
const PATIENCE_MS = 600_000
/** The least time between the end of a reading, or of an attestation, and the next reading. */
const MIN_PAUSE_MS = 1_000
/** How long it waits after a first failure. */
const BACK_OFF_MS = 30_000

/** Creates a process's part for the dataset, from the agent's own code on a model of EIA. */
export function createDatasetMember(options: DatasetMemberOptions): DatasetMember {
  const { clock, random, name, keys, now, pollMs, readBlock, alive, onEvent, onFailure } = options
  const roots = new MemberRoots({ datasets: () => [datasetFeed], keyHash: name, now, onEvent })
  const keeper = createModelKeeper(options)
  const stop = new AbortController().signal
  const settings = observeSettings({ eia: createFakeEia(() => []).eia, now, stop })
  const wait = async (ms: number) => alive(await clock.sleep(ms))
  const ballots = new Ballots({
    nameOf: (key) => key,
    keyHash: name,
    unready: () => null,
    patienceMs: PATIENCE_MS,
    wait,
    stop,
  })

  const viewOf = (block: MemberView['block']): View => {
    const values = options.chain.entries
      .filter(({ feedId, height }) => feedId === datasetFeed.feed_id && height <= block.height)
      .map((entry) => ({ ...entry, attester: owner, timestamp: entry.time }))
    const at: Pick<Reads, 'getFeed' | 'getValue' | 'getValueCount' | 'getValueHistory' | 'getClaimant'> = {
      getFeed: async () => registered,
      getValue: async () => values.at(-1) ?? null,
      getValueCount: async () => values.length,
      getValueHistory: async (_, { from = 0, to } = {}) => values.slice(from, to),
      getClaimant: async () => owner,
    }
    return { block, at: at as Reads, settled: new Map() }
  }
  const openView = async () => viewOf(await readBlock())

  /** Attests what the dataset's snapshot has, as the committee's outbox does. */
  async function attest(plan: PlannedFeed, member: CommitteeMember, rootVote: RootVote): Promise<void> {
    const { feedId, height, latest, steps } = plan
    for (const values of steps) {
      member.found(feedId)
      await alive(await rootVote.wait(datasetFeed, { feedId, height, latest, values }))
    }
  }

  async function poll(member: CommitteeMember, rootVote: RootVote, reading: DatasetKeeper): Promise<void> {
    for (let failures = 0; ; ) {
      const startedAt = clock.now()
      const plan = await alive(await pollDataset(datasetFeed, { settings, openView, keeper: reading }))
      const error = plan.error ?? (await attest(plan, member, rootVote).then(() => null, asError))
      if (error !== null) onFailure(error)
      const backOffMs = error instanceof RootsDifferError ? error.waitMs : BACK_OFF_MS * 2 ** failures
      const jitter = 0.9 + 0.2 * random()
      const dueAt = startedAt + pollMs * jitter
      const retriedAt = error === null ? dueAt : Math.min(dueAt, clock.now() + backOffMs * jitter)
      failures = error === null ? 0 : failures + 1
      await wait(Math.max(MIN_PAUSE_MS, retriedAt - clock.now()))
    }
  }

  if (options.signsAtOnce) roots.holdMs = () => 0
  return {
    roots,
    plan: async ({ block }) =>
      planRoot(datasetFeed, viewOf(block), {
        ...{ roots, keeper, acceptsShrunk: false },
        settings,
      }),
    openSide: (root) => keeper.openSide(datasetFeed, root),
    // What it delivers is told as its end, because model keys have no account hash.
    hear: (event) => void (event.event === 'delivered' || ballots.hear(event)),
    run(member, peers) {
      const convergence = new Convergence({
        ...{ roots, keeper, peers, now, wait, random, stop, onEvent },
        onChanged: ({ feed_id }) => member.found(feed_id),
        // The next reading is near.
        onBehind: () => {},
        onFailed: (_feed, _member, error) => onFailure(error),
      })
      const rootVote = new RootVote({
        ...{ roots, ballots, convergence, now, stop },
        steadyNow: clock.now,
        keys: () => keys,
        nameOf: (key) => key,
        readsAgain: true,
        patienceMs: PATIENCE_MS,
      })
      const reading = createCommitteeKeeper(keeper, {
        roots,
        peers,
        steadyNow: clock.now,
        onNotFetched: (_feed, _member, error) => onFailure(error),
      })
      void keepConverging({ convergence, roots, peers, wait, stop, keys: () => keys })
      void poll(member, rootVote, reading)
    },
  }
}
