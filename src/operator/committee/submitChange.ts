import { type Static, Type } from '@sinclair/typebox'
import { PAST_AFTER_MS } from '@wattfeed/casper'
import { readBlockPlace } from '@wattfeed/casper/light-client'
import { TransactionFailedError } from '@wattfeed/casper/transaction'
import { type Account, type Arguments, parseAccountHash } from '@wattfeed/casper/types'
import { type Committee, isSameCommittee } from '../../committee/committee.ts'
import { readWasm, wasmFolder } from '../contracts/wasmFile.ts'
import { createSender, type Outcome, type PaidStep, type Payer, payOne } from '../payAll.ts'
import { CommitteeError } from './committeeError.ts'
import { assertDue, type ChangePlan, type PlanRequest, planChange, readCommittee } from './planChange.ts'
import { sessionArgs } from './sessionArgs.ts'
import { describeSessionError } from './sessionErrors.ts'
import { sessionPaymentMotes } from './sessionPayment.ts'

/** A pending change: the keys that the account has after it, with their weights by `account-hash-…`. */
export const ChangePurpose = Type.Object({
  kind: Type.Literal('committee'),
  weights: Type.Record(Type.String(), Type.Integer()),
  deployment: Type.Integer(),
  key_management: Type.Integer(),
})
export type ChangePurpose = Static<typeof ChangePurpose>

export interface ChangeSettings extends Payer, PlanRequest {
  /** Whether the first of several steps is wanted. */
  isStepwise: boolean
  /** @default {@link paymentOf} the step */
  paymentMotes?: bigint | undefined
}

/**
 * Changes an account's keys and thresholds by one transaction, and checks the account afterwards. The session code fails unless
 * the account is as it was planned for.
 *
 * @throws {CommitteeError | PreflightError} before anything is sent; what a `DurableSender` throws.
 */
export async function submitChange(settings: ChangeSettings): Promise<Outcome> {
  const plan = await planChange(settings)
  const [next] = plan.steps
  if (next === undefined) {
    await createSender(settings).resume()
    return { state: 'done' }
  }
  const outcome = await payOne(changeStep(plan, next, settings), settings).catch(explain)
  if (outcome.state === 'executed') await assertChanged(next, outcome.executed.blockHeight, settings)
  return outcome
}

/** An earlier run's transaction may be settled after planning, so the account is checked again. */
const changeStep = (plan: ChangePlan, next: Committee, settings: ChangeSettings): PaidStep => ({
  isSame: (pending) => Bun.deepEquals(pending, purposeOf(next)),
  async request() {
    const { before } = plan
    await assertUnchanged(before, settings)
    assertDue(plan, settings.isStepwise)
    // A written transaction is signed by several keys, which are heavy enough together.
    if (!settings.out) assertHeavyEnough(before, settings)
    return {
      target: { session: (await readWasm(wasmFolder, 'Committee')).bytes },
      args: changeArguments(before, next),
      paymentMotes: settings.paymentMotes ?? paymentOf(plan, next),
      purpose: purposeOf(next),
    }
  },
})

/** @throws the error, or why the session code failed */
function explain(error: unknown): never {
  if (!(error instanceof TransactionFailedError)) throw error
  const reason = describeSessionError(error.executed.errorMessage ?? '')
  if (reason === null) throw error
  throw new CommitteeError({
    reason: 'session_failed',
    message: `transaction ${error.executed.transactionHash} changed nothing: ${reason}`,
  })
}

/** Returns what a step of a plan pays by default, in motes. */
export const paymentOf = ({ account, before }: ChangePlan, next: Committee): bigint =>
  sessionPaymentMotes(account, { current: keysOf(before), next: keysOf(next) })

const purposeOf = ({ weights, deployment, keyManagement }: Committee): ChangePurpose => ({
  kind: 'committee',
  weights: Object.fromEntries(weights),
  deployment,
  key_management: keyManagement,
})

export const changeArguments = (before: Committee, next: Committee): Arguments =>
  sessionArgs({
    current: keysOf(before),
    next: keysOf(next),
    recovery: [...next.recovery].map(keyHashOf),
    thresholds: next,
  })

const keysOf = ({ weights }: Committee): Account['associatedKeys'] =>
  [...weights].map(([key, weight]) => ({ accountHash: keyHashOf(key), weight }))

function keyHashOf(key: string): Uint8Array {
  const hash = parseAccountHash(key)
  if (hash === null) throw new TypeError(`${key} is not an account hash`)
  return hash
}

/** A transaction of an earlier run may have changed the account meanwhile. */
async function assertUnchanged(before: Committee, settings: ChangeSettings): Promise<void> {
  const { stateRootHash } = await readBlockPlace(settings.rpc, null)
  if (!isSameCommittee(await readCommittee(settings, stateRootHash), before))
    throw new CommitteeError({
      reason: 'account_changed',
      message: `the keys of ${settings.accountHash} changed while this command ran; run it again`,
    })
}

function assertHeavyEnough(
  { weights, keyManagement }: Committee,
  { signer: { keyHash }, accountHash }: ChangeSettings,
): void {
  const weight = weights.get(keyHash) ?? 0
  if (weight < keyManagement)
    throw new CommitteeError({
      reason: 'too_light',
      message: `the key ${keyHash} has weight ${weight}, and changing the keys of ${accountHash} needs ${keyManagement}; write the transaction to a file with --out, and let other keys sign it`,
    })
}

async function assertChanged(next: Committee, height: number, settings: ChangeSettings): Promise<void> {
  const [executed, newest] = [
    await readBlockPlace(settings.rpc, height),
    await readBlockPlace(settings.rpc, null),
  ]
  // After a long wait for the execution, nodes may no longer keep the state of that block.
  const isPast = newest.timestamp - executed.timestamp >= PAST_AFTER_MS
  const { stateRootHash, height: readAt } = isPast ? newest : executed
  if (!isSameCommittee(await readCommittee(settings, stateRootHash), next))
    throw new CommitteeError({
      reason: 'account_differs',
      message: `the change of ${settings.accountHash} was executed, but the account has other keys or thresholds at block ${readAt}; look at "committee status"`,
    })
}
