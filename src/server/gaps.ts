import type { Client, Reading, Reads } from '../client/index.ts'
import { GAP_LIMIT, listGaps, type NewestValues, reachesAllGaps } from '../status/gaps.ts'

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

/** Number of values to read at a time if the newest {@link GAP_LIMIT} are not enough. */
const CHUNK = 20

/** Reads the newest values of a feed, as many as its gaps depend on. */
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

/** Creates an empty cache of gaps. */
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
