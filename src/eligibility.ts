import { addClaim, addRemoveRoot, addRevoke, addSetRoot } from './operator/eligibility/gateCommands.ts'
import { addGroup, addIdentity, addProve } from './operator/eligibility/memberCommands.ts'
import { help } from './operator/eligibility/settings.ts'
import { createProgram } from './operator/program.ts'

const program = createProgram('eligibility', {
  description:
    'Shows a wattfeed EligibilityGate that a member of a group vouches for an account, not which member.',
  help,
  environment: process.env,
})
addIdentity(program)
addGroup(program)
addSetRoot(program)
addRemoveRoot(program)
addRevoke(program)
addProve(program)
addClaim(program)

export const eligibilityCommand = program.command

if (import.meta.main) await eligibilityCommand.parseAsync()
