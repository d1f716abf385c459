import { addApply } from './operator/committee/apply.ts'
import { addPlan } from './operator/committee/plan.ts'
import { addStatus } from './operator/committee/status.ts'
import { createProgram } from './operator/program.ts'
import { committeeSettings } from './operator/settings.ts'
import { formatSettings } from './runtime/settings/formatSettings.ts'

const help = `
A committee is an account with several keys. The members file lists the keys that it shall have:
  { "thresholds": { "deployment": 4, "keyManagement": 4 },
    "members": [ { "publicKey": "01…", "weight": 1, "name": "north" }, … ] }

Settings, from the environment:
${formatSettings(committeeSettings)}

Exit codes:
  0  done, or there was nothing to do (with --dry-run: it can be done)
  1  nothing was sent: a setting, a file, the node, the balance or a check failed
  2  something was sent: a transaction was rejected, failed, expired, or is still pending;
     run the same command again to resume. "status" with a members file: the account differs from it,
     or agents differ or do not answer`

const program = createProgram('committee', {
  description: 'Shows and changes the keys that sign for an account.',
  help,
  environment: process.env,
})
addStatus(program)
addPlan(program)
addApply(program)

export const committeeCommand = program.command

if (import.meta.main) await committeeCommand.parseAsync()
