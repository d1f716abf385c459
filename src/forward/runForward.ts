import { retry } from '../async/retry.ts'
import { sleep } from '../async/sleep.ts'
import type { LiveItem } from '../live/items.ts'
import { type WatchServerOptions, watchServer } from '../live/watchServer.ts'
import type { Log } from '../runtime/log.ts'
import type { DeadLetter } from './deadLetter.ts'
import { eventMessage, firstPosition, type Message, resetMessage } from './message.ts'
import type { State } from './state.ts'
import { DeliveryError, type Target } from './target.ts'

export interface ForwardOutcome {
  readonly outcome: 'delivered' | 'dead_letter'
  readonly message: Message
  readonly attempts: number
  /** Why the message became a dead letter; null if it was delivered. */
  readonly failure: DeliveryError | null
}

export interface DeliveryOptions {
  target: Target
  state: State
  log: Log
  /** Aborted to start no further attempt. */
  stop: AbortSignal
  onOutcome: (outcome: ForwardOutcome) => void
}

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
  const known = await persist(options, () => target.open(kept))
  if (known !== null) {
    log.info({ target: target.host, position: known }, 'resuming')
    return known
  }
  const position = after ?? (await newPosition(options))
  state.savePosition(position)
  log.info({ target: target.host, position }, 'starting at a new position')
  return position
}

/** Retries as long as the target's patience allows. */
const persist = <T>({ target, stop, log }: DeliveryOptions, work: () => Promise<T>): Promise<T> =>
  retry(
    () =>
      work().catch((error: unknown) => {
        if (error instanceof DeliveryError && error.retryable)
          log.warn(
            {
              target: target.host,
              status: error.status,
              retry_after_ms: error.retryAfterMs,
              error: error.message,
            },
            'delivery failed; retrying',
          )
        throw error
      }),
    {
      ...target.patience,
      signal: stop,
      shouldRetry: (error) => error instanceof DeliveryError && error.retryable,
      waitMs: (error) => (error instanceof DeliveryError ? (error.retryAfterMs ?? 0) : 0),
    },
  )

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
    if (delivery !== null && delivery.outcome !== 'overtaken') note(delivery, options, state.addDeadLetter)
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

/** Delivers a message, unless another forwarder is past it: then, the position to resume from is returned. */
async function deliver(
  message: Message,
  after: string,
  options: DeliveryOptions,
): Promise<ForwardOutcome | { outcome: 'overtaken'; position: string }> {
  let attempts = 0
  try {
    const moved = await persist(options, () => {
      attempts += 1
      return options.target.deliver(message, after)
    })
    if (moved !== null) return { outcome: 'overtaken', position: moved }
    return { outcome: 'delivered', message, attempts, failure: null }
  } catch (failure) {
    if (options.stop.aborted || !(failure instanceof DeliveryError)) throw failure
    return { outcome: 'dead_letter', message, attempts, failure }
  }
}

/** Stores a dead letter with `store`, and reports the outcome of a message. */
function note(
  outcome: ForwardOutcome,
  { log, onOutcome }: DeliveryOptions,
  store: (letter: DeadLetter) => void,
): void {
  const { message, attempts, failure } = outcome
  if (failure !== null) {
    const { id, type, feedId: feed_id, position, body } = message
    const { status, reason } = failure
    store({ id, type, feed_id, position, failed_at: Date.now(), attempts, status, reason, body })
    log.error({ id, feed_id, status, attempts, reason }, 'message became a dead letter')
  }
  onOutcome(outcome)
}

export interface ReplayReport {
  readonly delivered: number
  /** Number of dead letters that failed again and are kept. */
  readonly kept: number
}

/** Sends all dead letters again, in order. Those that fail again stay. After a crash, the next run resumes. */
export async function replayDeadLetters(options: DeliveryOptions): Promise<ReplayReport> {
  const { state, target, stop } = options
  const letters = state.listDeadLetters()
  const kept = state.readPosition()
  const position = await persist(options, () => target.open(kept))
  let delivered = 0
  for (const { id, type, feed_id: feedId, body, position: own } of letters) {
    stop.throwIfAborted()
    // A dead letter must not move the target's stored position back.
    const message = { id, type, feedId, body, position: position ?? own }
    if (!(await deliverAnyway(message, options))) continue
    state.removeDeadLetter(id)
    delivered += 1
  }
  return { delivered, kept: letters.length - delivered }
}

/** Delivers a message even if other forwarders have already passed its position. Returns false if it becomes a dead letter again. */
async function deliverAnyway(message: Message, options: DeliveryOptions): Promise<boolean> {
  for (let { position } = message; ; ) {
    const delivery = await deliver({ ...message, position }, position, options)
    if (delivery.outcome !== 'overtaken') {
      note(delivery, options, options.state.updateDeadLetter)
      return delivery.outcome === 'delivered'
    }
    position = delivery.position
  }
}
