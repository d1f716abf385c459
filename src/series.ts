import { createProgram } from './operator/program.ts'
import { addArguments } from './operator/series/arguments.ts'
import { addHistory } from './operator/series/history.ts'
import { addPut } from './operator/series/put.ts'
import { addRevisions } from './operator/series/revisions.ts'
import { addTable } from './operator/series/table.ts'
import { addValue } from './operator/series/value.ts'
import { exportSettings } from './operator/settings.ts'
import { formatSettings } from './runtime/settings/formatSettings.ts'

const help = `
value, history, revisions and table read an attested dataset without a server of wattfeed: its root from nodes, everything else from any copy of its files.
arguments reads a proof alone. put sends a transaction, and has settings of its own.

Settings of value, history, revisions and table, all optional, from the environment:
${formatSettings(exportSettings)}

Exit codes:
  0  there is a value, or a row; put: it is on the board (with --dry-run: it can be put)
  1  not run: a setting, a file, the node or the server of the files is the cause
  2  the dataset has no such value, or no row; a contract refuses the value; put: the transaction was rejected, failed or is still pending; run it again to resume`

const program = createProgram('series', {
  description: 'Reads and proves values of any series of an attested dataset.',
  help,
  environment: process.env,
})
addValue(program)
addHistory(program)
addRevisions(program)
addArguments(program)
addTable(program)
addPut(program)

export const seriesCommand = program.command

if (import.meta.main) await seriesCommand.parseAsync()
