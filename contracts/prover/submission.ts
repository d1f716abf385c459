import type { Rpc } from '../../src/casper/rpc/rpc.ts'
import type { ExecutedTransaction } from '../../src/casper/transaction/execution.ts'
import { loadSigner, type Signer } from '../../src/casper/transaction/signer.ts'
import { createContractsRpc } from '../../src/operator/contracts/openOperation.ts'
import { readContractsSettings } from '../../src/operator/contractsSettings.ts'
import type { Environment } from '../../src/runtime/settings.ts'

/** How a command that sends something is run. */
export interface SubmissionRequest {
  isDryRun: boolean
  environment: Environment
  warn: (message: string) => void
}

/** What every command that sends something works with. */
export interface Submission {
  rpc: Rpc
  signer: Signer
  chainName: string
  isDryRun: boolean
  /** Left out where the settings name none. */
  paymentMotes?: bigint
}

/** Reads settings and key. Throws a `SettingsError` and what `loadSigner` throws; nothing is asked of the node yet. */
export async function openSubmission({
  isDryRun,
  environment,
  warn,
}: SubmissionRequest): Promise<Submission> {
  const settings = readContractsSettings(environment, true)
  const { signer, warning } = await loadSigner(settings.keyPath)
  if (warning !== null) warn(warning)
  return {
    rpc: createContractsRpc(settings),
    signer,
    chainName: settings.chainName,
    isDryRun,
    ...(settings.callPaymentMotes !== null && { paymentMotes: settings.callPaymentMotes }),
  }
}

/** What an executed transaction was and cost, as it is printed. */
export const formatExecuted = ({
  transactionHash,
  blockHeight,
  consumedMotes,
  chargedMotes,
}: ExecutedTransaction) => ({
  transaction_hash: transactionHash,
  block_height: blockHeight,
  consumed_motes: consumedMotes.toString(),
  charged_motes: chargedMotes.toString(),
})
