import {
  type AbortSignalLike,
  assertOptions,
  InvalidArgumentError,
  sleep,
  WattfeedError,
} from '@wattfeed/base'
import { isRetryable } from '@wattfeed/casper'
import { assertDuration, assertFeedId } from '../client/argument.ts'
import type { Client } from '../client/createClient.ts'
import type { RegistryName } from '../registry/layout.ts'
import { followLogs, type LogUpdate } from './followLogs.ts'
import type { LiveItem } from './items.ts'
import { type LogView, type ReadEvent, readEvent, type Step } from './logView.ts'
import { assertPosition, formatPosition, MAX_POSITION_WAIT_MS } from './position.ts'

/** Options of {@link watch}. */
export interface WatchOptions {
  /**
   * Ids of the feeds to watch.
   * @default all feeds, including those that are registered later
   */
  ids?: readonly string[]
  /**
   * Position to resume after: `position` of the last item that you processed.
   * @default the end of the logs, so that only new events are returned
   */
  from?: string
  /** Aborts the iteration, which throws the signal's reason. */
  signal?: AbortSignalLike
  /**
   * Interval between polls of the newest state root, in milliseconds.
   * @default 1000
   */
  pollMs?: number
}

/**
 * The position to resume from is past the end of the logs, and no node caught up within a minute.
 *
 * @example
 * ```ts
 * import { PositionAheadError, watch } from 'wattfeed/live'
 *
 * try {
 *   for await (const item of watch(client, { from: savedPosition })) console.log(item)
 * } catch (error) {
 *   if (!(error instanceof PositionAheadError)) throw error
 *   console.error(error.position, error.known)
 * }
 * ```
 */
export class PositionAheadError extends WattfeedError {
  static override readonly name = 'PositionAheadError'
  readonly code = 'position_ahead'
  readonly retryable = true

  constructor(
    /** The requested position. */
    readonly position: string,
    /** Number of events in each log. */
    readonly known: Readonly<Record<RegistryName, number>>,
  ) {
    super(
      `the position ${position} is ahead of the event logs (f${known.FeedRegistry}.a${known.AttestationRegistry}); retry later, or start without a position if the chain was replaced`,
    )
  }
}

/**
 * Watches feeds by polling a client's nodes. Returns every event of both registries exactly once, in the order of its
 * log, and verified like the client's readings.
 *
 * Polls the state root every `pollMs`, and makes at most six calls for each event. Retries after failures that are
 * `retryable`, and throws others. Never ends by itself.
 *
 * @example
 * ```ts
 * import { createClient } from 'wattfeed'
 * import { watch } from 'wattfeed/live'
 *
 * for await (const item of watch(createClient(), { ids: ['EIA.PET.PRICE.WTI.DAILY'] }))
 *   if (item.event === 'attested') console.log(item.position, item.data.period, item.data.value)
 * ```
 *
 * @throws {@link InvalidArgumentError} when `from` is not a position, `ids` is empty, or an id is not registered.
 * @throws {@link PositionAheadError} when no node reaches `from` within a minute.
 * @rpc chain_get_state_root_hash, query_global_state, state_get_dictionary_item
 */
export async function* watch(
  client: Pick<Client, 'snapshot'>,
  options: WatchOptions = {},
): AsyncGenerator<LiveItem, never, undefined> {
  assertOptions(options, { ids: 1, from: 1, signal: 1, pollMs: 1 })
  const { pollMs = 1_000, signal = new AbortController().signal } = options
  assertDuration('pollMs', pollMs)
  if (options.ids !== undefined) assertIds(options.ids)
  const ids = options.ids === undefined ? null : new Set(options.ids)
  const from = options.from === undefined ? null : assertPosition('from', options.from)
  const wait = () => sleep(pollMs, signal)
  let hasStarted = false
  let aheadMs = 0
  for await (const update of followLogs(client, { from, read: readEvent, wait, signal })) {
    if (update.kind === 'failed') {
      if (!isRetryable(update.error)) throw update.error
      continue
    }
    if (!hasStarted) assertRegistered(update.view, ids)
    if (update.kind === 'ahead') {
      const { lengths } = update.view.logs
      if (aheadMs >= MAX_POSITION_WAIT_MS) throw new PositionAheadError(options.from ?? '', lengths)
      aheadMs += pollMs
      continue
    }
    if (!hasStarted && from === null) yield { event: 'position', position: formatPosition(update.position) }
    else yield* itemsOf(update, ids)
    hasStarted = true
  }
  throw new TypeError('the event logs ended unexpectedly')
}

/**
 * Rejects an empty list, because it is ambiguous: no feeds, or all feeds.
 *
 * @throws {@link InvalidArgumentError} when the list is empty, or an id is invalid.
 */
export function assertIds(ids: readonly string[]): void {
  if (!Array.isArray(ids) || ids.length === 0)
    throw new InvalidArgumentError('ids', 'a list of at least one feed id; omit it to watch all feeds')
  for (const id of ids) assertFeedId(id)
}

/** @throws {@link InvalidArgumentError} when an id is not registered. */
function assertRegistered({ logs: { entries } }: LogView, ids: ReadonlySet<string> | null): void {
  for (const id of ids ?? [])
    if (!entries.has(id))
      throw new InvalidArgumentError('ids', `ids of registered feeds; "${id}" is not registered`)
}

/** Returns the items of an update, and a `position` item if its last event is filtered out. */
function itemsOf(
  update: Extract<LogUpdate<ReadEvent>, { kind: 'events' | 'reset' }>,
  ids: ReadonlySet<string> | null,
): LiveItem[] {
  const position = formatPosition(update.position)
  if (update.kind === 'reset') return [{ event: 'reset', data: { reason: update.reason, position } }]
  const items = update.steps.map((step) => itemOf(step, ids))
  const isLastHidden = items.at(-1) === null
  return [
    ...items.filter((item) => item !== null),
    ...(isLastHidden ? [{ event: 'position' as const, position }] : []),
  ]
}

function itemOf(
  { event: { shown: data }, position: after }: Step<ReadEvent>,
  ids: ReadonlySet<string> | null,
) {
  if (data === null || !(ids?.has(data.feed_id) ?? true)) return null
  const position = formatPosition(after)
  return data.log === 'FeedRegistry'
    ? { event: 'feed' as const, position, data }
    : { event: 'attested' as const, position, data }
}
