import { Command, Option } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { type ContractName, contractNames } from './operator/contracts/contractName.ts'
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
import { readContractsSettings } from './operator/contractsSettings.ts'
import { exitCodeOf } from './operator/exitCode.ts'
import { commandError } from './runtime/errorFields.ts'

interface PrintOptions {
  json?: boolean
}

type WriteOptions = OperationOptions & PrintOptions & { only?: readonly ContractName[] }

async function write(
  command: string,
  options: WriteOptions,
  work: (operation: Operation) => Promise<StepReport[]>,
): Promise<void> {
  let hasSent = false
  try {
    const settings = readContractsSettings(process.env, true)
    const report = await runOperation(command, settings, options, work, {
      warn,
      progress(event) {
        hasSent = true
        showProgress(formatProgress(event))
      },
    })
    print(report, options, () => formatReport(report))
  } catch (error) {
    fail(command, error, options, exitCodeOf(error, hasSent))
  }
}

async function status(options: PrintOptions & { file?: string }): Promise<void> {
  try {
    const settings = readContractsSettings(process.env, false)
    const found = await readStatus(createContractsRpc(settings), await statusHashes(settings, options.file))
    const { chainName } = settings
    print({ chain_name: chainName, ...found }, options, () => formatStatus(chainName, found))
  } catch (error) {
    fail('status', error, options, exitCodeOf(error, false))
  }
}

function print(object: object, { json = false }: PrintOptions, format: () => string): void {
  console.log(json ? JSON.stringify(object) : format())
}

const warn = (message: string): void => {
  for (const line of message.split('\n')) console.error(`contracts: ${line}`)
}

let lastProgress = ''

/** Only to people, and only what is new. */
function showProgress(line: string): void {
  if (process.stderr.isTTY && line !== lastProgress) console.error(line)
  lastProgress = line
}

function fail(command: string, error: unknown, { json = false }: PrintOptions, exitCode: number): void {
  const failure = commandError(error)
  if (json) console.log(JSON.stringify({ command, error: failure }))
  warn(failure.message)
  process.exitCode = exitCode
}

const program = new Command('contracts')
  .description('Installs, upgrades, wires and inspects the contracts of wattfeed on a Casper chain.')
  .version(manifest.version)
  .addHelpText('after', settingsHelp)

const writing = (name: string, description: string, help: string): Command =>
  program
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

writing('wire', 'tell the contracts each other’s addresses', wireHelp).action((options: WriteOptions) =>
  write('wire', { ...options, wasm: wasmFolder, payment: wasmPaymentMotes }, wire),
)

program
  .command('status')
  .description('show what is on chain')
  .option('--json', 'print one JSON object on standard output')
  .option('--file <path>', 'the deployment file (default: deployment-<chain>.json in AGENT_STATE_DIR)')
  .addHelpText('after', statusHelp)
  .action(status)

await program.parseAsync()
