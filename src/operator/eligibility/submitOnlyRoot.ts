import type { ExecutedTransaction } from '../../casper/transaction/getTransaction.ts'
import { wirePaymentMotes } from '../contracts/payments.ts'
import { assertBalance, type PaymentOutcome, readAccount } from '../pay.ts'
import type { WrittenTransaction } from '../transaction/writeTransaction.ts'
import { type OwnerSettings, openOwnGate, submitRoot, submitRootRemoval } from './submitOwnerCall.ts'

/** Maximum number of roots that the contract accepts. Setting another one removes the oldest. */
const MAX_ROOTS = 16

export interface OnlyRootPlan {
  /** Whether the root has to be set: it is not the newest one. */
  isSet: boolean
  /** The other roots, oldest first: each is removed by a call of its own. */
  removed: readonly bigint[]
  paymentMotes: bigint
}

export interface OnlyRootSettings extends OwnerSettings {
  /** Called before anything is sent, unless there is nothing to send. */
  onPlan(plan: OnlyRootPlan): void
  /** Called after each transaction: a later failure no longer means that nothing was sent. */
  onExecuted(): void
}

export type OnlyRootOutcome =
  | { state: 'done' }
  /** A dry run would send it. */
  | { state: 'planned'; plan: OnlyRootPlan }
  /** An earlier run sent a call; a dry run does not follow it. */
  | { state: 'pending'; transactionHash: string }
  /** The first call was written to a file. A run after its execution writes the next one. */
  | { state: 'written'; written: WrittenTransaction }
  | { state: 'executed'; removed: readonly bigint[]; executed: readonly ExecutedTransaction[] }

/**
 * Makes a root the newest one of a gate and removes all others, one transaction each: proofs for those are refused from
 * then on. A run after an interruption follows the call that was sent, and resumes with the rest.
 *
 * @throws {PreflightError} before anything is sent, also when the balance does not cover all payments; afterwards the
 * errors of {@link submitRoot}.
 */
export async function submitOnlyRoot(root: bigint, settings: OnlyRootSettings): Promise<OnlyRootOutcome> {
  const { rpc, signer, store, isDryRun, onPlan } = settings
  const [pending] = isDryRun ? await store.list() : []
  if (pending !== undefined) return { state: 'pending', transactionHash: pending.transaction_hash }
  const plan = await planOnlyRoot(root, settings)
  if (plan.paymentMotes > 0n) {
    onPlan(plan)
    assertBalance(await readAccount(rpc, signer), plan.paymentMotes, settings)
  }
  if (!isDryRun) return execute(root, plan, settings)
  return plan.paymentMotes === 0n ? { state: 'done' } : { state: 'planned', plan }
}

async function planOnlyRoot(root: bigint, settings: OnlyRootSettings): Promise<OnlyRootPlan> {
  const roots = await (await openOwnGate(settings)).listRoots()
  const isSet = roots.at(-1) !== root
  const others = roots.filter((other) => other !== root)
  const removed = others.slice(others.length === MAX_ROOTS ? 1 : 0)
  const calls = BigInt(removed.length + (isSet ? 1 : 0))
  return { isSet, removed, paymentMotes: calls * (settings.paymentMotes ?? wirePaymentMotes) }
}

/** Sets the root first, so that the gate is never without one. Settles the call that an earlier run left pending. */
async function execute(
  root: bigint,
  plan: OnlyRootPlan,
  settings: OnlyRootSettings,
): Promise<OnlyRootOutcome> {
  const executed: ExecutedTransaction[] = []
  const removed: bigint[] = []
  const record = (outcome: PaymentOutcome): boolean => {
    if (outcome.state !== 'executed') return false
    settings.onExecuted()
    executed.push(outcome.executed)
    return true
  }
  const set = await submitRoot(root, settings)
  if (set.state === 'written') return set
  record(set)
  for (const other of plan.removed) {
    const outcome = await submitRootRemoval(other, settings)
    if (outcome.state === 'written') return outcome
    if (record(outcome)) removed.push(other)
  }
  return executed.length === 0 ? { state: 'done' } : { state: 'executed', removed, executed }
}
