import { retry } from '../../async/retry.ts'
import { getNamedKeys } from '../../casper/transaction/account.ts'
import {
  createDurableSender,
  type DurableSender,
  type SendRequest,
} from '../../casper/transaction/durableSender.ts'
import {
  type Settled,
  type Settlement,
  TransactionFailedError,
} from '../../casper/transaction/followTransaction.ts'
import { type ExecutedTransaction, getTransaction } from '../../casper/transaction/getTransaction.ts'
import { readBlockTimes } from '../../casper/transaction/timestamp.ts'
import { defineError } from '../../defineError.ts'
import { PackageNotFoundError } from '../../odra/contract.ts'
import { type ContractName, packageKeyName } from '../../registry/installation.ts'
import { type Account, assertBalance, PreflightError, readAccount, writeOut, writtenFields } from '../pay.ts'
import type {
  DeployedContract,
  Deployment,
  PendingStep,
  RecordedStep,
  StepPurpose,
  WrittenStep,
} from './deploymentFile.ts'
import { type DeploymentState, readDeploymentState } from './deploymentState.ts'
import { deployedHashes, type Operation, readDeployedContract, save } from './operation.ts'
import { reportExecuted, reportPending, reportPlanned, type StepReport } from './report.ts'
import { describeStep, type Step } from './step.ts'
import { assertStepLane, createStepTransaction } from './steps.ts'

/** The node does not yet return a contract that was just installed or upgraded. */
const NotThereYetError = defineError(
  'NotThereYetError',
  'not_there_yet',
  (facts: { contract: ContractName }) =>
    `the transaction was executed, but the node does not return the new ${facts.contract} yet; run this command again`,
  { retryable: true },
)

export interface StepsRequest {
  operation: Operation
  steps: readonly Step[]
  account: Account
  state: DeploymentState
  /** Checks again just before a step is signed, with the state at that time. */
  check: (step: Step, state: DeploymentState) => void | Promise<void>
}

/**
 * Runs steps one after another. First checks that the balance covers all of them and that each fits a lane. A dry run
 * only reports them.
 */
export async function runSteps(request: StepsRequest): Promise<StepReport[]> {
  const { operation, steps, account, state } = request
  const planned: StepReport[] = []
  let neededMotes = 0n
  for (const step of steps) {
    const paymentMotes = await assertStepLane(operation, step, state)
    neededMotes += paymentMotes
    planned.push(reportPlanned(step, paymentMotes))
  }
  assertBalance(account, neededMotes, operation)
  if (operation.isDryRun) return planned
  if (operation.out) return writeFirst(operation, request, planned)
  const sender = createStepSender(operation)
  const reports: StepReport[] = []
  for (const step of steps) reports.push(reportExecuted(await runStep(step, sender, request)))
  return reports
}

interface Begun {
  /** A transaction of an earlier run, settled now. */
  resumed: RecordedStep | null
  /** A pending transaction of an earlier run, which a dry run does not follow. */
  pending: PendingStep | null
  account: Account
  state: DeploymentState
}

/** Settles the transaction that an earlier run left pending, finds the contracts to work on, and reads them. */
export async function beginSteps(
  operation: Operation,
  findContracts: (account: Account, pending: PendingStep | null) => Promise<Deployment['contracts']>,
): Promise<Begun> {
  const resumed = (await settleWritten(operation)) ?? (await resumePending(operation))
  const [pending = null] = operation.isDryRun ? await operation.store.list() : []
  const account = await readAccount(operation.rpc, operation.signer)
  await save(operation, { contracts: await findContracts(account, pending) })
  const state = await readDeploymentState(operation.rpc, deployedHashes(operation.deployment))
  return { resumed, pending, account, state }
}

export const reportEarlier = ({ resumed, pending }: Begun): StepReport[] => [
  ...(resumed ? [reportExecuted(resumed)] : []),
  ...(pending ? [reportPending(pending.purpose.step, pending.transaction_hash)] : []),
]

/**
 * Settles the transaction that an earlier run left pending, without signing again. Null if there was none, or if it
 * expired: the step still has to run.
 */
async function resumePending(operation: Operation): Promise<RecordedStep | null> {
  if (operation.isDryRun) return null
  const [resumed] = await createStepSender(operation).resume()
  if (resumed === undefined || resumed.settlement.outcome === 'expired') return null
  return recordedStep(resumed)
}

/** Creates a sender that records each step in the deployment file. */
function createStepSender(operation: Operation): DurableSender<StepPurpose> {
  return createDurableSender<StepPurpose>({
    ...operation,
    async onStep(step) {
      await operation.onStep?.(step)
      // The transaction stays in the state until the file has its outcome.
      if (step.step === 'settled') await recordStep(operation, step.settlement, step.pending)
    },
  })
}

/** Writes the first step's transaction to a file; the others stay planned. */
async function writeFirst(
  operation: Operation,
  { steps: [step], state }: StepsRequest,
  [first, ...others]: readonly StepReport[],
): Promise<StepReport[]> {
  if (step === undefined || first === undefined) return []
  const { wasmSha256: wasm_sha256, ...transaction } = await createStepTransaction(operation, step, state)
  const request = { ...transaction, purpose: { kind: 'step', step, wasm_sha256 } as const }
  const written = await writeOut(request, operation)
  if (written === null) return [first, ...others]
  const { file, transactionHash: transaction_hash, expiresAt: expires_at, paymentMotes } = written
  const payment_motes = paymentMotes.toString()
  await save(operation, {
    written: { step, wasm_sha256, transaction_hash, payment_motes, expires_at, file },
  })
  return [{ ...first, state: 'written', ...writtenFields(written) }, ...others]
}

/**
 * Records the outcome of a transaction that an earlier run has written to a file; null if there is none, or it expired.
 *
 * @throws {PreflightError} while it can still be executed; {@link TransactionFailedError}
 */
async function settleWritten(operation: Operation): Promise<RecordedStep | null> {
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
  const settlement = settlementOf(found.executed)
  await recordStep(operation, settlement, sent)
  await save(operation, { written: null })
  return recordedStep({ settlement, pending: sent })
}

/** Whether all nodes that answered have blocks after a time. */
const isPast = (blockTimes: readonly number[], epochMs: number): boolean =>
  blockTimes.length > 0 && Math.min(...blockTimes) > epochMs

const stillOpen = ({ step, transaction_hash, file, expires_at }: WrittenStep): PreflightError =>
  new PreflightError({
    reason: 'written',
    message: `${file} has the transaction ${transaction_hash} (${describeStep(step)}), which can be executed until ${new Date(expires_at).toISOString()}; sign and send it, or wait until then, and run this again`,
  })

const settlementOf = (executed: ExecutedTransaction): Settled =>
  executed.errorMessage === null
    ? { outcome: 'executed', executed, error: null }
    : { outcome: 'failed', executed, error: new TransactionFailedError({ executed }) }

async function runStep(
  step: Step,
  sender: DurableSender<StepPurpose>,
  { operation, check }: StepsRequest,
): Promise<RecordedStep> {
  const sent = await sender.send({
    async prepare(): Promise<SendRequest<StepPurpose>> {
      const state = await readDeploymentState(operation.rpc, deployedHashes(operation.deployment))
      await check(step, state)
      const { wasmSha256: wasm_sha256, ...request } = await createStepTransaction(operation, step, state)
      return { ...request, purpose: { kind: 'step', step, wasm_sha256 } }
    },
  })
  return recordedStep(sent)
}

type SentStep = Pick<PendingStep, 'purpose' | 'transaction_hash' | 'payment_motes'>

/**
 * Writes a step's outcome and its contract to the file. If a rejected transaction is sent again, the new outcome
 * replaces the rejection.
 */
async function recordStep(operation: Operation, settlement: Settled, pending: SentStep): Promise<void> {
  const { contracts, transactions } = operation.deployment
  const isSame = (each: RecordedStep) => each.transaction_hash === pending.transaction_hash
  // Recorded by a run that ended before it removed the transaction.
  if (transactions.some((each) => isSame(each) && each.error === null)) return
  const deployed =
    settlement.outcome === 'executed' ? await readContractAfter(operation, pending.purpose) : null
  await save(operation, {
    contracts: deployed ? { ...contracts, [pending.purpose.step.contract]: deployed } : contracts,
    transactions: [...transactions.filter((each) => !isSame(each)), createRecord(settlement, pending)],
  })
}

/** Returns the record of a step that was executed. @throws the error of one that was not. */
function recordedStep({ settlement, pending }: { settlement: Settlement; pending: SentStep }): RecordedStep {
  if (settlement.outcome !== 'executed') throw settlement.error
  return createRecord(settlement, pending)
}

const createRecord = (
  { executed, error }: Settled,
  { purpose: { step }, transaction_hash, payment_motes }: SentStep,
): RecordedStep => ({
  step,
  transaction_hash,
  payment_motes,
  block_height: executed?.blockHeight ?? null,
  consumed_motes: executed?.consumedMotes.toString() ?? null,
  charged_motes: (executed?.chargedMotes ?? 0n).toString(),
  error: error && (executed?.errorMessage ?? String(error)),
})

/**
 * Reads the contract that a step installed or upgraded; null for other steps. Retries, because the node may be a block
 * behind the one that reported the execution.
 */
async function readContractAfter(
  operation: Operation,
  { step, wasm_sha256 }: StepPurpose,
): Promise<DeployedContract | null> {
  if (step.kind === 'wire') return null
  const { pollMs = 2_000 } = operation
  return retry(() => readOnce(operation, step.contract, wasm_sha256), {
    attempts: 9,
    minPauseMs: pollMs,
    maxPauseMs: pollMs,
    shouldRetry: (error) => error instanceof NotThereYetError,
  })
}

async function readOnce(
  { rpc, signer, deployment }: Operation,
  contract: ContractName,
  wasmSha256: string | null,
): Promise<DeployedContract> {
  const before = deployment.contracts[contract]
  const namedKeys = before === null ? await getNamedKeys(rpc, signer.initiator) : null
  const packageHash = before?.package_hash ?? namedKeys?.get(packageKeyName(contract))?.replace(/^hash-/, '')
  if (packageHash === undefined) throw new NotThereYetError({ contract })
  const deployed = await readDeployedContract(rpc, contract, packageHash, wasmSha256).catch((error) => {
    throw error instanceof PackageNotFoundError ? new NotThereYetError({ contract }) : error
  })
  if (deployed.contract_hash === before?.contract_hash) throw new NotThereYetError({ contract })
  return deployed
}
