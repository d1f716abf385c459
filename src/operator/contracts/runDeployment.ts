import { basename, dirname, join } from 'node:path'
import { createSqliteStore } from '@wattfeed/casper/sqlite'
import type { Command } from 'commander'
import { sumMotes } from '../amounts.ts'
import { runPaying } from '../exitCode.ts'
import { openRpc } from '../open.ts'
import { openPayer } from '../openPayer.ts'
import { addOutOptions, type PaidOptions, type Program, type ProgramContext } from '../program.ts'
import {
  type ContractsSettings,
  contractsSettings,
  neededToPay,
  packageHashesOf,
  readSettings,
} from '../settings.ts'
import { deployedHashes, openDeployment, StepPurpose, stepPurposeOf } from './deploymentFile.ts'
import type { Operation } from './operation.ts'
import { wirePaymentMotes } from './payments.ts'
import { formatReport, type StepReport } from './report.ts'
import { describeStep } from './step.ts'

export interface DeploymentOptions extends PaidOptions {
  /** Path of the deployment file. @default in the state folder, named after the chain */
  file?: string
}

/**
 * Runs a command that changes the contracts: opens the account that pays and the deployment file, does the work, and reports.
 *
 * @param wasm where the contracts are, and what installing or upgrading each pays; a command that only wires uses neither
 */
export function runDeployment(
  program: ProgramContext,
  name: string,
  { json, ...options }: DeploymentOptions,
  wasm: Pick<Operation, 'wasmFolder'> & { wasmPayments: Operation['payments']['wasm'] },
  work: (operation: Operation) => Promise<StepReport[]>,
): Promise<void> {
  return runPaying(program, { name, json }, async (onStep) => {
    const settings = readSettings(program, contractsSettings, neededToPay)
    const { casperChainName: chainName } = settings
    const path = deploymentPath(settings, options.file)
    using payer = await openPayer(options, {
      settings,
      rpc: openRpc(settings),
      terminal: program.terminal,
      stateDir: dirname(path),
      purpose: name,
      lock: [`${path}.lock`],
      // Installing begins without any package hash, so the file's name stands for the contracts.
      contract: basename(path),
      openStore: (place) => createSqliteStore({ ...place, purpose: StepPurpose }),
      nameOf: (purpose) => describeStep(stepPurposeOf(purpose).step),
      onStep,
    })
    const operation: Operation = {
      ...payer,
      packageHashes: packageHashesOf(settings),
      payments: { wasm: wasm.wasmPayments, call: settings.paymentMotes ?? wirePaymentMotes },
      wasmFolder: wasm.wasmFolder,
      path,
      deployment: await openDeployment(path, chainName, payer.signer),
    }
    const steps = await work(operation)
    const report = {
      command: name,
      chain_name: chainName,
      account: payer.signer.accountHash,
      is_dry_run: payer.isDryRun,
      deployment_file: path,
      steps,
      ...sumMotes(steps),
      package_hashes: deployedHashes(operation.deployment),
    }
    return { report, text: formatReport(report) }
  })
}

export const fileOption = [
  '--file <path>',
  'the deployment file (default: deployment-<chain>.json in AGENT_STATE_DIR)',
] as const

/** Adds a command that {@link runDeployment} runs. */
export const addDeploymentCommand = (
  { command }: Program,
  name: string,
  description: string,
  help: string,
): Command =>
  addOutOptions(
    command
      .command(name)
      .description(description)
      .option('--dry-run', 'check everything, and show the transactions to send and their maximum payment'),
  )
    .option('--json', 'print one JSON object on standard output')
    .option(...fileOption)
    .addHelpText('after', help)

export function deploymentPath({ agentStateDir, casperChainName }: ContractsSettings, file?: string): string {
  return file ?? join(agentStateDir, `deployment-${casperChainName}.json`)
}
