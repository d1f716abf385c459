import { readSequence, type Sequence } from '@wattfeed/base'
import type { GlobalState } from '@wattfeed/casper'
import { type EventLog, type EventRequest, readCountedEvent } from '../../src/odra/eventLog.ts'

/** Reads and decodes the events from `from` up to (excluding) `to`. @throws {AllNodesFailedError} when one is missing */
export const readEvents = <T>(
  state: GlobalState,
  log: EventLog,
  request: Omit<EventRequest<T>, 'index'> & Sequence,
): Promise<T[]> => readSequence(request, (index) => readCountedEvent(state, log, { ...request, index }))
