import { type Fault, honest } from './faults.ts'
import { createRandom } from './random.ts'

/** What a plan may look at. */
export interface PlannedCall {
  method: string
  params: unknown
}

/** Decides which fault a call gets. */
export type FaultPlan = (call: PlannedCall) => Fault

export const always =
  (fault: Fault): FaultPlan =>
  () =>
    fault

/** The faults one after another, one a call; then honest answers. */
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
 * Each attempt of each call fails with this probability, in one of these ways. What happens to an attempt
 * depends on the seed, the call and how often it was made, and not on the order in which calls arrive.
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

/** `fault` for every read of stored values, honest answers about roots and the node itself. */
export const onStateReads =
  (fault: Fault): FaultPlan =>
  ({ method }) =>
    method === 'query_global_state' || method === 'state_get_dictionary_item' ? fault : honest
