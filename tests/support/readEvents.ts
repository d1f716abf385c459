import type { GlobalState } from '@wattfeed/casper'
import { readSequence, type Sequence } from '../../packages/base/src/async/readSequence.ts'
import {
  type EventLog,
  type EventRequest,
  readCountedEvent,
} from '../../packages/casper/src/odra/eventLog.ts'

/** Reads and decodes the events from `from` up to (excluding) `to`. @throws {AllNodesFailedError} when one is missing */
export const readEvents = <T>(
  state: GlobalState,
  log: EventLog,
  request: Omit<EventRequest<T>, 'index'> & Sequence,
): Promise<T[]> => readSequence(request, (index) => readCountedEvent(state, log, { ...request, index }))
