import { acquireLock } from '../../runtime/lockFile.ts'
import type { ContractsSettings } from '../contractsSettings.ts'
import type { Report } from './formatReport.ts'
import { deploymentPath, type OperationOptions, openOperation } from './openOperation.ts'
import { deployedHashes, type Operation } from './operation.ts'
import type { StepReport } from './report.ts'

/** Who is told what happens on the way. */
export interface Listener {
  warn: (message: string) => void
  progress: Operation['onProgress']
}

/** Runs a command that writes, alone on its deployment file, and reports. A dry run holds nothing and writes nothing. */
export async function runOperation(
  command: string,
  settings: ContractsSettings,
  options: OperationOptions,
  work: (operation: Operation) => Promise<StepReport[]>,
  listener: Listener,
): Promise<Report> {
  const path = deploymentPath(settings, options.file)
  using _ = options.dryRun ? null : acquireLock(`${path}.lock`)
  const { operation, warning } = await openOperation(settings, options, listener.progress)
  if (warning !== null) listener.warn(warning)
  const steps = await work(operation)
  return {
    command,
    chain_name: settings.chainName,
    account: operation.signer.accountHash,
    is_dry_run: operation.isDryRun,
    deployment_file: path,
    steps,
    payment_motes: sum(steps.map((step) => step.payment_motes)),
    charged_motes: sum(steps.map((step) => step.charged_motes)),
    package_hashes: deployedHashes(operation.deployment),
  }
}

const sum = (motes: readonly (string | null)[]): string =>
  motes.reduce((total, each) => total + BigInt(each ?? 0), 0n).toString()
