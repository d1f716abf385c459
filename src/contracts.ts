import { type Command, Option } from 'commander'
import { install } from './operator/contracts/install.ts'
import type { Operation } from './operator/contracts/operation.ts'
import { formatPayments, parseContract, parsePayment } from './operator/contracts/options.ts'
import { upgradePaymentMotes, wasmPaymentMotes } from './operator/contracts/payments.ts'
import { formatProgress, formatReport, type StepReport } from './operator/contracts/report.ts'
import { createContractsRpc, type OperationOptions, runOperation } from './operator/contracts/runOperation.ts'
import {
  installHelp,
  settingsHelp,
  statusHelp,
  upgradeHelp,
  wireHelp,
} from './operator/contracts/settingsHelp.ts'
import { formatStatus, readStatus, statusHashes } from './operator/contracts/status.ts'
import { upgrade } from './operator/contracts/upgrade.ts'
import { wasmFolder } from './operator/contracts/wasmFile.ts'
import { wire } from './operator/contracts/wire.ts'
import {
  type ContractsSettings,
  contractsSettings,
  readContractsSettings,
} from './operator/contractsSettings.ts'
import { exitCodeOf } from './operator/exitCode.ts'
import { type ContractName, contractNames } from './registry/installation.ts'
import { createCommand } from './runtime/createCommand.ts'
import { similarNames } from './runtime/misspelt.ts'
import { createTerminal } from './runtime/terminal.ts'

interface PrintOptions {
  json?: boolean
}

type WriteOptions = OperationOptions & PrintOptions & { only?: readonly ContractName[] }

const terminal = createTerminal('contracts')

function readSettings(writes: boolean): ContractsSettings {
  const settings = readContractsSettings(process.env, writes)
  for (const message of similarNames(process.env, contractsSettings)) terminal.warn(message)
  return settings
}

function write(
  name: string,
  { json, ...options }: WriteOptions,
  work: (operation: Operation) => Promise<StepReport[]>,
): Promise<void> {
  let hasSent = false
  return terminal.run({ name, json, exitCodeOf: (error) => exitCodeOf(error, hasSent) }, async () => {
    const settings = readSettings(true)
    const report = await runOperation(name, settings, options, work, {
      warn: terminal.warn,
      progress(event) {
        hasSent ||= event.event !== 'clock_off'
        terminal.progress(formatProgress(event))
      },
    })
    return { report, text: formatReport(report) }
  })
}

const status = ({ json, file }: PrintOptions & { file?: string }): Promise<void> =>
  terminal.run({ name: 'status', json, exitCodeOf: (error) => exitCodeOf(error, false) }, async () => {
    const settings = readSettings(false)
    const found = await readStatus(createContractsRpc(settings), await statusHashes(settings, file))
    const { chainName } = settings
    return { report: { chain_name: chainName, ...found }, text: formatStatus(chainName, found) }
  })

/** `wattfeed contracts` */
export const contractsCommand = createCommand('contracts')
  .description('Installs, upgrades, wires and inspects the contracts of wattfeed on a Casper chain.')
  .addHelpText('after', settingsHelp)

const writing = (name: string, description: string, help: string): Command =>
  contractsCommand
    .command(name)
    .description(description)
    .option('--dry-run', 'check everything and show what would be sent, and what it pays at most')
    .option('--json', 'print one JSON object on standard output')
    .option('--file <path>', 'the deployment file (default: deployment-<chain>.json in AGENT_STATE_DIR)')
    .addHelpText('after', help)

const withWasm = (command: Command, payments: typeof wasmPaymentMotes): Command =>
  command
    .addOption(
      new Option('--wasm <folder>', 'where the built contracts and their SHA256SUMS are').default(
        wasmFolder,
        'those of this package',
      ),
    )
    .addOption(
      new Option('--payment <contract=CSPR>', 'what one contract pays; can be repeated')
        .argParser(parsePayment)
        .default(payments, formatPayments(payments)),
    )

withWasm(writing('install', 'install the contracts and wire them', installHelp), wasmPaymentMotes).action(
  (options: WriteOptions) => write('install', options, install),
)

withWasm(writing('upgrade', 'upgrade the contracts to the built wasm', upgradeHelp), upgradePaymentMotes)
  .option('--only <contract>', 'upgrade this one; can be repeated', parseContract)
  .action((options: WriteOptions) =>
    write('upgrade', options, (operation) =>
      upgrade(
        operation,
        contractNames.filter((name) => options.only?.includes(name) ?? true),
      ),
    ),
  )

writing('wire', 'set the contracts’ addresses of each other', wireHelp).action((options: WriteOptions) =>
  write('wire', { ...options, wasm: wasmFolder, payment: wasmPaymentMotes }, wire),
)

contractsCommand
  .command('status')
  .description('show what is on chain')
  .option('--json', 'print one JSON object on standard output')
  .option('--file <path>', 'the deployment file (default: deployment-<chain>.json in AGENT_STATE_DIR)')
  .addHelpText('after', statusHelp)
  .action(status)

if (import.meta.main) await contractsCommand.parseAsync()
