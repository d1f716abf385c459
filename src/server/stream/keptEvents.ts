import { cacheRead } from '@wattfeed/base'
import { type LogView, type ReadEvent, type RegistryName, readEvent } from 'wattfeed/internal'
import type { Log } from '../../runtime/log.ts'
import { ChainDataError } from '../http/bodyCheck.ts'
import { type StreamEvent, toStreamEvent } from './frames.ts'

/** Number of recent events of each log in the cache. */
const MAX_KEPT = 4_096

/** The recent events of each chain. */
const kept = new WeakMap<object, Readonly<Record<RegistryName, Map<number, Promise<StreamEvent>>>>>()

/** Reads an event. A recent event is read once for all streams. */
export function readKept(
  view: LogView,
  registry: RegistryName,
  index: number,
  log: Pick<Log, 'warn'>,
): Promise<StreamEvent> {
  const { chain, lengths } = view.logs
  const logs = kept.get(chain) ?? { FeedRegistry: new Map(), AttestationRegistry: new Map() }
  kept.set(chain, logs)
  const events = logs[registry]
  const read = () => readEvent(view, registry, index).then((event) => format(event, log))
  const first = lengths[registry] - MAX_KEPT
  if (index < first) return events.get(index) ?? read()
  const reading = cacheRead(events, index, read)
  if (events.size > MAX_KEPT) for (const old of events.keys()) if (old < first) events.delete(old)
  return reading
}

/** Formats an event. One with invalid data, for which the list of feeds fails too, is hidden. */
function format(event: ReadEvent, log: Pick<Log, 'warn'>): StreamEvent {
  try {
    return toStreamEvent(event)
  } catch (error) {
    if (!(error instanceof ChainDataError)) throw error
    log.warn({ err: error }, 'event skipped in all streams: invalid data on chain')
    return toStreamEvent({ ...event, shown: null })
  }
}
