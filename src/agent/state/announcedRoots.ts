import type { StateFile } from '@wattfeed/base/disk'
import type { Log } from '../../runtime/log.ts'
import type { AgentState } from './openState.ts'

/** The root of a dataset that a member holds, as it has announced it. */
export interface AnnouncedRoot {
  /** 64 hex digits. */
  readonly root: string
  /** Number of values. */
  readonly size: number
  /** The newest period, as on chain. */
  readonly period: number
  /** When the member began to read it from EIA, in epoch milliseconds of its clock. */
  readonly began: number
}

/** What a comparison of two members' snapshots has found. */
interface RootDifference {
  /** 64 hex digits each. */
  readonly ownRoot: string
  readonly otherRoot: string
  /** The first value that differs, for people. */
  readonly first: string
}

/** The roots that members of a committee have announced, for `agent status`, which is another process. */
export interface AnnouncedRoots {
  /**
   * Stores what a member has announced; null if it holds no root any more. Call it for each announcement, also the repeated ones. It
   * writes only if the root is another one, or the stored one is old. It does not write twice in a few seconds. Never throws.
   *
   * @param member - its name in the members file
   */
  note(feedId: string, member: string, held: AnnouncedRoot | null): void
  /** Stores where the snapshot of a member first differs from this member's, until one of both holds another root. Never throws. */
  noteDifference(feedId: string, member: string, difference: RootDifference): void
}

/** How old a stored root may be while its member announces it again and again. */
const MAX_AGE_MS = 5 * 60_000

/** Between two writes for a member and a feed, so that nobody can keep the disk busy. Members announce again in 20 s. */
const MIN_AGE_MS = 10_000

/**
 * Opens the announced roots of a destination, which one process writes. What an earlier process has stored is removed: after a start, no
 * member is known to hold anything.
 *
 * @throws {StateFileError}
 */
export function openAnnouncedRoots(
  state: AgentState,
  options: {
    /** The datasets of the feeds file. Others are not stored, so that nobody can fill the disk. */
    feedIds: () => readonly string[]
    /** Epoch milliseconds. */
    now: () => number
    log: Pick<Log, 'warn'>
  },
): AnnouncedRoots {
  const { feedIds, now, log } = options
  const { file } = state
  file.write(() => removeOthers(state, []))
  const stored = new Map<string, { readonly root: string; readonly at: number }>()
  const write = (work: () => void): void => {
    const error = file.writeLater(() => {
      removeOthers(state, feedIds())
      work()
    })
    if (error !== null)
      log.warn({ reason: error.message }, 'cannot write what members have announced; "agent status" is old')
  }

  return {
    note(feedId, member, held) {
      const key = JSON.stringify([feedId, member])
      const before = stored.get(key) ?? null
      const ageMs = before === null ? Number.POSITIVE_INFINITY : Math.abs(now() - before.at)
      if (held !== null && ageMs < (held.root === before?.root ? MAX_AGE_MS : MIN_AGE_MS)) return
      if ((held === null && before === null) || !feedIds().includes(feedId)) return
      if (held === null) stored.delete(key)
      else stored.set(key, { root: held.root, at: now() })
      write(() => {
        if (before !== null && before.root !== held?.root) removeDifferences(state, feedId, before.root)
        if (held === null) removeRoot(state, feedId, member)
        else writeRoot(state, { feedId, member, at: now(), ...held })
      })
    },
    noteDifference(feedId, member, difference) {
      if (feedIds().includes(feedId)) write(() => writeDifference(state, { feedId, member, ...difference }))
    },
  }
}

/** Removes the rows of all other feeds. */
function removeOthers({ file: { database }, destinationId }: AgentState, feedIds: readonly string[]): void {
  for (const table of ['announced_root', 'root_difference'])
    database
      .query(
        `DELETE FROM ${table} WHERE destination_id = ? AND feed_id NOT IN (SELECT value FROM json_each(?))`,
      )
      .run(destinationId(), JSON.stringify(feedIds))
}

function removeRoot({ file: { database }, destinationId }: AgentState, feedId: string, member: string): void {
  database
    .query('DELETE FROM announced_root WHERE destination_id = ? AND feed_id = ? AND member = ?')
    .run(destinationId(), feedId, member)
}

/** Removes what comparisons with a root have found. */
function removeDifferences(
  { file: { database }, destinationId }: AgentState,
  feedId: string,
  root: string,
): void {
  database
    .query(
      'DELETE FROM root_difference WHERE destination_id = ? AND feed_id = ? AND ? IN (own_root, other_root)',
    )
    .run(destinationId(), feedId, root)
}

interface OfMember {
  readonly feedId: string
  readonly member: string
}

function writeRoot(
  { file: { database }, destinationId }: AgentState,
  { feedId, member, root, size, period, began, at }: OfMember & AnnouncedRoot & { readonly at: number },
): void {
  database
    .query(
      `INSERT OR REPLACE INTO announced_root (destination_id, feed_id, member, root, size, period, began, at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(destinationId(), feedId, member, root, size, period, began, at)
}

function writeDifference(
  { file: { database }, destinationId }: AgentState,
  { feedId, member, ownRoot, otherRoot, first }: OfMember & RootDifference,
): void {
  database
    .query(
      `INSERT OR REPLACE INTO root_difference (destination_id, feed_id, member, own_root, other_root, first)
        VALUES (?, ?, ?, ?, ?, ?)`,
    )
    .run(destinationId(), feedId, member, ownRoot, otherRoot, first)
}

/** Where a row belongs to, as the columns of `destination`. */
interface Place {
  chain_name: string
  contract: string
  account: string
  feed_id: string
  /** Its name in the members file. */
  member: string
}

/** A row of `announced_root`, with times as ISO 8601. */
export interface AnnouncedRootRow extends Place {
  root: string
  size: number
  period: number
  /** When the member began to read it from EIA. */
  began: string
  /** When this member heard it. */
  heard_at: string
}

/** A row of `root_difference`. */
export interface RootDifferenceRow extends Place {
  own_root: string
  other_root: string
  first: string
}

const PLACE = 'chain_name, contract, account, feed_id, member'

/** Lists what all members have announced to the accounts of a file. */
export const listAnnouncedRoots = ({ database }: Pick<StateFile, 'database'>): AnnouncedRootRow[] =>
  database
    .query<Omit<AnnouncedRootRow, 'began' | 'heard_at'> & { began: number; at: number }, []>(
      `SELECT ${PLACE}, root, size, period, began, at
        FROM announced_root JOIN destination ON destination.id = destination_id ORDER BY feed_id, member`,
    )
    .all()
    .map(({ began, at, ...row }) => ({ ...row, began: timeText(began), heard_at: timeText(at) }))

const timeText = (time: number): string => new Date(time).toISOString()

/** Lists where the snapshots of members differ from this member's. */
export const listRootDifferences = ({ database }: Pick<StateFile, 'database'>): RootDifferenceRow[] =>
  database
    .query<RootDifferenceRow, []>(
      `SELECT ${PLACE}, own_root, other_root, first
        FROM root_difference JOIN destination ON destination.id = destination_id ORDER BY feed_id, member`,
    )
    .all()
