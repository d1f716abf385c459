import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { parseAccount, parseGate } from './operator/eligibility/addresses.ts'
import { parseFieldElement } from './operator/eligibility/fieldElement.ts'
import {
  changeGroup,
  formatPublicKey,
  type Group,
  leavesOf,
  parsePublicKeys,
  rootsOfRemoved,
} from './operator/eligibility/group.ts'
import { readGroupFile, writeGroupFile } from './operator/eligibility/groupFile.ts'
import {
  claimHelp,
  groupHelp,
  help,
  identityHelp,
  proveHelp,
  removeRootHelp,
  revokeHelp,
  setRootHelp,
} from './operator/eligibility/help.ts'
import { createIdentityFile, readIdentityFile } from './operator/eligibility/identityFile.ts'
import { findPackages, type Identity } from './operator/eligibility/packages.ts'
import { assertReplaceable, formatProof, writeProofFile } from './operator/eligibility/proofFile.ts'
import { prove } from './operator/eligibility/prove.ts'
import { ProverError } from './operator/eligibility/proverError.ts'
import {
  claim,
  listRoots,
  type OwnerRequest,
  removeRoot,
  revoke,
  type SubmissionRequest,
  setOnlyRoot,
  setRoot,
} from './operator/eligibility/submission.ts'
import { createTree } from './operator/eligibility/tree.ts'
import { exitCodeOf } from './operator/exitCode.ts'
import { createCommand } from './runtime/createCommand.ts'
import { createTerminal } from './runtime/terminal.ts'

interface PrintOptions {
  json?: boolean
}

interface SubmitOptions extends PrintOptions {
  dryRun?: boolean
}

interface OwnerOptions extends SubmitOptions {
  gate: string
}

interface SetRootOptions extends OwnerOptions {
  only?: boolean
}

interface GroupOptions extends PrintOptions {
  remove?: readonly string[]
  gate?: string
}

interface ProveOptions extends PrintOptions {
  identity: string
  group: string
  account: string
  gate: string
  out: string
}

const terminal = createTerminal('eligibility')
const { warn, progress } = terminal

async function identity(path: string): Promise<object> {
  await findPackages(process.env, warn)
  const isKnown = existsSync(path)
  const { commitment, publicKey } = isKnown ? await readIdentity(path) : await createIdentityFile(path)
  if (isKnown) warn(`${path} holds an identity already; it is shown, and nothing was written`)
  return { file: path, public_key: formatPublicKey(publicKey), commitment: commitment.toString() }
}

async function readIdentity(path: string): Promise<Identity> {
  const { identity, warning } = await readIdentityFile(path)
  if (warning !== null) warn(warning)
  return identity
}

async function group(path: string, texts: readonly string[], options: GroupOptions): Promise<object> {
  const request = options.gate === undefined ? null : ownerRequestOf({ ...options, gate: options.gate })
  const [added, removed] = await Promise.all([parsePublicKeys(texts), parsePublicKeys(options.remove ?? [])])
  await findPackages(process.env, warn)
  const known = await readGroupFile(path)
  if (known === null && added.length === 0)
    throw new ProverError('group_file', `there is no group file ${path}; name public keys to start one`)
  const isChanged = added.length + removed.length > 0
  const before = known ?? { members: [], roots: [] }
  const after = isChanged ? await changeGroup(before, { added, removed }) : before
  const accepted = request === null ? null : await listRoots(request)
  if (isChanged) await writeGroupFile(path, after)
  return { file: path, ...describeGroup(after), ...describeRoots(after, accepted) }
}

const describeGroup = ({ members, roots }: Group) => ({
  members: members.filter(({ removed }) => removed === null).length,
  removed: members.filter(({ removed }) => removed !== null).length,
  root: String(roots.at(-1)),
})

/** Says with which older roots somebody can prove who is no member; with the accepted roots, which of them count. */
function describeRoots(group: Group, accepted: readonly bigint[] | null): object {
  const known = rootsOfRemoved(group)
  const open = accepted === null ? known : known.filter((root) => accepted.includes(root))
  const unknown = accepted?.filter((root) => !group.roots.includes(root)) ?? []
  const where = accepted === null ? 'as long as a gate knows them (--gate looks)' : 'which the gate knows'
  if (open.length > 0)
    warn(`older roots admit removed members, ${where}; "set-root --only" takes them back: ${open.join(', ')}`)
  if (unknown.length > 0)
    warn(
      `the gate knows roots that this file never had, and whom they admit is not known; "set-root --only" takes them back: ${unknown.join(', ')}`,
    )
  return {
    open_to_removed: open.map(String),
    ...(accepted === null
      ? {}
      : { accepted_roots: accepted.map(String), unknown_roots: unknown.map(String) }),
  }
}

async function makeProof(options: ProveOptions): Promise<object> {
  const accountHash = parseAccount(options.account)
  const gatePackageHash = parseGate(options.gate)
  await assertReplaceable(options.out)
  await findPackages(process.env, warn)
  const identity = await readIdentity(options.identity)
  const { members } = await readGroup(options.group)
  const tree = await createTree(leavesOf(members))
  const proof = await prove({ identity, tree, accountHash, gatePackageHash })
  await writeProofFile(options.out, proof)
  return { file: options.out, ...formatProof(proof) }
}

const submissionOf = ({ dryRun = false }: SubmitOptions): SubmissionRequest => ({
  isDryRun: dryRun,
  environment: process.env,
  warn,
  progress,
})

const ownerRequestOf = ({ gate, ...options }: OwnerOptions): OwnerRequest => ({
  ...submissionOf(options),
  gatePackageHash: parseGate(gate),
})

let hasSent = false

async function setRootOf(path: string, { only = false, ...options }: SetRootOptions): Promise<object> {
  const request = ownerRequestOf(options)
  await findPackages(process.env, warn)
  const group = await readGroup(path)
  const root = group.roots.at(-1) ?? 0n
  if (!only && rootsOfRemoved(group).length > 0)
    warn('members were removed from this group; with older roots they can still prove: --only removes those')
  const onExecuted = (): void => {
    hasSent = true
  }
  return only ? setOnlyRoot(root, { ...request, onExecuted }) : setRoot(root, request)
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

async function readGroup(path: string): Promise<Group> {
  const group = await readGroupFile(path)
  if (group === null)
    throw new ProverError('group_file', `there is no group file ${path}; "group" creates one`)
  return group
}

/** Runs a command and prints its result or its error. */
const run = (name: string, { json }: PrintOptions, work: () => Promise<object>): Promise<void> =>
  terminal.run({ name, json, exitCodeOf: (error) => exitCodeOf(error, hasSent) }, async () => {
    const found = await work()
    return { report: { command: name, ...found }, text: formatLines(found) }
  })

const NEXT_LINE = `\n${' '.repeat(17)}`

const formatLines = (found: object): string =>
  Object.entries(found)
    .filter(([, value]) => !Array.isArray(value) || value.length > 0)
    .map(([name, value]) => `${name.padEnd(16)} ${Array.isArray(value) ? value.join(NEXT_LINE) : value}`)
    .join('\n')

/** `wattfeed eligibility` */
export const eligibilityCommand = createCommand('eligibility')
  .description(
    'Shows a wattfeed EligibilityGate that a member of a group vouches for an account, not which member.',
  )
  .addHelpText('after', help)

const command = (usage: string, description: string, text: string): Command =>
  eligibilityCommand
    .command(usage)
    .description(description)
    .option('--json', 'print one JSON object on standard output')
    .addHelpText('after', text)

const ownerCommand = (usage: string, description: string, text: string): Command =>
  command(usage, description, text)
    .requiredOption('--gate <hash>', 'package hash of the EligibilityGate')
    .option('--dry-run', 'check everything and send nothing')

command('identity', 'make an identity, or show the public key of one', identityHelp)
  .argument('<file>', 'the identity file; one that is there is shown, and left as it is')
  .action((file: string, options: PrintOptions) => run('identity', options, () => identity(file)))

command('group', 'add members to a group or remove them, and show its root', groupHelp)
  .argument('<file>', 'the group file; the first public keys make it')
  .argument('[public-keys...]', 'public keys to add, as identity shows them: x,y')
  .option(
    '--remove <public-key>',
    'remove a member; can be repeated',
    (key, keys: readonly string[] = []) => [...keys, key],
  )
  .option('--gate <hash>', 'package hash of an EligibilityGate: look which roots it knows')
  .action((file: string, keys: string[], options: GroupOptions) =>
    run('group', options, () => group(file, keys, options)),
  )

ownerCommand('set-root', 'set a group’s root at a gate, as its owner', setRootHelp)
  .argument('<file>', 'the group file')
  .option('--only', 'remove all other roots that the gate knows, one transaction each')
  .action((file: string, options: SetRootOptions) => run('set-root', options, () => setRootOf(file, options)))

ownerCommand('remove-root', 'take a root back at a gate, as its owner', removeRootHelp)
  .argument('<root>', 'the root, in decimal or in hex with 0x')
  .action((root: string, options: OwnerOptions) =>
    run('remove-root', options, async () => removeRoot(parseRoot(root), ownerRequestOf(options))),
  )

ownerCommand('revoke', 'take an account’s eligibility back, as the gate’s owner', revokeHelp)
  .argument('<account>', 'account-hash-… or a public key in hex')
  .action((account: string, options: OwnerOptions) =>
    run('revoke', options, async () => revoke(parseAccount(account), ownerRequestOf(options))),
  )

command('prove', 'prove that a member of the group vouches for an account', proveHelp)
  .requiredOption('--identity <file>', 'the identity file')
  .requiredOption('--group <file>', 'the group file whose root the gate knows')
  .requiredOption('--account <account>', 'who will claim: account-hash-… or a public key in hex')
  .requiredOption('--gate <hash>', 'package hash of the EligibilityGate')
  .requiredOption('--out <file>', 'the proof file to write')
  .action((options: ProveOptions) => run('prove', options, () => makeProof(options)))

command('claim', 'submit a proof', claimHelp)
  .argument('<file>', 'the proof file')
  .option('--dry-run', 'check everything and send nothing')
  .action((file: string, options: SubmitOptions) =>
    run('claim', options, () => claim(file, submissionOf(options))),
  )

if (import.meta.main) await eligibilityCommand.parseAsync()
