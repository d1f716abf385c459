import { type DeliveryOptions, deliver, report, withPatience } from './delivery.ts'
import type { Message } from './message.ts'

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
  const position = await withPatience(options, () => target.open(kept))
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
      report(delivery, options, options.state.updateDeadLetter)
      return delivery.outcome === 'delivered'
    }
    position = delivery.position
  }
}
