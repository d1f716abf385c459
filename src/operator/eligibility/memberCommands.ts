import { existsSync } from 'node:fs'
import type { Environment } from '../../runtime/settings/settings.ts'
import { openRpc } from '../open.ts'
import type { JsonOption, Program, ProgramContext } from '../program.ts'
import { claimSettings, readContractsSettings } from '../settings.ts'
import { parseAccount, parseGate } from './addresses.ts'
import { openGate } from './gate.ts'
import { changeGroup, type Group, leavesOf, newestRoot, rootsOfRemoved } from './group.ts'
import { readExistingGroupFile, readGroupFile, writeGroupFile } from './groupFile.ts'
import { createIdentityFile, readIdentityFile } from './identityFile.ts'
import { type Identity, preparePackages } from './packages.ts'
import { assertReplaceable, formatProof, writeProofFile } from './proofFile.ts'
import { prove } from './prove.ts'
import { ProverError } from './proverError.ts'
import { formatPublicKey, parsePublicKeys } from './publicKey.ts'
import { runEligibility } from './runEligibility.ts'
import { createTree } from './tree.ts'

const identityHelp = `
The file contains the identity's secret. Anyone who has it can use up the one account that the identity may vouch for
at a gate. Only its owner can read it, and it is never overwritten: the command shows the public key of an existing
file.

Give the public key to the gate's owner. The commitment is the leaf in the group's tree; nobody needs it from you.

Example:
  $ bun run eligibility identity alice.identity.json`

export function addIdentity(program: Program): void {
  program
    .add('identity', 'create an identity, or show the public key of one', identityHelp)
    .argument('<file>', 'the identity file; an existing one is shown and not changed')
    .action((file: string, options: JsonOption) =>
      runEligibility(program, 'identity', options, () => identity(file, program)),
    )
}

async function identity(path: string, { terminal: { warn }, environment }: ProgramContext): Promise<object> {
  await preparePackages(environment, warn)
  const isKnown = existsSync(path)
  const { commitment, publicKey } = isKnown ? await readIdentity(path, warn) : await createIdentityFile(path)
  if (isKnown) warn(`${path} already exists; showing its identity, nothing was written`)
  return { file: path, public_key: formatPublicKey(publicKey), commitment: commitment.toString() }
}

async function readIdentity(path: string, warn: (message: string) => void): Promise<Identity> {
  const { identity, warning } = await readIdentityFile(path)
  if (warning !== null) warn(warning)
  return identity
}

const groupHelp = `
The root depends on the order of the members. A proof hides its author among all of them: a group of one hides nobody.

A group consists of public keys. A commitment is rejected, because it may be the root of a whole tree of identities.

A removed member leaves an empty place, as in Semaphore: no other place changes, and the place is not used again (a group
has 65,536). Older roots still admit the member as long as a gate accepts them. The command lists them; with --gate, those
that this gate accepts.

"set-root --only" removes older roots. A member that has claimed stays eligible until "revoke".

With --gate, node and chain come from the settings of claim; no key is needed.

Examples:
  $ bun run eligibility group members.json 1273…9,2068…1 0x2a5f…,0x1c07…
  $ bun run eligibility group members.json --remove 1273…9,2068…1 --gate hash-7fb6…
  $ bun run eligibility group members.json --json | jq -r .root`

interface GroupOptions extends JsonOption {
  remove?: readonly string[]
  gate?: string
}

export function addGroup(program: Program): void {
  program
    .add('group', 'add members to a group or remove them, and show its root', groupHelp)
    .argument('<file>', 'the group file; the first public keys create it')
    .argument('[public-keys...]', 'public keys to add, as identity shows them: x,y')
    .option(
      '--remove <public-key>',
      'remove a member; can be repeated',
      (key, keys: readonly string[] = []) => [...keys, key],
    )
    .option('--gate <hash>', 'package hash of an EligibilityGate, to show which roots it accepts')
    .action((file: string, keys: string[], options: GroupOptions) =>
      runEligibility(program, 'group', options, () => group(file, keys, options, program)),
    )
}

async function group(
  path: string,
  texts: readonly string[],
  options: GroupOptions,
  { terminal: { warn }, environment }: ProgramContext,
): Promise<object> {
  const gate = options.gate === undefined ? null : parseGate(options.gate)
  const [added, removed] = await Promise.all([parsePublicKeys(texts), parsePublicKeys(options.remove ?? [])])
  await preparePackages(environment, warn)
  const known = await readGroupFile(path)
  if (known === null && added.length === 0)
    throw new ProverError({
      reason: 'group_file',
      message: `group file ${path} does not exist; name public keys to start one`,
    })
  const isChanged = added.length + removed.length > 0
  const before = known ?? { members: [], roots: [] }
  const after = isChanged ? await changeGroup(before, { added, removed }) : before
  const accepted = gate === null ? null : await readAcceptedRoots(gate, environment)
  if (isChanged) await writeGroupFile(path, after)
  return { file: path, ...reportGroup(after), ...reportRoots(after, accepted, warn) }
}

/** Reads the roots that a gate accepts, oldest first. */
async function readAcceptedRoots(gatePackageHash: string, environment: Environment): Promise<bigint[]> {
  const rpc = openRpc(readContractsSettings(environment, false, claimSettings))
  return (await openGate(rpc, gatePackageHash)).listRoots()
}

const reportGroup = (group: Group) => ({
  members: group.members.filter(({ removed }) => removed === null).length,
  removed: group.members.filter(({ removed }) => removed !== null).length,
  root: newestRoot(group).toString(),
})

/**
 * Reports the roots that may admit others than the members, and warns of them: older ones of the group that admit removed
 * members. Given the roots that a gate accepts, only accepted ones count, also those that are not the group's.
 */
function reportRoots(
  group: Group,
  accepted: readonly bigint[] | null,
  warn: (message: string) => void,
): object {
  const known = rootsOfRemoved(group)
  const open = accepted === null ? known : known.filter((root) => accepted.includes(root))
  const unknown = accepted?.filter((root) => !group.roots.includes(root)) ?? []
  const where =
    accepted === null ? 'as long as a gate accepts them (check with --gate)' : 'which the gate accepts'
  if (open.length > 0)
    warn(`older roots admit removed members, ${where}; "set-root --only" removes them: ${open.join(', ')}`)
  if (unknown.length > 0)
    warn(
      `the gate accepts roots that are not in this file, and may admit anyone; "set-root --only" removes them: ${unknown.join(', ')}`,
    )
  return {
    open_to_removed: open.map(String),
    ...(accepted === null
      ? {}
      : { accepted_roots: accepted.map(String), unknown_roots: unknown.map(String) }),
  }
}

const proveHelp = `
An identity vouches for one account at each gate. The proof is valid for that account only, as long as the gate
accepts the current root of the group file. It is verified before it is written. The file may be an earlier proof,
which is replaced; any other file stays unchanged.

Example:
  $ bun run eligibility prove --identity alice.identity.json --group members.json \\
      --account account-hash-105b… --gate hash-7fb6… --out alice.proof.json`

interface ProveOptions extends JsonOption {
  identity: string
  group: string
  account: string
  gate: string
  out: string
}

export function addProve(program: Program): void {
  program
    .add('prove', 'prove that a member of the group vouches for an account', proveHelp)
    .requiredOption('--identity <file>', 'the identity file')
    .requiredOption('--group <file>', 'the group file whose root the gate accepts')
    .requiredOption('--account <account>', 'account that will claim: account-hash-… or a public key in hex')
    .requiredOption('--gate <hash>', 'package hash of the EligibilityGate')
    .requiredOption('--out <file>', 'the proof file to write')
    .action((options: ProveOptions) =>
      runEligibility(program, 'prove', options, () => makeProof(options, program)),
    )
}

async function makeProof(
  options: ProveOptions,
  { terminal: { warn }, environment }: ProgramContext,
): Promise<object> {
  const accountHash = parseAccount(options.account)
  const gatePackageHash = parseGate(options.gate)
  await assertReplaceable(options.out)
  await preparePackages(environment, warn)
  const identity = await readIdentity(options.identity, warn)
  const { members } = await readExistingGroupFile(options.group)
  const tree = await createTree(leavesOf(members))
  const proof = await prove({ identity, tree, accountHash, gatePackageHash })
  await writeProofFile(options.out, proof)
  return { file: options.out, ...formatProof(proof) }
}
