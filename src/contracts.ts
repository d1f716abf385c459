import { addInstall } from './operator/contracts/install.ts'
import { addStatus } from './operator/contracts/status.ts'
import { addUpgrade } from './operator/contracts/upgrade.ts'
import { addWire } from './operator/contracts/wire.ts'
import { createProgram } from './operator/program.ts'
import { contractsSettings } from './operator/settings.ts'
import { formatSettings } from './runtime/settings/formatSettings.ts'

const help = `
Settings, from the environment:
${formatSettings(contractsSettings)}

Exit codes:
  0  done (with --dry-run: it can be done)
  1  nothing was sent: a setting, a file, the node, the balance or a check failed
  2  something was sent: a transaction was rejected, failed, expired, or is still pending;
     run the same command again to resume

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

export const contractsCommand = program.command

if (import.meta.main) await contractsCommand.parseAsync()
