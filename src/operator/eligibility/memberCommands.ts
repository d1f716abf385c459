import { existsSync } from 'node:fs'
import type { JsonOption, Program, ProgramContext } from '../program.ts'
import { parseAccount, parseGate } from './addresses.ts'
import { leavesOf } from './group.ts'
import { readExistingGroupFile } from './groupFile.ts'
import { createIdentityFile, readIdentityFile } from './identityFile.ts'
import { type Identity, preparePackages } from './packages.ts'
import { assertReplaceable, formatProof, writeProofFile } from './proofFile.ts'
import { prove } from './prove.ts'
import { formatPublicKey } from './publicKey.ts'
import { runEligibility } from './runEligibility.ts'
import { createTree } from './tree.ts'

const identityHelp = `
The file contains the identity's secret. Anyone who has it can use up the one account that the identity may vouch for
at a gate. Only its owner can read it, and it is never overwritten: the command shows the public key of an existing
file.

Give the public key to the gate's owner. The commitment is the leaf in the group's tree; no one needs it from you.

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
