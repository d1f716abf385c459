import { basename, dirname, join } from 'node:path'
import type { Command } from 'commander'
import { acquireLock } from '../../runtime/lockFile.ts'
import { similarNames } from '../../runtime/misspelt.ts'
import { sumMotes } from '../amounts.ts'
import { type ContractsSettings, contractsSettings, readContractsSettings } from '../contractsSettings.ts'
import { exitCodeOf } from '../exitCode.ts'
import { openRpc } from '../open.ts'
import { openPayer } from '../pay.ts'
import { outFileOf, type PaidOptions, type Program, type ProgramContext, withOut } from '../program.ts'
import { createStepStore, openDeployment, type StepPurpose } from './deploymentFile.ts'
import { deployedHashes, type Operation } from './operation.ts'
import { wirePaymentMotes } from './payments.ts'
import { formatReport, type StepReport } from './report.ts'
import { describeStep } from './step.ts'

export interface DeploymentOptions extends PaidOptions {
  /** Path of the deployment file. @default in the state folder, named after the chain */
  file?: string
}

export const fileOption = [
  '--file <path>',
  'the deployment file (default: deployment-<chain>.json in AGENT_STATE_DIR)',
] as const

export const addDeploymentCommand = (
  { command }: Program,
  name: string,
  description: string,
  help: string,
): Command =>
  withOut(
    command
      .command(name)
      .description(description)
      .option('--dry-run', 'check everything, and show the transactions to send and their maximum payment'),
  )
    .option('--json', 'print one JSON object on standard output')
    .option(...fileOption)
    .addHelpText('after', help)

export function deploymentPath({ stateDir, chainName }: ContractsSettings, file?: string): string {
  return file ?? join(stateDir, `deployment-${chainName}.json`)
}

export function readSettings({ environment, terminal }: ProgramContext, writes: boolean): ContractsSettings {
  const settings = readContractsSettings(environment, writes)
  for (const message of similarNames(environment, contractsSettings)) terminal.warn(message)
  return settings
}

/** Runs a command that writes, and reports. Locks its deployment file unless it is a dry run, which writes nothing. */
export function runDeployment(
  program: ProgramContext,
  name: string,
  { json, ...options }: DeploymentOptions,
  parts: Pick<Operation, 'wasmFolder'> & { wasmPayments: Operation['payments']['wasm'] },
  work: (operation: Operation) => Promise<StepReport[]>,
): Promise<void> {
  const { terminal } = program
  let hasSent = false
  return terminal.run({ name, json, exitCodeOf: (error) => exitCodeOf(error, hasSent) }, async () => {
    const settings = readSettings(program, true)
    const { chainName, packageHashes } = settings
    const { file, dryRun: isDryRun = false } = options
    const path = deploymentPath(settings, file)
    using _ = isDryRun ? null : acquireLock(`${path}.lock`)
    const nameOf = ({ step }: StepPurpose): string => describeStep(step)
    using payer = await openPayer({
      settings,
      rpc: openRpc(settings),
      stateDir: dirname(path),
      purpose: name,
      isDryRun,
      terminal,
      nameOf,
      out: outFileOf(options),
    })
    const operation: Operation = {
      ...payer,
      packageHashes,
      payments: { wasm: parts.wasmPayments, call: settings.callPaymentMotes ?? wirePaymentMotes },
      wasmFolder: parts.wasmFolder,
      path,
      store: createStepStore(payer.state, {
        chainName,
        contract: basename(path),
        account: payer.signer.accountHash,
      }),
      deployment: await openDeployment(path, chainName, payer.signer),
      onStep(step) {
        hasSent ||= !NOT_SENT.has(step.step)
        return payer.onStep?.(step)
      },
    }
    const steps = await work(operation)
    const report = {
      command: name,
      chain_name: chainName,
      account: payer.signer.accountHash,
      is_dry_run: isDryRun,
      deployment_file: path,
      steps,
      ...sumMotes(steps),
      package_hashes: deployedHashes(operation.deployment),
    }
    return { report, text: formatReport(report) }
  })
}

/** Steps of a transaction that this run has not sent. */
const NOT_SENT: ReadonlySet<string> = new Set(['signed', 'clock_off', 'resumed'])
