import { isDeepStrictEqual } from 'node:util'
import { type Static, Type } from '@sinclair/typebox'
import pLimit from 'p-limit'
import { periodsBetween } from '../../eia/period.ts'
import { StateFileError } from '../../runtime/database.ts'
import type { Log } from '../../runtime/log.ts'
import { readJsonFile } from '../../runtime/readJsonFile.ts'
import { systemReason } from '../../runtime/systemReason.ts'
import { writeAtomically } from '../../runtime/writeAtomically.ts'
import { expectedPeriods, startOfGaps } from '../../status/gaps.ts'
import type { FeedConfig } from '../feeds/feedConfig.ts'

const Missing = Type.Object({
  /** The chain's newest period at the last poll. */
  latest: Type.Integer(),
  /** Periods that the agent requests at each poll, oldest first. */
  gaps: Type.Array(Type.Integer()),
  /** Periods that are too old for that, oldest first. */
  lost: Type.Array(Type.Integer()),
})
type Missing = Readonly<Static<typeof Missing>>

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
  note(feed: LostFeed, seen: SeenPeriods): Promise<void>
}

export interface LostPeriodsOptions {
  path: string
  log: Pick<Log, 'warn'>
  /** Called at each poll with all lost periods of the feed, and those that were not lost at the poll before. */
  onLost: (feed: LostFeed, lost: readonly number[], added: readonly number[]) => void
}

/** Opens the file of a state folder, which one process writes. @throws {StateFileError} */
export async function openLostPeriods({ path, log, onLost }: LostPeriodsOptions): Promise<LostPeriods> {
  const stored = await readJsonFile(path, {
    schema: Type.Record(Type.String(), Missing),
    kind: 'a file of missing periods',
    cure: 'remove the file; the agent then forgets which periods are lost',
    fail: (rule) => new StateFileError(path, rule),
  })
  const byFeed = new Map<string, Missing>(Object.entries(stored ?? {}))
  const oneAtATime = pLimit(1)
  const write = () => writeAtomically(path, `${JSON.stringify(Object.fromEntries(byFeed))}\n`)
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
    async note(feed, { latest, gaps, prints }) {
      const { feed_id, frequency } = feed
      const before = byFeed.get(feed_id) ?? { latest, gaps: [], lost: [] }
      const isExpected = expectedPeriods(frequency, new Set(prints.keys()))
      const lost = candidates(feed, latest).filter(
        (period) => !prints.has(period) && (period <= before.latest || isExpected(period)),
      )
      onLost(
        feed,
        lost,
        lost.filter((period) => !before.lost.includes(period)),
      )
      const missing = { latest, gaps: [...gaps], lost }
      if (isDeepStrictEqual(byFeed.get(feed_id), missing)) return
      byFeed.set(feed_id, missing)
      await oneAtATime(write).catch((error) =>
        log.warn(
          { path, reason: systemReason(error) },
          'cannot write the missing periods; they are in memory only',
        ),
      )
    },
  }
}
