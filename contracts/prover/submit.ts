import { createContractsRpc } from '../../src/agent/contracts/openOperation.ts'
import { createPendingFile } from '../../src/agent/eligibility/pendingFile.ts'
import { submitClaim } from '../../src/agent/eligibility/submitClaim.ts'
import { submitRoot } from '../../src/agent/eligibility/submitRoot.ts'
import { readContractsSettings } from '../../src/agent/settings/contractsSettings.ts'
import type { Environment } from '../../src/agent/settings/environment.ts'
import type { ExecutedTransaction } from '../../src/agent/transaction/execution.ts'
import { loadSigner } from '../../src/agent/transaction/signer.ts'
import { readProofFile } from './proofFile.ts'

/** Submits a proof file, and tells what became of it. */
export async function claim(
  path: string,
  isDryRun: boolean,
  environment: Environment,
  warn: (message: string) => void,
): Promise<object> {
  const settings = readContractsSettings(environment, true)
  const proof = await readProofFile(path)
  const { signer, warning } = await loadSigner(settings.keyPath)
  if (warning !== null) warn(warning)
  const outcome = await submitClaim(proof, {
    rpc: createContractsRpc(settings),
    signer,
    chainName: settings.chainName,
    isDryRun,
    pending: createPendingFile(`${path}.pending`),
    ...(settings.callPaymentMotes !== null && { paymentMotes: settings.callPaymentMotes }),
  })
  const told = { state: outcome.state, account: signer.accountHash, gate: `hash-${proof.gatePackageHash}` }
  switch (outcome.state) {
    case 'eligible':
      return told
    case 'planned':
      return { ...told, payment_motes: outcome.paymentMotes.toString() }
    case 'pending':
      return { ...told, transaction_hash: outcome.transactionHash }
    case 'executed':
      return { ...told, ...formatExecuted(outcome.executed) }
  }
}

/** Makes the root of a group file's members the newest one of a gate. */
export async function setRoot(
  root: bigint,
  gatePackageHash: string,
  isDryRun: boolean,
  environment: Environment,
  warn: (message: string) => void,
): Promise<object> {
  const settings = readContractsSettings(environment, true)
  const { signer, warning } = await loadSigner(settings.keyPath)
  if (warning !== null) warn(warning)
  const outcome = await submitRoot(root, {
    rpc: createContractsRpc(settings),
    signer,
    chainName: settings.chainName,
    gatePackageHash,
    isDryRun,
    ...(settings.callPaymentMotes !== null && { paymentMotes: settings.callPaymentMotes }),
  })
  const told = { state: outcome.state, gate: `hash-${gatePackageHash}`, root: root.toString() }
  if (outcome.state === 'done') return told
  if (outcome.state === 'planned') return { ...told, payment_motes: outcome.paymentMotes.toString() }
  return { ...told, ...formatExecuted(outcome.executed) }
}

const formatExecuted = ({
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
