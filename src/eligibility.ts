import { createEligibilityProgram } from './operator/eligibility/eligibilityProgram.ts'
import { addClaim, addRemoveRoot, addRevoke, addSetRoot } from './operator/eligibility/gateCommands.ts'
import { addGroup, addIdentity, addProve } from './operator/eligibility/memberCommands.ts'

const program = createEligibilityProgram(process.env)
addIdentity(program)
addGroup(program)
addSetRoot(program)
addRemoveRoot(program)
addRevoke(program)
addProve(program)
addClaim(program)

/** `wattfeed eligibility` */
export const eligibilityCommand = program.command

if (import.meta.main) await eligibilityCommand.parseAsync()
