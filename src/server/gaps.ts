import type { Client, Reading, Reads } from '../client/index.ts'
import { GAP_LIMIT, listGaps, type NewestValues, reachesAllGaps } from '../status/gaps.ts'

/** Which periods feeds lack on chain. They depend on a feed's newest values only, so they are read once for each reading. */
export interface Gaps {
  /** Reads a feed's gaps, oldest first, unless they are known; null if its history cannot be read. */
  read(at: Reads, reading: Reading): Promise<readonly number[] | null>
  /** Returns a feed's gaps if they are known, else null. */
  peek(reading: Reading): readonly number[] | null
  /** Reads gaps that are not known in the background, of so many feeds that a request for thousands stays cheap. */
  fill(readings: readonly Reading[]): void
}

/** Feeds of one background read, which makes at least 60 calls for each of them. */
const MAX_FILLED = 50

/** How many values are read at once where the newest {@link GAP_LIMIT} are not enough. */
const CHUNK = 20

/** Reads as many of a feed's newest values as tell its gaps. */
async function readNewestValues(at: Reads, { feed_id, frequency }: Reading): Promise<NewestValues> {
  const count = await at.getValueCount(feed_id)
  const valuesFrom = (from: number, to: number) => at.getValueHistory(feed_id, { from, to })
  let from = Math.max(0, count - GAP_LIMIT)
  let values = await valuesFrom(from, count)
  while (!reachesAllGaps(frequency, { values, isWhole: from === 0 })) {
    const to = from
    from = Math.max(0, to - CHUNK)
    values = [...(await valuesFrom(from, to)), ...values]
  }
  return { values, isWhole: from === 0 }
}

/** Creates gaps of which nothing is known yet. */
export function createGaps(client: Pick<Client, 'withSnapshot'>): Gaps {
  const known = new WeakMap<Reading, readonly number[]>()
  let isFilling = false

  async function readAll(at: Reads, reading: Reading): Promise<readonly number[]> {
    const gaps = listGaps(reading.frequency, await readNewestValues(at, reading))
    known.set(reading, gaps)
    return gaps
  }

  const gaps: Gaps = {
    peek: (reading) => known.get(reading) ?? null,
    // Advice: a history that cannot be read is the matter of its own endpoint.
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
