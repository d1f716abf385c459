import { type Environment, parseSettings } from '../../runtime/settings/settings.ts'
import { openRpc } from '../open.ts'
import type { JsonOption, Program, ProgramContext } from '../program.ts'
import { claimSettings } from '../settings.ts'
import { parseGate } from './addresses.ts'
import { openGate } from './gate.ts'
import { changeGroup, type Group, newestRoot, rootsOfRemoved } from './group.ts'
import { readGroupFile, writeGroupFile } from './groupFile.ts'
import { preparePackages } from './packages.ts'
import { ProverError } from './proverError.ts'
import { parsePublicKeys } from './publicKey.ts'
import { runEligibility } from './runEligibility.ts'

const groupHelp = `
The root depends on the order of the members. A proof hides its author among all of them: a group of one hides no one.

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
  const rpc = openRpc(parseSettings(claimSettings, environment))
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
