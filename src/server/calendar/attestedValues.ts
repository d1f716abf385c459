import { cacheRead } from '@wattfeed/base'
import type { Reading, Snapshot } from 'wattfeed'
import { type LogView, type ReadEvent, readEvent } from 'wattfeed/internal'
import type { NewestValuesReader } from '../readers/newestValues.ts'

type FeedMetadata = Pick<Reading, 'title' | 'unit' | 'source' | 'route' | 'frequency' | 'decimals'>

export interface AttestedValue extends FeedMetadata, Pick<Reading, 'feed_id' | 'amount' | 'period'> {
  /** Index in the history of its feed, from 0. */
  readonly index: number
  /** Block time in epoch milliseconds. */
  readonly attestedAt: number
}

/** Reads the newest values of all feeds, in the order of the event log, newest first. */
export async function readNewestAttested(at: Snapshot, count: number): Promise<readonly AttestedValue[]> {
  const logs = await at.logs()
  const end = logs.lengths.AttestationRegistry
  const start = Math.max(0, end - count)
  forgetBefore(logs.chain, start - count)
  const events = await Promise.all(
    Array.from({ length: end - start }, (_, index) => readOnce({ at, logs }, start + index)),
  )
  return events
    .map(({ shown }) => shown)
    .filter((shown) => shown !== null && shown.value !== null)
    .map((shown) => ({ ...shown, ...metadataAt(logs, shown), attestedAt: shown.updated_at }))
    .toReversed()
}

/** Returns the metadata of a value's feed at these logs: the kept events have that of when they were read. */
function metadataAt({ entries }: LogView['logs'], shown: FeedMetadata & { feed_id: string }): FeedMetadata {
  const { title, unit, source, route, frequency, decimals } = entries.get(shown.feed_id)?.reading ?? shown
  return { title, unit, source, route, frequency, decimals }
}

/** The read events of each chain's log of values, by index. */
const kept = new WeakMap<object, Map<number, Promise<ReadEvent>>>()

/** Forgets events before an index. It leaves older ones than this request reads, for requests at an earlier state root. */
function forgetBefore(chain: object, first: number): void {
  const events = kept.get(chain)
  for (const index of events?.keys() ?? []) if (index < first) events?.delete(index)
}

function readOnce(view: LogView, index: number): Promise<ReadEvent> {
  const events = kept.get(view.logs.chain) ?? new Map<number, Promise<ReadEvent>>()
  kept.set(view.logs.chain, events)
  return cacheRead(events, index, () => readEvent(view, 'AttestationRegistry', index))
}

/** Reads the newest values of some feeds, the newest first. */
export async function readAttestedOf(
  at: Snapshot,
  readings: readonly Reading[],
  newest: Pick<NewestValuesReader, 'read'>,
  count: number,
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
