import { getTransaction } from '../../casper/transaction/getTransaction.ts'
import { TransactionFailedError } from '../../casper/transaction/settlement.ts'
import { readBlockTimes } from '../../casper/transaction/timestamp.ts'
import { type PaidStep, type Payer, payAll, type Sent, settleEarlier } from '../payAll.ts'
import { type Account, PreflightError, readAccount } from '../preflight.ts'
import type { Deployment, StepPurpose, WrittenStep } from './deploymentFile.ts'
import { type DeploymentState, readDeploymentState } from './deploymentState.ts'
import { deployedHashes, type Operation, save } from './operation.ts'
import { recordStep } from './recordStep.ts'
import { reportStep, type StepReport } from './report.ts'
import { describeStep, isSameStep, type Step } from './step.ts'
import { createStepTransaction, planPayment } from './stepTransaction.ts'

/** What a command does to the contracts. */
export interface DeploymentWork {
  /** All its steps, in the order that the contracts require. */
  steps: readonly Step[]
  /** Finds the contracts to work on. @param pending steps of an earlier run, which a dry run does not follow */
  findContracts(account: Account, pending: readonly Step[]): Promise<Deployment['contracts']>
  /** Whether the chain lacks the effect of a step. */
  isDue(step: Step, state: DeploymentState): boolean | Promise<boolean>
  /** @throws if a step would fail */
  check(step: Step, now: StepContext): void
}

/** What a step's success depends on. */
export interface StepContext {
  state: DeploymentState
  account: Account
  /** The steps that this run sends before, and has not sent yet. */
  before: readonly Step[]
}

/** Settles what an earlier run has sent or written, and sends the steps that are due. */
export async function runSteps(operation: Operation, work: DeploymentWork): Promise<StepReport[]> {
  const payer = recordingPayer(operation)
  const settled = await settleWritten(operation)
  const earlier = settled === null ? await settleEarlier(payer) : [settled]
  const account = await readAccount(operation.rpc, operation.signer)
  const pending = earlier.filter((sent) => sent.state === 'pending').map(stepOf)
  await save(operation, { contracts: await work.findContracts(account, pending) })
  const state = await readDeploymentState(operation.rpc, deployedHashes(operation.deployment))
  const due: Step[] = []
  for (const step of work.steps)
    if (!isAmong(pending, step) && (await work.isDue(step, state))) due.push(step)
  for (const [index, step] of due.entries()) work.check(step, { state, account, before: due.slice(0, index) })
  const outcomes = await payAll(
    due.map((step) => paidStep(step, { operation, work, state })),
    payer,
  )
  return [
    ...work.steps
      .filter((step) => !isAmong([...due, ...earlier.map(stepOf)], step))
      .map((step) => reportStep(step, { state: 'done' })),
    ...earlier.map((sent) => reportStep(stepOf(sent), sent)),
    ...due.map((step, index) => reportStep(step, outcomes[index] ?? { state: 'done' })),
  ]
}

const stepOf = ({ pending }: Sent<StepPurpose>): Step => pending.purpose.step

const isAmong = (steps: readonly Step[], step: Step): boolean =>
  steps.some((other) => isSameStep(other, step))

const paidStep = (
  step: Step,
  { operation, work, state }: { operation: Operation; work: DeploymentWork; state: DeploymentState },
): PaidStep<StepPurpose> => ({
  isSame: (purpose) => isSameStep(purpose.step, step),
  // By the state before the first step of this run. The request reads what the others have changed.
  plan: () => planPayment(operation, step, state),
  async request() {
    const now = await readDeploymentState(operation.rpc, deployedHashes(operation.deployment))
    const account = await readAccount(operation.rpc, operation.signer)
    work.check(step, { state: now, account, before: [] })
    const { wasmSha256: wasm_sha256, ...request } = await createStepTransaction(operation, step, now)
    return { ...request, purpose: { kind: 'step', step, wasm_sha256 } }
  },
})

/** Records in the deployment file what is sent or written. */
const recordingPayer = (operation: Operation): Payer<StepPurpose> => ({
  ...operation,
  async onStep(step) {
    await operation.onStep?.(step)
    // The transaction stays in the state until the file has its outcome.
    if (step.step === 'settled') await recordStep(operation, step.settlement, step.pending)
  },
  async onWritten(written, purpose) {
    await operation.onWritten?.(written, purpose)
    const { step, wasm_sha256 } = purpose
    const { file, transactionHash: transaction_hash, expiresAt: expires_at, paymentMotes } = written
    const payment_motes = paymentMotes.toString()
    await save(operation, {
      written: { step, wasm_sha256, transaction_hash, payment_motes, expires_at, file },
    })
  },
})

/**
 * Records the outcome of a transaction that an earlier run has written to a file; null if there is none, or it expired.
 *
 * @throws {PreflightError} while it can still be executed; {@link TransactionFailedError}
 */
async function settleWritten(operation: Operation): Promise<Sent<StepPurpose> | null> {
  const { written } = operation.deployment
  if (!written) return null
  // The times are read first, so that the node that answers next knows what was executed until then.
  const times = await readBlockTimes(operation.rpc)
  const found = await getTransaction(operation.rpc, written.transaction_hash)
  if (found.state !== 'executed') {
    if (!isPast(times, written.expires_at)) throw stillOpen(written)
    await save(operation, { written: null })
    return null
  }
  const sent = {
    ...written,
    purpose: { kind: 'step', step: written.step, wasm_sha256: written.wasm_sha256 },
  } as const
  const { executed } = found
  const error = executed.errorMessage === null ? null : new TransactionFailedError({ executed })
  await recordStep(operation, { executed, error }, sent)
  await save(operation, { written: null })
  if (error !== null) throw error
  return { state: 'executed', pending: sent, executed }
}

/** Whether all nodes that answered have blocks after a time. */
const isPast = (blockTimes: readonly number[], epochMs: number): boolean =>
  blockTimes.length > 0 && Math.min(...blockTimes) > epochMs

const stillOpen = ({ step, transaction_hash, file, expires_at }: WrittenStep): PreflightError =>
  new PreflightError({
    reason: 'written',
    message: `${file} has the transaction ${transaction_hash} (${describeStep(step)}), which can be executed until ${new Date(expires_at).toISOString()}; sign and send it, or wait until then, and run this again`,
  })
