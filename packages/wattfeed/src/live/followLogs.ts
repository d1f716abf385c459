import type { AbortSignalLike } from '@wattfeed/base'
import type { Client } from '../client/createClient.ts'
import type { RegistryName } from '../registry/layout.ts'
import type { ResetReason } from './items.ts'
import {
  type EventMark,
  endOf,
  isAheadOf,
  isOfOtherRegistries,
  type LogView,
  lengthsOf,
  readSteps,
  resetReason,
  type Step,
} from './logView.ts'
import { isSamePlace, type Position } from './position.ts'

/** The position up to which both logs were read, and the state root. */
export interface Reached {
  readonly view: LogView
  readonly position: Position
}

/** Result of one read of both logs. */
export type LogUpdate<E> =
  /** The next events and the position after them. There are none at the end of the logs, or at the start without `from`. */
  | ({ readonly kind: 'events'; readonly steps: readonly Step<E>[] } & Reached)
  /** The known position is not valid. The logs are followed from the new position. */
  | ({ readonly kind: 'reset'; readonly reason: ResetReason } & Reached)
  /** The position to resume after is past the end of the logs. */
  | { readonly kind: 'ahead'; readonly view: LogView }
  /** The read failed and will be retried. */
  | { readonly kind: 'failed'; readonly error: unknown }

export interface FollowLogsOptions<E> {
  /** The position to resume after; null to start at the end of the logs. */
  from: Position | null
  read: (view: LogView, log: RegistryName, index: number) => Promise<E>
  wait: () => Promise<void>
  /** Aborts the iteration, which throws the signal's reason. */
  signal: AbortSignalLike
}

/**
 * Follows the event logs of both registries. Reads the newest state root and the events up to it, 32 at a time, then waits.
 * Never ends by itself.
 */
export async function* followLogs<E extends EventMark>(
  client: Pick<Client, 'snapshot'>,
  options: FollowLogsOptions<E>,
): AsyncGenerator<LogUpdate<E>, never> {
  const { read, wait, signal } = options
  let reached: Reached | null = null
  let hasMore = false
  for (;;) {
    const reading: Promise<LogUpdate<E>> =
      hasMore && reached !== null ? readOn(reached, read) : readNewest(client, reached, options)
    const update = await reading.catch((error): LogUpdate<E> => ({ kind: 'failed', error }))
    signal.throwIfAborted()
    hasMore = false
    if (update.kind === 'events' || update.kind === 'reset') {
      reached = update
      hasMore = !isSamePlace(update.position, lengthsOf(update.view))
    }
    yield update
    if (!hasMore) await wait()
  }
}

/** Continues at the newest state root. */
async function readNewest<E extends EventMark>(
  client: Pick<Client, 'snapshot'>,
  reached: Reached | null,
  { from, read, signal }: FollowLogsOptions<E>,
): Promise<LogUpdate<E>> {
  const at = await client.snapshot({ signal })
  if (at.stateRootHash === reached?.view.at.stateRootHash) return readOn(reached, read)
  const view: LogView = { at, logs: await at.logs() }
  if (reached === null) return start(view, from, read)
  // The client distinguishes lagging nodes from replaced chains.
  if (reached.view.logs.chain !== view.logs.chain) return resetTo(view, 'log')
  // A lagging node has fewer events than were read. In the view that is known there are no more, so nothing is new.
  if (isAheadOf(reached.position, view)) return readOn(reached, read)
  return readOn({ view, position: reached.position }, read)
}

async function start<E extends EventMark>(
  view: LogView,
  from: Position | null,
  read: FollowLogsOptions<E>['read'],
): Promise<LogUpdate<E>> {
  if (from === null) return { kind: 'events', view, steps: [], position: await endOf(view) }
  if (isAheadOf(from, view) && !isOfOtherRegistries(view, from)) return { kind: 'ahead', view }
  const reason = await resetReason(view, from)
  return reason === null ? readOn({ view, position: from }, read) : resetTo(view, reason)
}

const resetTo = async (view: LogView, reason: ResetReason) => ({
  kind: 'reset' as const,
  reason,
  view,
  position: await endOf(view),
})

async function readOn<E extends EventMark>(
  { view, position }: Reached,
  read: FollowLogsOptions<E>['read'],
): Promise<LogUpdate<E>> {
  const steps = await readSteps(position, lengthsOf(view), (log, index) => read(view, log, index))
  return { kind: 'events', view, steps, position: steps.at(-1)?.position ?? position }
}
