import { type Outcome, type PaidStep, type Payer, payAll, type Sent, settleEarlier } from '../payAll.ts'
import { type Account, readSignerAccount } from '../preflight.ts'
import { type Deployment, deployedHashes, type StepPurpose, stepPurposeOf } from './deploymentFile.ts'
import { type DeploymentState, readDeploymentState } from './deploymentState.ts'
import { type Operation, save } from './operation.ts'
import { recordStep } from './recordStep.ts'
import { reportStep, type StepReport } from './report.ts'
import { settleWritten } from './settleWritten.ts'
import { isSameStep, type Step } from './step.ts'
import { createStepTransaction, planPayment } from './stepTransaction.ts'

/** What a command does to the contracts. */
export interface DeploymentWork {
  /** All its steps, in the order that the contracts require. */
  steps: readonly Step[]
  /** Finds the contracts to work on. @param pending steps of an earlier run, which a dry run does not follow */
  findContracts(account: Account, pending: readonly Step[]): Promise<Deployment['contracts']>
  /** Returns whether the chain lacks the effect of a step. */
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
  // A step is written to a file only while none is stored, and none is sent until that file is settled.
  const earlier = settled === null ? await settleEarlier(payer) : [settled]
  const account = await readSignerAccount(operation.rpc, operation.signer)
  const pending = earlier.filter((sent) => sent.state === 'pending').map(sentStep)
  await save(operation, { contracts: await work.findContracts(account, pending) })
  const state = await readDeploymentState(operation.rpc, deployedHashes(operation.deployment))
  const due: Step[] = []
  for (const step of work.steps)
    if (!isAmong(pending, step) && (await work.isDue(step, state))) due.push(step)
  // Before anything is sent. Each is checked again with the state that the steps before have left.
  for (const [index, step] of due.entries()) work.check(step, { state, account, before: due.slice(0, index) })
  const outcomes = await payAll(
    due.map((step) => paidStep(step, { operation, work, state })),
    payer,
  )
  return reportAll(work.steps, earlier, due, outcomes)
}

/** Reports the steps with nothing to do, then those of an earlier run, then those that were due. */
function reportAll(
  steps: readonly Step[],
  earlier: readonly Sent[],
  due: readonly Step[],
  outcomes: readonly Outcome[],
): StepReport[] {
  const others = steps.filter((step) => !isAmong([...due, ...earlier.map(sentStep)], step))
  return [
    ...others.map((step) => reportStep(step, { state: 'done' })),
    ...earlier.map((sent) => reportStep(sentStep(sent), sent)),
    ...due.map((step, index) => reportStep(step, outcomes[index] ?? { state: 'done' })),
  ]
}

const sentStep = ({ pending }: Sent): Step => stepPurposeOf(pending.purpose).step

const isAmong = (steps: readonly Step[], step: Step): boolean =>
  steps.some((other) => isSameStep(other, step))

const paidStep = (
  step: Step,
  { operation, work, state }: { operation: Operation; work: DeploymentWork; state: DeploymentState },
): PaidStep => ({
  isSame: (purpose) => isSameStep(stepPurposeOf(purpose).step, step),
  // By the state before the first step of this run. The request reads what the others have changed.
  plan: () => planPayment(operation, step, state),
  async request() {
    const now = await readDeploymentState(operation.rpc, deployedHashes(operation.deployment))
    const account = await readSignerAccount(operation.rpc, operation.signer)
    work.check(step, { state: now, account, before: [] })
    const { wasmSha256: wasm_sha256, ...request } = await createStepTransaction(operation, step, now)
    return { ...request, purpose: { kind: 'step', step, wasm_sha256 } satisfies StepPurpose }
  },
})

/** Records in the deployment file what is sent or written. */
const recordingPayer = (operation: Operation): Payer => ({
  ...operation,
  async onStep(step) {
    await operation.onStep?.(step)
    // The transaction stays in the state until the file has its outcome.
    if (step.step === 'settled') await recordStep(operation, step.settlement, step.pending)
  },
  async onWritten(written, purpose) {
    await operation.onWritten?.(written, purpose)
    const { step, wasm_sha256 } = stepPurposeOf(purpose)
    const { file, transactionHash: transaction_hash, expiresAt: expires_at, paymentMotes } = written
    const payment_motes = paymentMotes.toString()
    await save(operation, {
      written: { step, wasm_sha256, transaction_hash, payment_motes, expires_at, file },
    })
  },
})
