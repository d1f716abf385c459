import type { Signer } from '@wattfeed/casper/transaction'
import { type DatasetConfig, type FeedConfig, isDataset } from '../../feeds/file/feedConfig.ts'
import type { Log } from '../../runtime/log.ts'
import type { Ballots } from '../committee/ballots.ts'
import type { Peers } from '../committee/memberState.ts'
import type { OpenMember } from '../committee/openMember.ts'
import { createCommitteeKeeper } from '../committee/roots/committeeKeeper.ts'
import { Convergence } from '../committee/roots/convergence.ts'
import { keepConverging } from '../committee/roots/keepConverging.ts'
import { MemberRoots } from '../committee/roots/memberRoots.ts'
import { recordRootEvent } from '../committee/roots/recordRootEvent.ts'
import type { RootEvent } from '../committee/roots/rootEvents.ts'
import { RootVote } from '../committee/roots/rootVote.ts'
import type { DatasetKeeper } from '../datasets/datasetKeeper.ts'
import type { Report } from '../events.ts'
import type { CommitteeWatch } from '../monitor/committeeWatch.ts'
import { openAnnouncedRoots } from '../state/announcedRoots.ts'
import type { OpenAgent } from './openAgent.ts'
import type { Platform } from './platform.ts'

/** What a member does with the roots of datasets. */
export interface JoinedRoots {
  readonly roots: MemberRoots
  /** Call it once the member is open. */
  join(parts: RootParts): RootWork
}

interface RootParts {
  readonly member: OpenMember
  readonly peers: Peers
  readonly ballots: Ballots
  /** How long a dataset waits for the committee. */
  readonly patienceMs: number
  /** Whether the dataset is read again after an error. */
  readonly readsAgain: boolean
  readonly stop: AbortSignal
}

/** What makes snapshots equal, waits for roots, and takes snapshots. */
export interface RootWork {
  /** Works until the agent stops. */
  converge(): Promise<void>
  readonly rootVote: RootVote
  readonly keeper: DatasetKeeper
}

export interface JoinRootsOptions {
  agent: Pick<OpenAgent, 'keeper' | 'state'>
  signer: Pick<Signer, 'keyHash'>
  feeds: () => readonly FeedConfig[]
  platform: Pick<Platform, 'now' | 'steadyNow' | 'random' | 'wait'>
  log: Pick<Log, 'warn'>
  report: Report
  watch: Pick<CommitteeWatch, 'hear'>
  nameOf: (keyHash: string) => string
}

/** Opens the roots that members hold, and stores what they announce. @throws {StateFileError} */
export function joinRoots(options: JoinRootsOptions): JoinedRoots {
  const { agent, signer, platform, log, report, watch, nameOf } = options
  const { now, steadyNow = now, random, wait } = platform
  const { keyHash } = signer
  const datasets = () => options.feeds().filter(isDataset)
  const feedIds = () => datasets().map(({ feed_id }) => feed_id)
  const stored = openAnnouncedRoots(agent.state, { feedIds, now, log })
  const onEvent = (event: RootEvent): void => {
    watch.hear(event)
    recordRootEvent(event, { roots: stored, nameOf })
  }
  const roots = new MemberRoots({ datasets, keyHash, now: steadyNow, onEvent })
  const about = ({ feed_id }: DatasetConfig, key: string | null, err: Error) => ({
    feed_id,
    member: key === null ? null : nameOf(key),
    err,
  })
  return {
    roots,
    join({ member, peers, ballots, patienceMs, readsAgain, stop }) {
      const keys = () => member.newestView()?.keys ?? null
      const convergence = new Convergence({
        ...{ roots, peers, now, wait, random, stop, onEvent },
        keeper: agent.keeper,
        onChanged: ({ feed_id }) => member.member.found(feed_id),
        onBehind: ({ feed_id }) => void report({ event: 'dataset_behind', feedId: feed_id }),
        onFailed: (...failure) =>
          log.warn(about(...failure), 'cannot compare the snapshot of a dataset with those of members'),
      })
      return {
        converge: () => keepConverging({ convergence, roots, peers, keys, wait, stop }),
        rootVote: new RootVote({
          ...{ roots, ballots, convergence, keys, nameOf, patienceMs, readsAgain, now, steadyNow, stop },
        }),
        keeper: createCommitteeKeeper(agent.keeper, {
          ...{ roots, peers, steadyNow },
          onNotFetched: (...failure) =>
            log.warn(about(...failure), 'cannot fetch the newest snapshot from a member'),
        }),
      }
    },
  }
}
