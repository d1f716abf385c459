import type { Command } from 'commander'
import { formatSettings } from '../../runtime/formatSettings.ts'
import type { Program, ProgramContext, WriteOptions } from '../program.ts'
import { parseAccount, parseGate } from './addresses.ts'
import { parseFieldElement } from './fieldElement.ts'
import { rootsOfRemoved } from './group.ts'
import { readGroup } from './groupFile.ts'
import { findPackages } from './packages.ts'
import { ProverError } from './proverError.ts'
import { runEligibility } from './runEligibility.ts'
import { claimSettings } from './settings.ts'
import {
  claim,
  type OwnerRequest,
  removeRoot,
  revoke,
  type SubmissionRequest,
  setOnlyRoot,
  setRoot,
} from './submission.ts'

interface OwnerOptions extends WriteOptions {
  gate: string
}

interface SetRootOptions extends OwnerOptions {
  only?: boolean
}

const submissionOf = (
  { environment, terminal: { warn, progress } }: ProgramContext,
  { dryRun = false }: WriteOptions,
): SubmissionRequest => ({
  isDryRun: dryRun,
  environment,
  warn,
  progress,
})

const ownerRequestOf = (program: ProgramContext, { gate, ...options }: OwnerOptions): OwnerRequest => ({
  ...submissionOf(program, options),
  gatePackageHash: parseGate(gate),
})

const withGate = (command: Command): Command =>
  command
    .requiredOption('--gate <hash>', 'package hash of the EligibilityGate')
    .option('--dry-run', 'check everything and send nothing')

const setRootHelp = `
Settings: as for claim; the key is that of the gate's owner. The gate knows the newest 16 roots, so that proofs stay
good while members are added. Proofs for an older root, or for one that was removed, are refused.

--only then removes all other roots that the gate knows, one transaction each: needed after a member was removed, or
for roots that were made from commitments. What that pays is said before anything is sent. Interrupted, it is run again:
what was sent is followed, and the rest is done. Proofs that were made but not claimed yet must be made again.

Examples:
  $ bun run eligibility set-root members.json --gate hash-7fb6… --dry-run
  $ bun run eligibility set-root members.json --gate hash-7fb6… --only`

/** `eligibility set-root <file>` */
export function addSetRoot(program: Program): void {
  withGate(program.add('set-root', 'set a group’s root at a gate, as its owner', setRootHelp))
    .argument('<file>', 'the group file')
    .option('--only', 'remove all other roots that the gate knows, one transaction each')
    .action((file: string, options: SetRootOptions) =>
      runEligibility(program, 'set-root', options, (onExecuted) =>
        setRootOf(file, options, program, onExecuted),
      ),
    )
}

async function setRootOf(
  path: string,
  { only = false, ...options }: SetRootOptions,
  program: ProgramContext,
  onExecuted: () => void,
): Promise<object> {
  const { warn } = program.terminal
  const request = ownerRequestOf(program, options)
  await findPackages(program.environment, warn)
  const group = await readGroup(path)
  const root = group.roots.at(-1) ?? 0n
  if (!only && rootsOfRemoved(group).length > 0)
    warn('members were removed from this group; with older roots they can still prove: --only removes those')
  return only ? setOnlyRoot(root, { ...request, onExecuted }) : setRoot(root, request)
}

const removeRootHelp = `
The root is what group printed for the members as they were. Proofs for it are refused from then on; accounts that
have claimed with one stay eligible, and revoke is for those. A root that the gate does not know leaves nothing to
do: nothing is sent, and state is done.

Settings: as for claim; the key is that of the gate's owner.

Example:
  $ bun run eligibility remove-root 1273…9 --gate hash-7fb6… --dry-run`

/** `eligibility remove-root <root>` */
export function addRemoveRoot(program: Program): void {
  withGate(program.add('remove-root', 'take a root back at a gate, as its owner', removeRootHelp))
    .argument('<root>', 'the root, in decimal or in hex with 0x')
    .action((root: string, options: OwnerOptions) =>
      runEligibility(program, 'remove-root', options, () =>
        removeRoot(parseRoot(root), ownerRequestOf(program, options)),
      ),
    )
}

function parseRoot(text: string): bigint {
  const root = parseFieldElement(text)
  if (root === null)
    throw new ProverError(
      'root',
      `${text.slice(0, 100)} is not a root: give a positive number below the field’s order, in decimal or in hex with 0x`,
    )
  return root
}

const revokeHelp = `
The account can register no new feed from then on; those that it has claimed stay its own. The identity that vouched
for it stays used, and another one may vouch for it again. An account that is not eligible leaves nothing to do:
nothing is sent, and state is done.

Settings: as for claim; the key is that of the gate's owner.

Example:
  $ bun run eligibility revoke account-hash-105b… --gate hash-7fb6… --dry-run`

/** `eligibility revoke <account>` */
export function addRevoke(program: Program): void {
  withGate(program.add('revoke', 'take an account’s eligibility back, as the gate’s owner', revokeHelp))
    .argument('<account>', 'account-hash-… or a public key in hex')
    .action((account: string, options: OwnerOptions) =>
      runEligibility(program, 'revoke', options, () =>
        revoke(parseAccount(account), ownerRequestOf(program, options)),
      ),
    )
}

const claimHelp = `
Settings, from the environment:
${formatSettings(claimSettings)}

The proof is verified first, as the gate will do it, because the gate keeps the payment for one that it refuses; so is
all else that can be checked, with --dry-run too. For an account that is eligible already, nothing is sent, and state is
eligible.

A transaction that was sent is kept in <file>.pending until its end is known: a second run follows it.

Examples:
  $ bun run eligibility claim alice.proof.json --dry-run
  $ CASPER_RPC_URL=http://127.0.0.1:11101/rpc CASPER_CHAIN_NAME=casper-devnet \\
    ATTESTER_KEY_PATH=keys/secret_key.pem bun run eligibility claim alice.proof.json --json`

/** `eligibility claim <file>` */
export function addClaim(program: Program): void {
  program
    .add('claim', 'submit a proof', claimHelp)
    .argument('<file>', 'the proof file')
    .option('--dry-run', 'check everything and send nothing')
    .action((file: string, options: WriteOptions) =>
      runEligibility(program, 'claim', options, () => claim(file, submissionOf(program, options))),
    )
}
