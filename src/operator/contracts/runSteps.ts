import pRetry from 'p-retry'
import { getNamedKeys } from '../../casper/transaction/account.ts'
import {
  assertExecuted,
  createDurableSender,
  type DurableSender,
  isSettled,
  type SendRequest,
  type Settled,
  type Settlement,
} from '../../casper/transaction/durableSender.ts'
import { WattfeedError } from '../../errors.ts'
import { PackageNotFoundError } from '../../odra/contract.ts'
import { type ContractName, packageKeyName } from '../../registry/installation.ts'
import { tellProgress } from '../progress.ts'
import { type Account, assertBalance, readAccount } from './account.ts'
import type { DeployedContract, Deployment, PendingStep, SettledStep, StepPurpose } from './deploymentFile.ts'
import { type DeploymentState, readDeploymentState } from './deploymentState.ts'
import { deployedHashes, type Operation, readDeployedContract, save } from './operation.ts'
import { reportExecuted, reportPending, reportPlanned, type StepReport } from './report.ts'
import { assertStepLane, createStepTransaction, type Step } from './steps.ts'

/** A contract that was installed or upgraded a moment ago, which the node does not show yet. */
export class NotThereYetError extends WattfeedError {
  static override readonly name = 'NotThereYetError'
  readonly code = 'not_there_yet'
  readonly retryable = true

  constructor(readonly contract: ContractName) {
    super(`the transaction was executed, and the node does not show the new ${contract} yet; run this again`)
  }
}

export interface StepsRequest {
  operation: Operation
  steps: readonly Step[]
  account: Account
  state: DeploymentState
  /** Checks again just before a step is signed, with the chain as it is then. */
  check: (step: Step, state: DeploymentState) => void | Promise<void>
}

/** Does steps one after another, after seeing that all of them can be paid for and fit the network; or says what they would be. */
export async function runSteps(request: StepsRequest): Promise<StepReport[]> {
  const { operation, steps, account, state } = request
  const planned: StepReport[] = []
  let neededMotes = 0n
  for (const step of steps) {
    const paymentMotes = await assertStepLane(operation, step, state)
    neededMotes += paymentMotes
    planned.push(reportPlanned(step, paymentMotes))
  }
  assertBalance(account, neededMotes)
  if (operation.isDryRun) return planned
  const sender = createStepSender(operation)
  const reports: StepReport[] = []
  for (const step of steps) reports.push(reportExecuted(await runStep(step, sender, request)))
  return reports
}

/** What a command finds before its steps. */
interface Begun {
  /** What an earlier run left, and came to an end now. */
  resumed: SettledStep | null
  /** What an earlier run left, and a dry run does not follow. */
  pending: PendingStep | null
  account: Account
  state: DeploymentState
}

/** Settles what an earlier run left, finds the contracts to work on, and reads them. */
export async function beginSteps(
  operation: Operation,
  findContracts: (account: Account) => Promise<Deployment['contracts']>,
): Promise<Begun> {
  const resumed = await resumePending(operation)
  const account = await readAccount(operation.rpc, operation.signer)
  await save(operation, { contracts: await findContracts(account) })
  const { pending } = operation.deployment
  const state = await readDeploymentState(operation.rpc, deployedHashes(operation.deployment))
  return { resumed, pending, account, state }
}

/** What became of an earlier run's transaction. */
export const reportEarlier = ({ resumed, pending }: Begun): StepReport[] => [
  ...(resumed ? [reportExecuted(resumed)] : []),
  ...(pending ? [reportPending(pending.step, pending.transaction_hash)] : []),
]

/**
 * Settles what an earlier run left pending: the very same bytes are followed, and sent again where no node knows
 * them. Null where nothing was, or where it expired unexecuted: then the step is still to be done.
 */
async function resumePending(operation: Operation): Promise<SettledStep | null> {
  if (operation.isDryRun) return null
  const recordOutcome = (settlement: Settlement, pending: PendingStep) =>
    noteEnd(operation, settlement, pending)
  const [noted] = await createStepSender(operation).resume(recordOutcome)
  if (noted === undefined || noted.settlement.outcome === 'expired') return null
  assertExecuted(noted.settlement)
  return noted.settled
}

/** Keeps the pending transaction in the deployment file. */
function createStepSender(operation: Operation): DurableSender<StepPurpose> {
  const { follow, onProgress } = operation
  return createDurableSender<StepPurpose>({
    ...operation,
    ...follow,
    onStep: tellProgress(onProgress),
    store: {
      list: async () => (operation.deployment.pending === null ? [] : [operation.deployment.pending]),
      write: (pending) => save(operation, { pending }),
      // It went with the note of its end, in one writing of the file.
      remove: async () => {
        if (operation.deployment.pending !== null) await save(operation, { pending: null })
      },
    },
  })
}

async function runStep(
  step: Step,
  sender: DurableSender<StepPurpose>,
  { operation, check }: StepsRequest,
): Promise<SettledStep> {
  const { settlement, settled } = await sender.send({
    async prepare(): Promise<SendRequest<StepPurpose>> {
      const state = await readDeploymentState(operation.rpc, deployedHashes(operation.deployment))
      await check(step, state)
      const { wasmSha256: wasm_sha256, ...request } = await createStepTransaction(operation, step, state)
      return { ...request, purpose: { step, wasm_sha256 } }
    },
    recordOutcome: (end, pending) => noteEnd(operation, end, pending),
  })
  assertExecuted(settlement)
  return settled
}

/** Writes down how a step ended, and what it made; of one that may still be executed the file knows until then. */
async function noteEnd(
  operation: Operation,
  settlement: Settlement,
  pending: PendingStep,
): Promise<{ settlement: Settled; settled: SettledStep }> {
  if (!isSettled(settlement)) throw settlement.error
  const settled = settledStep(pending, settlement)
  const deployed = settlement.outcome === 'executed' ? await readContractAfter(operation, pending) : null
  const { contracts, transactions } = operation.deployment
  await save(operation, {
    contracts: deployed ? { ...contracts, [pending.step.contract]: deployed } : contracts,
    transactions: [...transactions, settled],
    pending: null,
  })
  return { settlement, settled }
}

const settledStep = (
  { step, transaction_hash, payment_motes }: PendingStep,
  { executed, error }: Settled,
): SettledStep => ({
  step,
  transaction_hash,
  payment_motes,
  block_height: executed?.blockHeight ?? null,
  consumed_motes: executed?.consumedMotes.toString() ?? null,
  charged_motes: (executed?.chargedMotes ?? 0n).toString(),
  error: error && (executed?.errorMessage ?? String(error)),
})

/**
 * What an executed installation or upgrade has made of a contract, or null where the step makes none.
 *
 * The node that is asked may be a block behind the one that told of the execution, so it is asked a few times.
 * Throws a {@link NotThereYetError}.
 */
async function readContractAfter(
  operation: Operation,
  { step, wasm_sha256 }: PendingStep,
): Promise<DeployedContract | null> {
  if (step.kind === 'wire') return null
  return pRetry(() => readOnce(operation, step.contract, wasm_sha256), {
    retries: 8,
    factor: 1,
    minTimeout: operation.follow.pollMs ?? 2_000,
    shouldRetry: ({ error }) => error instanceof NotThereYetError,
  })
}

async function readOnce(
  { rpc, signer, deployment }: Operation,
  contract: ContractName,
  wasmSha256: string | null,
): Promise<DeployedContract> {
  const before = deployment.contracts[contract]
  const namedKeys = before === null ? await getNamedKeys(rpc, signer.publicKey) : null
  const packageHash = before?.package_hash ?? namedKeys?.get(packageKeyName(contract))?.replace(/^hash-/, '')
  if (packageHash === undefined) throw new NotThereYetError(contract)
  const deployed = await readDeployedContract(rpc, contract, packageHash, wasmSha256).catch((error) => {
    throw error instanceof PackageNotFoundError ? new NotThereYetError(contract) : error
  })
  if (deployed.contract_hash === before?.contract_hash) throw new NotThereYetError(contract)
  return deployed
}
