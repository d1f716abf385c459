import pRetry from 'p-retry'
import { getNamedKeys } from '../../casper/transaction/getNamedKeys.ts'
import { WattfeedError } from '../../errors.ts'
import { PackageNotFoundError } from '../../odra/contract.ts'
import { type ContractName, packageKeyName } from '../../registry/installation.ts'
import { readDeployedContract } from './deployedContract.ts'
import type { DeployedContract, PendingStep } from './deploymentFile.ts'
import type { Operation } from './operation.ts'

/** A contract that was installed or upgraded a moment ago, which the node does not show yet. */
export class NotThereYetError extends WattfeedError {
  static override readonly name = 'NotThereYetError'
  readonly code = 'not_there_yet'
  readonly retryable = true

  constructor(readonly contract: ContractName) {
    super(`the transaction was executed, and the node does not show the new ${contract} yet; run this again`)
  }
}

/**
 * What an executed installation or upgrade has made of a contract, or null where the step makes none.
 *
 * The node that is asked may be a block behind the one that told of the execution, so it is asked a few times.
 * Throws a {@link NotThereYetError}.
 */
export async function readContractAfter(
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
