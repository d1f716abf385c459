import { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { exitCodeOf } from '../../src/operator/exitCode.ts'
import { createTerminal } from '../../src/runtime/terminal.ts'
import { parseAccount, parseGate } from './addresses.ts'
import { parseFieldElement } from './fieldElement.ts'
import {
  addMembers,
  type Members,
  parseCommitments,
  readGroupFile,
  rootOf,
  writeGroupFile,
} from './groupFile.ts'
import {
  claimHelp,
  groupHelp,
  help,
  identityHelp,
  proveHelp,
  removeRootHelp,
  revokeHelp,
  setRootHelp,
} from './help.ts'
import { createIdentityFile, readIdentityFile } from './identityFile.ts'
import { findPackages } from './packages.ts'
import { formatProof, writeProofFile } from './proofFile.ts'
import { prove } from './prove.ts'
import { ProverError } from './proverError.ts'
import {
  claim,
  type OwnerRequest,
  removeRoot,
  revoke,
  type SubmissionRequest,
  setRoot,
} from './submission.ts'

interface PrintOptions {
  json?: boolean
}

interface SubmitOptions extends PrintOptions {
  dryRun?: boolean
}

interface OwnerOptions extends SubmitOptions {
  gate: string
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
  const { commitment } = await createIdentityFile(path)
  return { file: path, commitment: commitment.toString() }
}

async function group(path: string, texts: readonly string[]): Promise<object> {
  const added = parseCommitments(texts)
  await findPackages(process.env, warn)
  const known = await readGroupFile(path)
  if (known === null && added.length === 0)
    throw new ProverError('group_file', `there is no group file ${path}; name commitments to start one`)
  const members = addMembers(known ?? [], added)
  const root = await (added.length === 0 ? rootOf(members) : writeGroupFile(path, members))
  return { file: path, members: members.length, root: root.toString() }
}

async function makeProof(options: ProveOptions): Promise<object> {
  const accountHash = parseAccount(options.account)
  const gatePackageHash = parseGate(options.gate)
  await findPackages(process.env, warn)
  const { identity, warning } = await readIdentityFile(options.identity)
  if (warning !== null) warn(warning)
  const members = await readGroup(options.group)
  const proof = await prove({ identity, members, accountHash, gatePackageHash })
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

async function setRootOf(path: string, options: OwnerOptions): Promise<object> {
  const request = ownerRequestOf(options)
  await findPackages(process.env, warn)
  return setRoot(await rootOf(await readGroup(path)), request)
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

async function readGroup(path: string): Promise<Members> {
  const members = await readGroupFile(path)
  if (members === null)
    throw new ProverError('group_file', `there is no group file ${path}; "group" creates one`)
  return members
}

/** Runs a command and prints its result or its error. */
const run = (name: string, { json }: PrintOptions, work: () => Promise<object>): Promise<void> =>
  terminal.run({ name, json, exitCodeOf: (error) => exitCodeOf(error, false) }, async () => {
    const found = await work()
    return { report: { command: name, ...found }, text: formatLines(found) }
  })

const formatLines = (found: object): string =>
  Object.entries(found)
    .map(([name, value]) => `${name.padEnd(16)} ${value}`)
    .join('\n')

/** `wattfeed eligibility` */
export const eligibilityCommand = new Command('eligibility')
  .description(
    'Shows a wattfeed EligibilityGate that a member of a group vouches for an account, not which member.',
  )
  .version(manifest.version)
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

command('identity', 'make an identity', identityHelp)
  .argument('<file>', 'the identity file; it must not be there yet')
  .action((file: string, options: PrintOptions) => run('identity', options, () => identity(file)))

command('group', 'add commitments to a group, and show its root', groupHelp)
  .argument('<file>', 'the group file; the first commitments make it')
  .argument('[commitments...]', 'commitments of identities, in decimal or in hex with 0x')
  .action((file: string, commitments: string[], options: PrintOptions) =>
    run('group', options, () => group(file, commitments)),
  )

ownerCommand('set-root', 'set a group’s root at a gate, as its owner', setRootHelp)
  .argument('<file>', 'the group file')
  .action((file: string, options: OwnerOptions) => run('set-root', options, () => setRootOf(file, options)))

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
