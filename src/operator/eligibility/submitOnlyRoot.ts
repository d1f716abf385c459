import { MIN_PAYMENT_MOTES } from '@wattfeed/casper/transaction'
import { type Outcome, payAll, type Sent, settleEarlier } from '../payAll.ts'
import { type OwnerSettings, openOwnGate, ownerStep, removeRootCall, setRootCall } from './ownerCalls.ts'

/** Maximum number of roots that the contract accepts: its `MOST_ROOTS`. Setting another one removes the oldest. */
const MAX_ROOTS = 16

export interface OnlyRootPlan {
  /** Whether the root is not the newest one, and has to be set. */
  setsRoot: boolean
  /** The other roots, oldest first: each is removed by a call of its own. */
  removed: readonly bigint[]
  paymentMotes: bigint
}

export interface OnlyRootSettings extends OwnerSettings {
  /** Called before anything is sent, unless there is nothing to send. */
  onPlan(plan: OnlyRootPlan): void
}

export type OnlyRootOutcome =
  | Exclude<Outcome, { state: 'planned' | 'executed' }>
  | { state: 'planned'; plan: OnlyRootPlan }
  | { state: 'executed'; removed: readonly bigint[]; sent: readonly Executed[] }

type Executed = Extract<Sent, { state: 'executed' }>

const isExecuted = (outcome: Outcome | undefined): outcome is Executed => outcome?.state === 'executed'

/**
 * Makes a root the newest one of a gate and removes all others, one transaction each: proofs for those are refused from
 * then on. Sets the root first, so that the gate is never without one.
 *
 * A run after an interruption follows the call that was sent, and resumes with the rest. With a file, each run writes the
 * next call.
 *
 * @throws {PreflightError} before anything is sent, also when the balance does not cover all payments
 */
export async function submitOnlyRoot(root: bigint, settings: OnlyRootSettings): Promise<OnlyRootOutcome> {
  const set = ownerStep(setRootCall(root), settings)
  const earlier = await settleEarlier(settings)
  const pending = earlier.find(({ state }) => state === 'pending')
  if (pending?.state === 'pending') return pending
  const plan = await planOnlyRoot(root, settings)
  if (plan.paymentMotes > 0n) settings.onPlan(plan)
  const steps = [
    ...(plan.setsRoot ? [set] : []),
    ...plan.removed.map((other) => ownerStep(removeRootCall(other), settings)),
  ]
  const outcomes = await payAll(steps, settings)
  if (settings.isDryRun) return steps.length === 0 ? { state: 'done' } : { state: 'planned', plan }
  const written = outcomes.find(({ state }) => state === 'written')
  if (written?.state === 'written') return written
  const removals = outcomes.slice(plan.setsRoot ? 1 : 0)
  const removed = plan.removed.filter((_, index) => isExecuted(removals[index]))
  const sent = [...earlier.filter((each) => set.isSame(each.pending.purpose)), ...outcomes].filter(isExecuted)
  return sent.length === 0 ? { state: 'done' } : { state: 'executed', removed, sent }
}

async function planOnlyRoot(root: bigint, settings: OnlyRootSettings): Promise<OnlyRootPlan> {
  const roots = await (await openOwnGate(settings)).listRoots()
  const setsRoot = roots.at(-1) !== root
  const others = roots.filter((other) => other !== root)
  // The gate is full without the root: setting it drops the oldest one.
  const removed = others.slice(others.length === MAX_ROOTS ? 1 : 0)
  const calls = BigInt(removed.length + (setsRoot ? 1 : 0))
  return { setsRoot, removed, paymentMotes: calls * (settings.paymentMotes ?? MIN_PAYMENT_MOTES) }
}
