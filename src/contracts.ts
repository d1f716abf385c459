import { addInstall } from './operator/contracts/install.ts'
import { addStatus } from './operator/contracts/status.ts'
import { addUpgrade } from './operator/contracts/upgrade.ts'
import { addWire } from './operator/contracts/wire.ts'
import { contractsSettings } from './operator/contractsSettings.ts'
import { createProgram } from './operator/program.ts'
import { formatSettings } from './runtime/formatSettings.ts'

/** Settings and exit codes of `--help`. */
const help = `
Settings, from the environment:
${formatSettings(contractsSettings)}

Exit codes:
  0  done (with --dry-run: it can be done)
  1  nothing was sent: a setting, a file, the node, the balance or a check stands in the way
  2  something was sent: a transaction was refused, failed, expired, or its end is not known yet;
     run the same command again to go on from there

A transaction that fails loses its whole payment, so everything that can be checked is checked before it is sent.`

const program = createProgram('contracts', {
  description: 'Installs, upgrades, wires and inspects the contracts of wattfeed on a Casper chain.',
  help,
  environment: process.env,
})
addInstall(program)
addUpgrade(program)
addWire(program)
addStatus(program)

/** `wattfeed contracts` */
export const contractsCommand = program.command

if (import.meta.main) await contractsCommand.parseAsync()
