import type { Rpc } from '../../casper/rpc/rpc.ts'
import type { ExecutedTransaction } from '../../casper/transaction/execution.ts'
import type { FollowOptions, TransactionEvent } from '../../casper/transaction/followTransaction.ts'
import type { Signer } from '../../casper/transaction/signer.ts'
import type { ContractName } from '../../registry/installation.ts'
import { type Deployment, writeDeployment } from './deploymentFile.ts'
import type { PackageHashes } from './deploymentState.ts'
import type { Step } from './step.ts'

/** What happens to a step. */
export type ProgressEvent =
  | { step: Step; event: 'signed' | TransactionEvent; transactionHash: string }
  | { step: Step; event: 'executed'; executed: ExecutedTransaction }

/** What each kind of transaction pays, in motes. */
export interface Payments {
  wasm: Readonly<Record<ContractName, bigint>>
  call: bigint
}

/** Everything that the commands work with. */
export interface Operation {
  rpc: Rpc
  signer: Signer
  chainName: string
  /** Package hashes from the settings. */
  packageHashes: PackageHashes
  payments: Payments
  wasmFolder: string
  /** Where the deployment file stands. */
  path: string
  /** What the file holds; replaced by {@link save}. */
  deployment: Deployment
  isDryRun: boolean
  follow: Omit<FollowOptions, 'rpc' | 'onEvent'>
  onProgress: (event: ProgressEvent) => void
}

/** Changes what is known of the deployment, and the file with it. */
export async function save(operation: Operation, changes: Partial<Deployment>): Promise<void> {
  operation.deployment = { ...operation.deployment, ...changes }
  if (!operation.isDryRun) await writeDeployment(operation.path, operation.deployment)
}

/** Package hashes of the deployment as far as they are known. */
export function deployedHashes({ contracts }: Deployment): PackageHashes {
  return {
    FeedRegistry: contracts.FeedRegistry?.package_hash ?? null,
    AttestationRegistry: contracts.AttestationRegistry?.package_hash ?? null,
    EligibilityGate: contracts.EligibilityGate?.package_hash ?? null,
  }
}
