import { sleep } from '@wattfeed/base'
import { type LiveItem, type WatchServerOptions, watchServer } from 'wattfeed/live'
import { type DeliveryOptions, deliver, report, withPatience } from './delivery.ts'
import { eventMessage, firstPosition, type Message, resetMessage } from './message.ts'

export interface ForwardOptions extends DeliveryOptions {
  /** URL of the server. */
  from: string
  feeds: readonly string[] | null
  /** The position to start after if none is stored. @default new events only */
  after?: string | undefined
  /** Whether to start with the first event if no position is stored, and after a reset. */
  isFromStart: boolean
  /** How the stream is read. */
  watch?: Pick<WatchServerOptions, 'minPauseMs' | 'maxPauseMs'>
}

/**
 * Forwards each event of a server's stream, in order, until `stop` is aborted. Each is delivered or a dead letter
 * before the position moves past it.
 *
 * @throws {TargetError} if the target accepts no messages.
 * @throws {StreamError} if the server rejects the stream.
 */
export async function runForward(options: ForwardOptions): Promise<void> {
  const { stop } = options
  try {
    let position = await begin(options)
    for (;;) position = await follow(position, options)
  } catch (error) {
    if (!stop.aborted) throw error
  }
}

async function begin(options: ForwardOptions): Promise<string> {
  const { state, target, log, after } = options
  const kept = state.readPosition()
  const known = await withPatience(options, () => target.open(kept))
  if (known !== null) {
    log.info({ target: target.host, position: known }, 'resuming')
    return known
  }
  const position = after ?? (await newPosition(options))
  state.savePosition(position)
  log.info({ target: target.host, position }, 'starting at a new position')
  return position
}

/** Reads the start position of the server's stream. */
async function newPosition(options: ForwardOptions): Promise<string> {
  for await (const item of openStream(null, options))
    if ('position' in item) return options.isFromStart ? firstPosition(item.position) : item.position
  throw new TypeError('the event stream ended unexpectedly')
}

function openStream(from: string | null, { from: url, feeds, stop, log, watch }: ForwardOptions) {
  return watchServer(url, {
    ...watch,
    ids: feeds ?? undefined,
    from: from ?? undefined,
    signal: stop,
    observe: {
      reconnect: ({ error, failures, waitMs }) =>
        log.warn(
          { failures, wait_ms: Math.round(waitMs), error: error?.message ?? null },
          'stream ended; reconnecting',
        ),
    },
  })
}

const RESET_PAUSE_MS = 1_000

/** Forwards events after a position. Returns the position at which the stream must be opened again. */
async function follow(from: string, options: ForwardOptions): Promise<string> {
  const { state } = options
  let position = from
  for await (const item of openStream(from, options)) {
    const message = messageFor(item, position, options)
    const delivery = message && (await deliver(message, position, options))
    const moved = delivery?.outcome === 'overtaken' ? delivery.position : null
    if (delivery !== null && delivery.outcome !== 'overtaken') report(delivery, options, state.addDeadLetter)
    const next = moved ?? message?.position ?? ('position' in item ? item.position : position)
    // A dead letter has moved it in its own transaction. Then this changes nothing.
    if (next !== position) state.savePosition(next)
    position = next
    if (moved !== null)
      options.log.warn({ position }, 'another forwarder fills the stream; continuing after it')
    // A load balancer in front of servers of two chains would send a reset in each new stream.
    if (item.event === 'reset') await sleep(options.watch?.minPauseMs ?? RESET_PAUSE_MS, options.stop)
    if (moved !== null || item.event === 'reset') break
    options.stop.throwIfAborted()
  }
  return position
}

function messageFor(item: LiveItem, position: string, { isFromStart, log }: ForwardOptions): Message | null {
  if (item.event === 'attested' || item.event === 'feed') return eventMessage(item)
  if (item.event !== 'reset') return null
  const { reason } = item.data
  const next = isFromStart ? firstPosition(item.data.position) : item.data.position
  log.warn(
    { reason, previous: position, position: next, from_start: isFromStart },
    'chain or registries replaced; continuing at another position',
  )
  return resetMessage(reason, position, next)
}
