import { readSequence, type Sequence } from '../../src/async/readSequence.ts'
import type { Rpc } from '../../src/casper/rpc/rpc.ts'
import { type EventLog, type EventRequest, readCountedEvent } from '../../src/odra/eventLog.ts'

/** Reads and decodes the events from `from` up to (excluding) `to`. @throws {AllNodesFailedError} when one is missing */
export const readEvents = <T>(
  rpc: Rpc,
  log: EventLog,
  request: Omit<EventRequest<T>, 'index'> & Sequence,
): Promise<T[]> => readSequence(request, (index) => readCountedEvent(rpc, log, { ...request, index }))
