import { defineError, retry } from '@wattfeed/base'
import { PackageNotFoundError } from '@wattfeed/casper'
import { getNamedKeys, type Settled } from '@wattfeed/casper/transaction'
import type { ContractName } from 'wattfeed/internal'
import type { SentTransaction } from '../payAll.ts'
import {
  type DeployedContract,
  type RecordedStep,
  type StepPurpose,
  stepPurposeOf,
} from './deploymentFile.ts'
import { type Operation, save } from './operation.ts'
import { installedHash, readDeployedContract } from './resolvePackages.ts'

/** How often the new contract is read. With the default pause between two, for 16 s: a block, and a slow node. */
const READS = 9

/** The node does not yet return a contract that was just installed or upgraded. */
const NotThereYetError = defineError(
  'NotThereYetError',
  'not_there_yet',
  (facts: { contract: ContractName }) =>
    `the transaction was executed, but the node does not return the new ${facts.contract} yet; run this command again`,
  { retryable: true },
)

/**
 * Writes a step's outcome and its contract to the file. If a rejected transaction is sent again, the new outcome
 * replaces the rejection.
 */
export async function recordStep(
  operation: Operation,
  settled: Pick<Settled, 'executed' | 'error'>,
  sent: SentTransaction,
): Promise<void> {
  const { contracts, transactions } = operation.deployment
  const isSame = (each: RecordedStep) => each.transaction_hash === sent.transaction_hash
  // Recorded by a run that ended before it removed the transaction.
  if (transactions.some((each) => isSame(each) && each.error === null)) return
  const purpose = stepPurposeOf(sent.purpose)
  const deployed = settled.error === null ? await readContractAfter(operation, purpose) : null
  await save(operation, {
    contracts: deployed ? { ...contracts, [purpose.step.contract]: deployed } : contracts,
    transactions: [...transactions.filter((each) => !isSame(each)), createRecord(settled, sent)],
  })
}

const createRecord = (
  { executed, error }: Pick<Settled, 'executed' | 'error'>,
  { purpose, transaction_hash, payment_motes }: SentTransaction,
): RecordedStep => ({
  step: stepPurposeOf(purpose).step,
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
    attempts: READS,
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
  const packageHash =
    before?.package_hash ?? installedHash(await getNamedKeys(rpc, signer.initiator), contract)
  if (packageHash === undefined) throw new NotThereYetError({ contract })
  const deployed = await readDeployedContract(rpc, contract, packageHash, wasmSha256).catch((error) => {
    throw error instanceof PackageNotFoundError ? new NotThereYetError({ contract }) : error
  })
  if (deployed.contract_hash === before?.contract_hash) throw new NotThereYetError({ contract })
  return deployed
}
