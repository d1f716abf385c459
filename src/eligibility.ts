import { addClaim } from './operator/eligibility/claimCommand.ts'
import { addGroup } from './operator/eligibility/groupCommand.ts'
import { addIdentity, addProve } from './operator/eligibility/memberCommands.ts'
import { addRemoveRoot, addRevoke, addSetRoot } from './operator/eligibility/ownerCommands.ts'
import { proverSettings } from './operator/eligibility/packages.ts'
import { createProgram } from './operator/program.ts'
import { formatSettings } from './runtime/settings/formatSettings.ts'

const help = `
How an account becomes eligible to register feeds:
  1. a member creates an identity and gives its public key to the gate's owner
  2. the owner adds it to the group file, publishes the file, and sets its root at the gate
  3. the member creates a proof for an account, which the owner need not know, and passes the proof file on
  4. that account claims

Setting of identity, group, set-root and prove, from the environment:
${formatSettings(proverSettings)}

Exit codes:
  0  done, or there was nothing to do (with --dry-run: it can be done)
  1  nothing was sent: an argument, a file or a setting is wrong, or a check failed
  2  a transaction was rejected, failed or is still pending; run the command again to resume`

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
