import { retry } from '@wattfeed/base'
import type { Log } from '../runtime/log.ts'
import type { DeadLetter } from './deadLetter.ts'
import type { Message } from './message.ts'
import type { State } from './state.ts'
import { DeliveryError, type ForwardTarget } from './target.ts'

export interface ForwardOutcome {
  readonly outcome: 'delivered' | 'dead_letter'
  readonly message: Message
  readonly attempts: number
  /** Why the message became a dead letter; null if it was delivered. */
  readonly failure: DeliveryError | null
}

export interface DeliveryOptions {
  target: ForwardTarget
  state: State
  log: Log
  /** Aborted to start no further attempt. */
  stop: AbortSignal
  onOutcome: (outcome: ForwardOutcome) => void
}

/** Does work for a target, and repeats it as long as the target's patience allows. */
export const withPatience = <T>({ target, stop, log }: DeliveryOptions, work: () => Promise<T>): Promise<T> =>
  retry(
    () =>
      work().catch((error: unknown) => {
        if (error instanceof DeliveryError && error.retryable) {
          const { status, retryAfterMs: retry_after_ms, message } = error
          const fields = { target: target.host, status, retry_after_ms, error: message }
          log.warn(fields, 'delivery failed; retrying')
        }
        throw error
      }),
    {
      ...target.patience,
      signal: stop,
      shouldRetry: (error) => error instanceof DeliveryError && error.retryable,
      waitMs: (error) => (error instanceof DeliveryError ? (error.retryAfterMs ?? 0) : 0),
    },
  )

/** Delivers a message, unless another forwarder is past it: then, the position to resume from is returned. */
export async function deliver(
  message: Message,
  after: string,
  options: DeliveryOptions,
): Promise<ForwardOutcome | { outcome: 'overtaken'; position: string }> {
  let attempts = 0
  try {
    const moved = await withPatience(options, () => {
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

/** Reports the outcome of a message. A dead letter is first stored with `store`. */
export function report(
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
