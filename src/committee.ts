import { addApply } from './operator/committee/apply.ts'
import { addPlan } from './operator/committee/plan.ts'
import { help } from './operator/committee/settings.ts'
import { addStatus } from './operator/committee/status.ts'
import { createProgram } from './operator/program.ts'

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
