import type { ContractName } from 'wattfeed/internal'
import type { Payer } from '../payAll.ts'
import { type Deployment, writeDeployment } from './deploymentFile.ts'
import type { PackageHashes } from './deploymentState.ts'

/** The payment of each kind of transaction, in motes. */
export interface Payments {
  wasm: Readonly<Record<ContractName, bigint>>
  call: bigint
}

export interface Operation extends Payer {
  /** Package hashes from the settings. */
  packageHashes: PackageHashes
  payments: Payments
  wasmFolder: string
  /** The path of the deployment file. */
  path: string
  /** The deployment file's content; replaced by {@link save}. */
  deployment: Deployment
}

/** Changes the deployment and writes its file, unless it is a dry run. */
export async function save(operation: Operation, changes: Partial<Deployment>): Promise<void> {
  operation.deployment = { ...operation.deployment, ...changes }
  if (!operation.isDryRun) await writeDeployment(operation.path, operation.deployment)
}
