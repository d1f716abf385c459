import type { Client, Reading, Reads } from '../../client/index.ts'
import { listGaps } from '../../status/gaps.ts'
import type { NewestValuesReader } from './newestValues.ts'

/** The gaps of feeds: periods without a value on chain. They only change with a feed's values, so they are read once per reading. */
export interface Gaps {
  /** Returns a feed's gaps, oldest first, and reads them if necessary; null if its history cannot be read. */
  read(at: Reads, reading: Reading): Promise<readonly number[] | null>
  /** Returns a feed's gaps; null if they are not read yet. */
  peek(reading: Reading): readonly number[] | null
  /** Reads missing gaps in the background, of a limited number of feeds. */
  fill(readings: readonly Reading[]): void
}

/** Maximum number of feeds per background read, which makes at least 60 calls per feed. */
const MAX_FILLED = 50

export interface GapsOptions {
  client: Pick<Client, 'withSnapshot'>
  newest: Pick<NewestValuesReader, 'read'>
}

export function createGaps({ client, newest }: GapsOptions): Gaps {
  const known = new WeakMap<Reading, readonly number[]>()
  let isFilling = false

  async function readAll(at: Reads, reading: Reading): Promise<readonly number[]> {
    const gaps = listGaps(reading.frequency, await newest.read(at, reading))
    known.set(reading, gaps)
    return gaps
  }

  const gaps: Gaps = {
    peek: (reading) => known.get(reading) ?? null,
    // Gaps are advice, so a failure is not an error here. The history endpoint reports it.
    read: async (at, reading) => known.get(reading) ?? readAll(at, reading).catch(() => null),
    fill(readings) {
      const unknown = readings.filter((reading) => !known.has(reading)).slice(0, MAX_FILLED)
      if (isFilling || unknown.length === 0) return
      isFilling = true
      void readEach(unknown).finally(() => {
        isFilling = false
      })
    },
  }

  async function readEach(readings: readonly Reading[]): Promise<void> {
    for (const { feed_id } of readings)
      await client
        .withSnapshot(async (at) => {
          const reading = await at.getReading(feed_id)
          if (reading !== null) await gaps.read(at, reading)
        })
        .catch(() => null)
  }

  return gaps
}
