import { sleep } from '../async/sleep.ts'
import type { AbortSignalLike } from '../async/webTypes.ts'
import { isRetryable } from '../casper/rpc/rpcErrors.ts'
import { assertDuration, assertFeedId, InvalidArgumentError } from '../client/argument.ts'
import type { Client } from '../client/createClient.ts'
import { WattfeedError } from '../errors.ts'
import type { RegistryName } from '../registry/layout.ts'
import { followLogs, type LogUpdate } from './followLogs.ts'
import type { LiveItem } from './items.ts'
import { type LogView, MAX_POSITION_WAIT_MS, type ReadEvent, readEvent, type Step } from './logView.ts'
import { assertPosition, formatPosition } from './position.ts'

export interface WatchOptions {
  /** Feeds to watch. @default all of them, also those that are registered later */
  ids?: readonly string[]
  /** Position to resume after. @default the newest events: what was attested before is not shown */
  from?: string
  /** Ends the iteration with its reason. */
  signal?: AbortSignalLike
  /** How often the newest state root is asked for, in milliseconds. @default 1000 */
  pollMs?: number
}

/** A position to resume from lies ahead of what the nodes know, and stayed so. */
export class PositionAheadError extends WattfeedError {
  static override readonly name = 'PositionAheadError'
  readonly code = 'position_ahead'
  readonly retryable = true

  constructor(
    /** The position, as it was given. */
    readonly position: string,
    /** How many events there are. */
    readonly known: Readonly<Record<RegistryName, number>>,
  ) {
    super(
      `the position ${position} is ahead of the events known here (f${known.FeedRegistry}.a${known.AttestationRegistry}): try again later, or begin without a position if the chain was replaced`,
    )
  }
}

/**
 * Watches feeds straight from a client's nodes: every event of both registries once, in the order of its log, verified as
 * the client's readings are. Asks for a state root every `pollMs`, and makes at most five calls for each event.
 *
 * Failures that may pass are waited out; others end the iteration. An item's `position` resumes after it, anywhere.
 *
 * @throws {InvalidArgumentError} when `from` is no position, `ids` is empty, or an id is not registered.
 * @throws {PositionAheadError} when the nodes do not reach `from` within a minute.
 *
 * @example
 * ```ts
 * import { createClient } from 'wattfeed'
 * import { watch } from 'wattfeed/live'
 *
 * for await (const item of watch(createClient(), { ids: ['EIA.PET.PRICE.WTI.DAILY'] }))
 *   if (item.event === 'attested') console.log(item.position, item.data.period, item.data.value)
 * ```
 */
export async function* watch(
  client: Pick<Client, 'snapshot'>,
  options: WatchOptions = {},
): AsyncGenerator<LiveItem, never, undefined> {
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
  throw new TypeError('the logs never end')
}

/**
 * None are not all: of a list that happens to be empty, a program would get everything, or nothing ever.
 *
 * @throws {InvalidArgumentError}
 */
export function assertIds(ids: readonly string[]): void {
  if (!Array.isArray(ids) || ids.length === 0)
    throw new InvalidArgumentError('ids', 'a list of at least one feed id; leave it out to follow all feeds')
  for (const id of ids) assertFeedId(id)
}

/** @throws {InvalidArgumentError} */
function assertRegistered({ logs: { entries } }: LogView, ids: ReadonlySet<string> | null): void {
  for (const id of ids ?? [])
    if (!entries.has(id)) throw new InvalidArgumentError('ids', `ids of registered feeds: "${id}" is none`)
}

/** Returns the items of an update, and the position alone where its last event is not shown. */
function itemsOf(
  update: Extract<LogUpdate<ReadEvent>, { kind: 'events' | 'reset' }>,
  ids: ReadonlySet<string> | null,
): LiveItem[] {
  const position = formatPosition(update.position)
  if (update.kind === 'reset') return [{ event: 'reset', data: { reason: update.reason, position } }]
  const items = update.steps.map((step) => itemOf(step, ids))
  const isLastShown = items.at(-1) !== null
  return [
    ...items.filter((item) => item !== null),
    ...(isLastShown ? [] : [{ event: 'position' as const, position }]),
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
