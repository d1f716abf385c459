import { addCheck } from './operator/datasets/check.ts'
import { addCompare } from './operator/datasets/compare.ts'
import { addRestore } from './operator/datasets/restore.ts'
import { addSnapshot } from './operator/datasets/snapshot.ts'
import { createProgram } from './operator/program.ts'
import { datasetsSettings } from './operator/settings.ts'
import { formatSettings } from './runtime/settings/formatSettings.ts'

const help = `
A snapshot has every value of a dataset as a leaf of a Merkle tree, in static files, and as a table. Its root is what a feed
attests. A proof of one series needs only the snapshot's files and the root on chain.

Settings, all optional unless said otherwise, from the environment:
${formatSettings(datasetsSettings)}

Exit codes:
  0  snapshot: taken, or there already. check: the snapshot is whole, and its root is on chain. restore: it is there, and whole.
     compare: both have the same values
  1  not run: a setting, a file, EIA, the node or the server of the files is the cause
  2  check: a file breaks the specification, or the root is not on chain. compare: values differ`

const program = createProgram('datasets', {
  description: 'Takes, checks, compares and restores snapshots of whole datasets of EIA.',
  help,
  environment: process.env,
})
addSnapshot(program)
addCheck(program)
addCompare(program)
addRestore(program)

export const datasetsCommand = program.command

if (import.meta.main) await datasetsCommand.parseAsync()
