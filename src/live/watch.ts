import { sleep } from '../async/sleep.ts'
import type { AbortSignalLike } from '../async/webTypes.ts'
import { assertDuration, assertFeedId, InvalidArgumentError } from '../client/argument.ts'
import type { Client } from '../client/createClient.ts'
import { WattfeedError } from '../errors.ts'
import type { RegistryName } from '../registry/layout.ts'
import {
  endOf,
  type Head,
  isAheadOf,
  isOfOtherRegistries,
  isOfSameChain,
  lengthsOf,
  MAX_AHEAD_MS,
  openHead,
  type ReadEvent,
  readEvent,
  readSteps,
  resetReason,
  type Step,
} from './eventReader.ts'
import type { LiveItem, ResetReason } from './items.ts'
import { assertPosition, formatPosition, type Position } from './position.ts'

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
 * the client's readings are. Asks for a state root every `pollMs`, and makes one call for each event and for each root.
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
  const next = createNext(client, options, pollMs)
  for (;;) {
    const items = await next(signal).catch(nothingIfRetryable)
    signal.throwIfAborted()
    if (items.length > 0) yield* items
    else await sleep(pollMs, signal)
  }
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

/** Returns a function that reads what comes next, part by part; nothing if there is nothing yet. */
function createNext(client: Pick<Client, 'snapshot'>, { ids, from }: WatchOptions, pollMs: number) {
  const wanted = ids === undefined ? null : new Set(ids)
  let position = from === undefined ? null : assertPosition('from', from)
  let head: Head | null = null
  let hasBegun = false
  let aheadMs = 0

  async function moveTo(found: Head): Promise<LiveItem[] | null> {
    if (!hasBegun) assertRegistered(found, wanted)
    if (position === null) {
      position = await endOf(found)
      return [{ event: 'position', position: formatPosition(position) }]
    }
    if (hasBegun && head !== null) return moveFrom(head, found, position)
    if (isAheadOf(position, found) && !isOfOtherRegistries(found, position)) {
      awaitNodes(position, found)
      return []
    }
    const reason = await resetReason(found, position)
    return reason && startOver(found, reason)
  }

  /** The client tells lagging nodes from chains that were replaced. */
  async function moveFrom(before: Head, found: Head, position: Position): Promise<LiveItem[] | null> {
    if (!isOfSameChain(before, found)) return startOver(found, 'log')
    return isAheadOf(position, found) ? [] : null
  }

  async function startOver(found: Head, reason: ResetReason): Promise<LiveItem[]> {
    position = await endOf(found)
    return [{ event: 'reset', data: { reason, position: formatPosition(position) } }]
  }

  function awaitNodes(ahead: Position, { logs: { lengths } }: Head): void {
    if (aheadMs >= MAX_AHEAD_MS) throw new PositionAheadError(formatPosition(ahead), lengths)
    aheadMs += pollMs
  }

  async function follow(at: Head, from: Position): Promise<LiveItem[]> {
    const steps = await readSteps(from, lengthsOf(at), (log, index) => readEvent(at, log, index))
    const after = steps.at(-1)?.position ?? from
    position = after
    const items = steps.map((step) => itemOf(step, wanted)).filter((item) => item !== null)
    const isShown = items.length === 0 ? steps.length === 0 : itemOf(steps.at(-1), wanted) !== null
    return isShown ? items : [...items, { event: 'position', position: formatPosition(after) }]
  }

  return async (signal: AbortSignalLike): Promise<LiveItem[]> => {
    const at = await client.snapshot({ signal })
    if (at.stateRootHash !== head?.at.stateRootHash) {
      const found = await openHead(at)
      const moved = await moveTo(found)
      if (moved?.length === 0) return moved
      hasBegun = true
      head = found
      if (moved !== null) return moved
    }
    return position === null || head === null ? [] : follow(head, position)
  }
}

/** @throws {InvalidArgumentError} */
function assertRegistered({ logs: { entries } }: Head, ids: ReadonlySet<string> | null): void {
  for (const id of ids ?? [])
    if (!entries.has(id)) throw new InvalidArgumentError('ids', `ids of registered feeds: "${id}" is none`)
}

function itemOf(step: Step<ReadEvent> | undefined, ids: ReadonlySet<string> | null): LiveItem | null {
  const data = step?.event.shown ?? null
  if (step === undefined || data === null || !(ids?.has(data.feed_id) ?? true)) return null
  const position = formatPosition(step.position)
  return data.log === 'FeedRegistry'
    ? { event: 'feed', position, data }
    : { event: 'attested', position, data }
}

function nothingIfRetryable(error: unknown): [] {
  const isRetryable = error instanceof Error && 'retryable' in error && error.retryable === true
  if (isRetryable && !(error instanceof PositionAheadError)) return []
  throw error
}
