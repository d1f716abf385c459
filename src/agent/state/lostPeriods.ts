import { isDeepStrictEqual } from 'node:util'
import { periodsBetween } from '@wattfeed/eia'
import type { FeedConfig } from '../../feeds/file/feedConfig.ts'
import { expectedPeriods, startOfGaps } from '../../feeds/status/gaps.ts'
import type { Log } from '../../runtime/log.ts'
import type { Report } from '../events.ts'
import type { AgentState } from './openState.ts'

interface Missing {
  /** The chain's newest period at the last poll. */
  readonly latest: number
  /** Periods that the agent requests at each poll, oldest first. */
  readonly gaps: readonly number[]
  /** Periods that are too old for that, oldest first. */
  readonly lost: readonly number[]
}

type LostFeed = Pick<FeedConfig, 'feed_id' | 'frequency'>

/** The chain's values of a feed, as a poll has read them. */
export interface SeenPeriods {
  /** The newest period. */
  readonly latest: number
  /** Missing periods that the agent requests, oldest first. */
  readonly gaps: readonly number[]
  /** The values that were read, by period. */
  readonly prints: ReadonlyMap<number, unknown>
}

/** Stores the missing periods of feeds on disk, so that none disappears when it is too old to be requested. */
export interface LostPeriods {
  /** Returns the periods that were lost at the last poll, oldest first. */
  list(feedId: string): readonly number[]
  /**
   * Returns the periods that are lost unless the chain has them, oldest first. These are the lost ones, gaps that are too old,
   * and periods that a much newer one passed before they were gaps.
   */
  candidates(feed: LostFeed, latest: number): readonly number[]
  /** Moves periods that are too old to the lost ones, and forgets those that are on chain. Never throws. */
  note(feed: LostFeed, seen: SeenPeriods): void
}

/** Opens the missing periods of a destination, which one process writes. @throws {StateFileError} */
export function openLostPeriods(state: AgentState, log: Pick<Log, 'warn'>, report: Report): LostPeriods {
  const byFeed = readMissing(state)
  const list = (feedId: string) => byFeed.get(feedId)?.lost ?? []

  function candidates({ feed_id, frequency }: LostFeed, latest: number): readonly number[] {
    const before = byFeed.get(feed_id)
    const start = startOfGaps(frequency, latest)
    if (before === undefined || start === null) return list(feed_id)
    const { lost, gaps } = before
    const isOld = (period: number) => period < start
    return [...lost, ...gaps.filter(isOld), ...periodsBetween(frequency, before.latest, start)]
  }

  return {
    list,
    candidates,
    note(feed, { latest, gaps, prints }) {
      const { feed_id, frequency } = feed
      const before = byFeed.get(feed_id) ?? { latest, gaps: [], lost: [] }
      const isExpected = expectedPeriods(frequency, new Set(prints.keys()))
      const lost = candidates(feed, latest).filter(
        (period) => !prints.has(period) && (period <= before.latest || isExpected(period)),
      )
      const added = lost.filter((period) => !before.lost.includes(period))
      void report({ event: 'lost', feed, lost, added })
      const missing = { latest, gaps: [...gaps], lost }
      if (isDeepStrictEqual(byFeed.get(feed_id), missing)) return
      byFeed.set(feed_id, missing)
      const error = state.file.writeLater(() => writeMissing(state, feed_id, missing))
      if (error !== null)
        log.warn({ reason: error.message }, 'cannot write the missing periods; they are in memory only')
    },
  }
}

function readMissing({ file, destinationId }: AgentState): Map<string, Missing> {
  const rows = file.read(() =>
    file.database
      .query<{ feed_id: string; latest: number; gaps: string; lost: string }, [number]>(
        'SELECT feed_id, latest, gaps, lost FROM missing_periods WHERE destination_id = ?',
      )
      .all(destinationId()),
  )
  return new Map(
    rows.map(({ feed_id, latest, gaps, lost }) => [
      feed_id,
      { latest, gaps: JSON.parse(gaps), lost: JSON.parse(lost) },
    ]),
  )
}

/** Replaces the missing periods of a feed. Call it in a database transaction. */
function writeMissing({ file, destinationId }: AgentState, feedId: string, missing: Missing): void {
  const { latest, gaps, lost } = missing
  file.database
    .query(
      'INSERT OR REPLACE INTO missing_periods (destination_id, feed_id, latest, gaps, lost) VALUES (?, ?, ?, ?, ?)',
    )
    .run(destinationId(), feedId, latest, JSON.stringify(gaps), JSON.stringify(lost))
}
