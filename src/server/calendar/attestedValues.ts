import type { Reading, Snapshot } from '../../client/index.ts'
import { type LogView, type ReadEvent, readEvent } from '../../live/logView.ts'
import type { NewestValuesReader } from '../status/newestValues.ts'

type FeedMetadata = Pick<Reading, 'title' | 'unit' | 'source' | 'route' | 'frequency' | 'decimals'>

export interface AttestedValue extends FeedMetadata, Pick<Reading, 'feed_id' | 'amount' | 'period'> {
  /** Index in the history of its feed, from 0. */
  readonly index: number
  /** Block time in epoch milliseconds. */
  readonly attestedAt: number
}

/** Creates a function that reads the newest values of all feeds, in the order of the event log, newest first. */
export function createNewestAttested(count: number) {
  let kept = { chain: {}, events: new Map<number, Promise<ReadEvent>>() }

  function read(view: LogView, index: number): Promise<ReadEvent> {
    const { events } = kept
    const reading = events.get(index) ?? readEvent(view, 'AttestationRegistry', index)
    events.set(index, reading)
    reading.catch(() => events.delete(index))
    return reading
  }

  return async (at: Snapshot): Promise<readonly AttestedValue[]> => {
    const logs = await at.logs()
    if (kept.chain !== logs.chain) kept = { chain: logs.chain, events: new Map() }
    const end = logs.lengths.AttestationRegistry
    const start = Math.max(0, end - count)
    for (const index of kept.events.keys()) if (index < start - count) kept.events.delete(index)
    const events = await Promise.all(
      Array.from({ length: end - start }, (_, index) => read({ at, logs }, start + index)),
    )
    return events
      .map(({ shown }) => shown)
      .filter((shown) => shown !== null && shown.value !== null)
      .map((shown) => ({ ...shown, ...metadataAt(logs, shown), attestedAt: shown.updated_at }))
      .toReversed()
  }
}

/** Returns the metadata of a value's feed at these logs: the kept events have that of when they were read. */
function metadataAt({ entries }: LogView['logs'], shown: FeedMetadata & { feed_id: string }): FeedMetadata {
  const { title, unit, source, route, frequency, decimals } = entries.get(shown.feed_id)?.reading ?? shown
  return { title, unit, source, route, frequency, decimals }
}

/** Reads the newest values of some feeds, the newest first. */
export async function readAttestedOf(
  at: Snapshot,
  readings: readonly Reading[],
  { newest, count }: { newest: Pick<NewestValuesReader, 'read'>; count: number },
): Promise<readonly AttestedValue[]> {
  const ofEach = await Promise.all(
    readings.map(async (reading) => {
      const found = await newest.read(at, reading)
      const first = found.count - found.values.length
      return found.values.map(({ timestamp, ...value }, index) => ({
        ...reading,
        ...value,
        index: first + index,
        attestedAt: timestamp,
      }))
    }),
  )
  return ofEach
    .flat()
    .sort((one, other) => other.attestedAt - one.attestedAt || other.index - one.index)
    .slice(0, count)
}
