import { createRandom } from '@wattfeed/testing/random'
import { type Fault, honest } from './faults.ts'

/** A call as a plan sees it. */
export interface PlannedCall {
  method: string
  params: unknown
}

export type FaultPlan = (call: PlannedCall) => Fault

export const always =
  (fault: Fault): FaultPlan =>
  () =>
    fault

/** Applies the faults in order, one per call, then answers honestly. */
export function script(...faults: readonly Fault[]): FaultPlan {
  let next = 0
  return () => faults[next++] ?? honest
}

/** `plan` for the calls of one method, honest answers for the rest. */
export const onMethod =
  (method: string, plan: FaultPlan): FaultPlan =>
  (call) =>
    call.method === method ? plan(call) : honest

/**
 * Applies one of the faults with this probability to each attempt of each call. The outcome depends on the seed, the call
 * and the number of the attempt, not on the order of calls.
 */
export function atRandom(seed: number, probability: number, faults: readonly Fault[]): FaultPlan {
  const attempts = new Map<string, number>()
  return ({ method, params }) => {
    const call = `${method} ${JSON.stringify(params)}`
    const attempt = attempts.get(call) ?? 0
    attempts.set(call, attempt + 1)
    const random = createRandom(Bun.hash.crc32(`${seed} ${attempt} ${call}`))
    if (random() >= probability) return honest
    return faults[Math.floor(random() * faults.length)] ?? honest
  }
}

/** `fault` for every read of stored values; honest answers about roots and the node itself. */
export const onStateReads =
  (fault: Fault): FaultPlan =>
  ({ method }) =>
    method === 'query_global_state' || method === 'state_get_dictionary_item' ? fault : honest
