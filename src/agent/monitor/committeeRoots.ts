import type { Log } from '../../runtime/log.ts'
import type { ToldRoot } from '../committee/http/messages.ts'
import { formatFirstDifference, type RootEvent } from '../committee/roots/rootEvents.ts'
import { LIFETIME_MS } from '../committee/slot.ts'
import type { AnnouncedRoot } from '../state/announcedRoots.ts'
import type { CommitteeMetrics } from './committeeMetrics.ts'

/** What is known about the roots of a dataset. Members are named as in the members file. */
interface DatasetFacts {
  /** Null while this member holds none. */
  own: AnnouncedRoot | null
  /** By member; when each was heard last, in epoch milliseconds. */
  readonly others: Map<string, { readonly root: AnnouncedRoot; readonly heardAt: number }>
  /** Null while enough members hold this member's root. */
  differing: DifferingRoots | null
}

interface DifferingRoots {
  /** Epoch milliseconds. */
  readonly since: number
  /** The members whose roots differ from this member's. */
  readonly members: readonly string[]
  /** Whether enough of them hold one and the same root. */
  readonly othersAgree: boolean
  /** The first value that differs, for people; null if it is not known. */
  readonly first: string | null
  isWarned: boolean
}

/** The datasets of a committee by feed id. */
export type RootFacts = Map<string, DatasetFacts>

/** How long members may differ: after a release, EIA may answer each of them differently for a while. */
const DIFFERING_MS = 2 * 3_600_000

interface Noting {
  readonly roots: RootFacts
  /** The other members' keys. */
  readonly members: readonly string[]
  readonly nameOf: (keyHash: string) => string
  readonly metrics: Pick<CommitteeMetrics, 'converged'>
  readonly log: Pick<Log, 'info'>
  /** Epoch milliseconds. */
  readonly now: () => number
}

/** Notes what a member reports about roots. Logs when members begin and end to differ, and what they ask EIA again. */
export function noteRootEvent(event: RootEvent, noting: Noting): void {
  const { nameOf, metrics, log } = noting
  const { feedId, feedId: feed_id } = event
  const dataset = datasetOf(noting.roots, feedId)
  if (event.event === 'root_announced') noteRoot(dataset, event, noting)
  else if (event.event === 'converged') {
    const { round, asked, isChanged, others } = event
    metrics.converged(feedId, asked)
    const members = others.map(nameOf)
    log.info(
      { feed_id, round, asked, changed: isChanged, members },
      'values on which members differ were asked for again',
    )
  } else if (event.event === 'roots_differ') {
    const members = event.members.map(nameOf)
    const first = event.first === null ? null : formatFirstDifference(event.first, nameOf)
    if (dataset.differing === null)
      log.info({ feed_id, members, first }, 'members hold different roots of a dataset')
    const isWarned = dataset.differing?.isWarned ?? false
    const { since, othersAgree } = event
    dataset.differing = { since, members, othersAgree, first, isWarned }
  } else {
    if (dataset.differing !== null) log.info({ feed_id }, 'members agree on a root again')
    dataset.differing = null
  }
}

function datasetOf(roots: RootFacts, feedId: string): DatasetFacts {
  const known = roots.get(feedId)
  if (known !== undefined) return known
  const dataset: DatasetFacts = { own: null, others: new Map(), differing: null }
  roots.set(feedId, dataset)
  return dataset
}

function noteRoot(
  dataset: DatasetFacts,
  { member, root }: Extract<RootEvent, { event: 'root_announced' }>,
  { members, nameOf, now }: Noting,
): void {
  if (!members.includes(member)) dataset.own = root
  else if (root !== null) dataset.others.set(nameOf(member), { root, heardAt: now() })
}

/** Returns the datasets of which too few have held this member's root for too long. */
export const listDisagreed = (roots: RootFacts, now: number): [feedId: string, DifferingRoots][] =>
  [...roots].flatMap(([feedId, { differing }]) =>
    differing === null || now - differing.since < DIFFERING_MS ? [] : [[feedId, differing]],
  )

/** Warns once of each dataset on which members have differed for too long. */
export function warnOfDisagreed(roots: RootFacts, now: number, log: Pick<Log, 'warn'>): void {
  for (const [feed_id, differing] of listDisagreed(roots, now)) {
    if (differing.isWarned) continue
    differing.isWarned = true
    const { since, members, othersAgree, first } = differing
    const fields = { feed_id, since: new Date(since), members, first }
    if (othersAgree) log.warn(fields, 'this member has held another root than enough others for two hours')
    else log.warn(fields, 'members have not agreed on a root for two hours')
  }
}

/** Of all texts, so that the answer with the roots is never too large for those who read it. */
const MAX_TOLD_BYTES = 49_152
/** Differences are long, and must not take the place of roots. */
const MAX_TOLD_DIFFERENCES = 10

/** Lists the roots that this member holds, as it tells them to others. */
export function listOwnRoots(roots: RootFacts): ToldRoot[] {
  let differences = 0
  const told = [...roots].flatMap(([feed_id, { own, differing }]): ToldRoot[] => {
    if (own === null) return []
    const first = differing?.first ?? null
    if (first === null || ++differences > MAX_TOLD_DIFFERENCES) return [{ feed_id, ...own }]
    return [{ feed_id, ...own, differs: first }]
  })
  let bytes = 0
  return told.filter((each) => {
    bytes += Buffer.byteLength(JSON.stringify(each))
    return bytes <= MAX_TOLD_BYTES
  })
}

/**
 * Returns for each dataset and each other member whether it holds the same root as this one. None if one of both holds none, or the other
 * one is silent.
 */
export const equalRoots = (
  roots: RootFacts,
  now: number,
): [labels: Record<string, string>, isEqual: 0 | 1][] =>
  [...roots].flatMap(([feed_id, { own, others }]) =>
    [...others].flatMap(([member, { root, heardAt }]): [Record<string, string>, 0 | 1][] =>
      own === null || now - heardAt > LIFETIME_MS
        ? []
        : [[{ feed_id, member }, root.root === own.root ? 1 : 0]],
    ),
  )
