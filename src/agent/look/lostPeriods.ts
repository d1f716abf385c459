import { isDeepStrictEqual } from 'node:util'
import { type Static, Type } from '@sinclair/typebox'
import pLimit from 'p-limit'
import type { Log } from '../../runtime/log.ts'
import { readJsonFile } from '../../runtime/readJsonFile.ts'
import { systemReason } from '../../runtime/systemReason.ts'
import { writeAtomically } from '../../runtime/writeAtomically.ts'
import { startOfGaps } from '../../status/gaps.ts'
import type { FeedConfig } from '../feeds/feedConfig.ts'
import { StateFileError } from '../send/settledBlocks.ts'

const Missing = Type.Object({
  /** Periods that the agent requests at each poll, oldest first. */
  gaps: Type.Array(Type.Integer()),
  /** Periods that are too old for that, oldest first. */
  lost: Type.Array(Type.Integer()),
})
type Missing = Readonly<Static<typeof Missing>>

type LostFeed = Pick<FeedConfig, 'feed_id' | 'frequency'>

/** Stores the gaps of feeds on disk, so that none disappears when it is too old to be requested. */
export interface LostPeriods {
  /** Returns the lost periods of a feed, oldest first. */
  list(feedId: string): readonly number[]
  /** Moves gaps that are too old to the lost periods, and forgets those that are on chain. Never throws. */
  note(
    feed: LostFeed,
    seen: { latest: number; gaps: readonly number[]; prints: ReadonlyMap<number, unknown> },
  ): Promise<void>
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

  return {
    list,
    async note(feed, { latest, gaps, prints }) {
      const { feed_id, frequency } = feed
      const before = byFeed.get(feed_id) ?? { gaps: [], lost: [] }
      const start = startOfGaps(frequency, latest) ?? 0
      const lost = [...before.lost, ...before.gaps].filter((period) => period < start && !prints.has(period))
      onLost(
        feed,
        lost,
        lost.filter((period) => !before.lost.includes(period)),
      )
      if (isDeepStrictEqual(before, { gaps, lost })) return
      byFeed.set(feed_id, { gaps: [...gaps], lost })
      if (gaps.length + lost.length === 0) byFeed.delete(feed_id)
      await oneAtATime(write).catch((error) =>
        log.warn(
          { path, reason: systemReason(error) },
          'cannot write the missing periods; they are in memory only',
        ),
      )
    },
  }
}
