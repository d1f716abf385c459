import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import type { Attestation, Client, Reading, Reads } from 'wattfeed'
import {
  GAP_LIMIT,
  listGaps,
  MAX_GAP_VALUES,
  type NewestValues,
  reachesAllGaps,
} from '../../feeds/status/gaps.ts'
import { HistoryBusyError } from './historyWalks.ts'

/** The newest values of a feed, as many as its gaps depend on. */
export interface NewestOfFeed extends NewestValues {
  readonly values: readonly Pick<Attestation, 'period' | 'amount' | 'timestamp'>[]
  /** Number of values ever attested to the feed; the last one has the index `count` - 1. */
  readonly count: number
}

/** Number of feeds in the cache. One takes about 10 kB. */
const MAX_CACHED = 1_000

/** Number of feeds to read at a time, and the most that wait. */
const MAX_READ = 4
const MAX_WAITING = 64

/** Number of values to read at a time if the newest {@link GAP_LIMIT} are not enough. */
const CHUNK = 20

/** Maximum number of feeds per background read, which makes at least 60 calls per feed. */
const MAX_FILLED = 50

/**
 * The newest values of the most recently used feeds, and the gaps among them: periods without a value on chain. Both only change
 * with a feed's values, so they are read once per reading.
 */
export interface NewestValuesReader {
  /**
   * Returns the newest values of a feed. If the feed has changed since the last read, only the new values are read.
   *
   * @throws {HistoryBusyError} when too many feeds are waiting.
   */
  read(at: Reads, reading: Reading): Promise<NewestOfFeed>
  /** Returns the values if they are in the cache; null if not, or if the feed has changed since. */
  peek(reading: Reading): NewestOfFeed | null
  /** Returns a feed's gaps, oldest first, and reads them if necessary; null if its history cannot be read. */
  readGaps(at: Reads, reading: Reading): Promise<readonly number[] | null>
  /** Returns a feed's gaps; null if they are not read yet. */
  peekGaps(reading: Reading): readonly number[] | null
  /** Reads missing values and gaps in the background, of a limited number of feeds. */
  fill(readings: readonly Reading[]): void
}

export function createNewestValues(client: Pick<Client, 'withSnapshot'>): NewestValuesReader {
  const known = new LRUCache<string, { reading: Reading; newest: NewestOfFeed }>({ max: MAX_CACHED })
  const knownGaps = new WeakMap<Reading, readonly number[]>()
  const inFlight = new WeakMap<Reading, Promise<NewestOfFeed>>()
  const limit = pLimit(MAX_READ)
  let isFilling = false

  async function readNow(at: Reads, reading: Reading): Promise<NewestOfFeed> {
    const before = known.get(reading.feed_id)?.newest ?? null
    const newest = await (before === null ? readAll(at, reading) : readNew(at, reading, before))
    known.set(reading.feed_id, { reading, newest })
    return newest
  }

  function peek(reading: Reading): NewestOfFeed | null {
    const found = known.get(reading.feed_id)
    // The client returns the same object until the feed changes or the chain is replaced.
    return found?.reading === reading ? found.newest : null
  }

  async function read(at: Reads, reading: Reading): Promise<NewestOfFeed> {
    const found = peek(reading) ?? inFlight.get(reading)
    if (found !== undefined) return found
    if (limit.pendingCount >= MAX_WAITING)
      throw new HistoryBusyError({ feedId: reading.feed_id, waiting: limit.pendingCount })
    const reads = limit(() => readNow(at, reading)).finally(() => inFlight.delete(reading))
    inFlight.set(reading, reads)
    return reads
  }

  async function findGaps(at: Reads, reading: Reading): Promise<readonly number[]> {
    const gaps = listGaps(reading.frequency, await read(at, reading))
    knownGaps.set(reading, gaps)
    return gaps
  }

  // Gaps are advice, so a failure is not an error here. The history endpoint reports it.
  const readGaps: NewestValuesReader['readGaps'] = async (at, reading) =>
    knownGaps.get(reading) ?? findGaps(at, reading).catch(() => null)

  async function fillEach(readings: readonly Reading[]): Promise<void> {
    for (const { feed_id } of readings)
      await client
        .withSnapshot(async (at) => {
          const reading = await at.getReading(feed_id)
          if (reading !== null) await findGaps(at, reading)
        })
        .catch(() => null)
  }

  return {
    read,
    peek,
    readGaps,
    peekGaps: (reading) => knownGaps.get(reading) ?? null,
    fill(readings) {
      // More feeds than the cache holds would drop each other's values again and again.
      const fit = readings.length <= MAX_CACHED
      const isMissing = (reading: Reading) => !knownGaps.has(reading) || (fit && peek(reading) === null)
      const missing = readings.filter(isMissing).slice(0, MAX_FILLED)
      if (isFilling || missing.length === 0) return
      isFilling = true
      void fillEach(missing).finally(() => {
        isFilling = false
      })
    },
  }
}

async function readAll(at: Reads, { feed_id, frequency }: Reading): Promise<NewestOfFeed> {
  const count = await at.getValueCount(feed_id)
  let from = Math.max(0, count - GAP_LIMIT)
  let values: NewestOfFeed['values'] = await at.getValueHistory(feed_id, { from, to: count })
  while (!reachesAllGaps(frequency, { values, isWhole: from === 0 })) {
    const to = from
    from = Math.max(0, to - CHUNK)
    values = [...(await at.getValueHistory(feed_id, { from, to })), ...values]
  }
  return { values: values.map(toValue), isWhole: from === 0, count }
}

/** Reads the values after the known ones; all values if the known ones are of another chain. */
async function readNew(at: Reads, reading: Reading, before: NewestOfFeed): Promise<NewestOfFeed> {
  const { feed_id } = reading
  const count = await at.getValueCount(feed_id)
  // Fewer values are of another chain. After many new ones, reading all takes no longer.
  const isContinuation = count >= before.count && count - before.count < GAP_LIMIT
  if (!isContinuation || before.count === 0) return readAll(at, reading)
  const [last, ...added] = await at.getValueHistory(feed_id, { from: before.count - 1, to: count })
  if (last === undefined || !isSame(last, before.values.at(-1))) return readAll(at, reading)
  const values = [...before.values, ...added.map(toValue)]
  const kept = values.slice(-MAX_GAP_VALUES)
  return { values: kept, isWhole: before.isWhole && kept.length === values.length, count }
}

const toValue = ({ period, amount, timestamp }: NewestOfFeed['values'][number]) => ({
  period,
  amount,
  timestamp,
})

const isSame = (
  one: NewestOfFeed['values'][number],
  other: NewestOfFeed['values'][number] | undefined,
): boolean => one.period === other?.period && one.amount === other.amount && one.timestamp === other.timestamp
