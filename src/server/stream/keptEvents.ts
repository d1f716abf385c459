import { type LogView, type ReadEvent, readEvent } from '../../live/logView.ts'
import type { RegistryName } from '../../registry/layout.ts'
import type { Log } from '../../runtime/log.ts'
import { ChainDataError } from '../answerSchema.ts'
import { type StreamEvent, toStreamEvent } from './frames.ts'

/** So many of the last events of each log are kept for all streams. */
const MAX_KEPT = 4_096

/** Returns a function that reads an event, once for all streams if it is among the last ones. */
export function createKeptEvents(log: Pick<Log, 'warn'>) {
  let kept = keptOf({})

  /** Leaves out what JSON cannot hold, as the list of feeds fails with it. */
  function format(event: ReadEvent): StreamEvent {
    try {
      return toStreamEvent(event)
    } catch (error) {
      if (!(error instanceof ChainDataError)) throw error
      log.warn({ err: error }, 'event skipped in all streams: invalid data on chain')
      return toStreamEvent({ ...event, shown: null })
    }
  }

  return (view: LogView, registry: RegistryName, index: number): Promise<StreamEvent> => {
    const { chain, lengths } = view.logs
    if (kept.chain !== chain) kept = keptOf(chain)
    const events = kept[registry]
    const found = events.get(index)
    if (found !== undefined) return found
    const reading = readEvent(view, registry, index).then(format)
    const first = lengths[registry] - MAX_KEPT
    if (index < first) return reading
    events.set(index, reading)
    reading.catch(() => events.delete(index))
    if (events.size > MAX_KEPT) for (const old of events.keys()) if (old < first) events.delete(old)
    return reading
  }
}

const keptOf = (chain: object) => ({
  chain,
  FeedRegistry: new Map<number, Promise<StreamEvent>>(),
  AttestationRegistry: new Map<number, Promise<StreamEvent>>(),
})
