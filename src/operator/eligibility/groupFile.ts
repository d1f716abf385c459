import { type StaticDecode, Type } from '@sinclair/typebox'
import { writeAtomically } from '@wattfeed/base/disk'
import { fieldElement } from './fieldElement.ts'
import { assertMembers, commitmentOf, type Group, type GroupMember, newestRoot, rootOf } from './group.ts'
import { readFileOfKind } from './jsonFile.ts'
import { DEPTH } from './packages.ts'
import { ProverError } from './proverError.ts'
import { formatPublicKey, parsePublicKey } from './publicKey.ts'

const rootIndex = Type.Integer({ minimum: 0 })

const GroupFile = Type.Object({
  depth: Type.Literal(DEPTH),
  root: fieldElement,
  members: Type.Array(
    Type.Object({ public_key: Type.String(), added: rootIndex, removed: Type.Optional(rootIndex) }),
  ),
  earlier_roots: Type.Array(fieldElement),
})
type GroupFile = StaticDecode<typeof GroupFile>

const cure = "use the file that the gate's owner publishes"

/** Reads a group file; null if it does not exist. @throws {ProverError} if it is invalid */
export async function readGroupFile(path: string): Promise<Group | null> {
  const file = await readFileOfKind(path, { kind: 'group', schema: GroupFile, cure })
  if (file === null) return null
  const fault = (rule: string) =>
    new ProverError({ reason: 'group_file', message: `${path} is not a group file: ${rule}; ${cure}` })
  const roots = [...file.earlier_roots, file.root]
  if (!file.members.every((member) => isWithin(member, roots.length)))
    throw fault('a member was added or removed with a root that is not in the file')
  const members = await Promise.all(file.members.map(readMember))
  assertMembers(members)
  if ((await rootOf(members)) !== file.root) throw fault('the root does not match the members')
  return { members, roots }
}

/** Reads a group file. @throws {ProverError} if it does not exist or is invalid */
export async function readExistingGroupFile(path: string): Promise<Group> {
  const group = await readGroupFile(path)
  if (group === null)
    throw new ProverError({
      reason: 'group_file',
      message: `group file ${path} does not exist; "group" creates one`,
    })
  return group
}

/** Returns whether a member was added, and removed later, with roots of the file. */
const isWithin = ({ added, removed }: GroupFile['members'][number], rootCount: number): boolean =>
  added < rootCount && (removed === undefined || (removed > added && removed < rootCount))

async function readMember({
  public_key,
  added,
  removed,
}: GroupFile['members'][number]): Promise<GroupMember> {
  const publicKey = await parsePublicKey(public_key)
  return { publicKey, commitment: await commitmentOf(publicKey), added, removed: removed ?? null }
}

export async function writeGroupFile(path: string, group: Group): Promise<void> {
  const file = {
    depth: DEPTH,
    root: newestRoot(group).toString(),
    members: group.members.map(({ publicKey, added, removed }) => ({
      public_key: formatPublicKey(publicKey),
      added,
      ...(removed === null ? {} : { removed }),
    })),
    earlier_roots: group.roots.slice(0, -1).map(String),
  }
  await writeAtomically(path, `${JSON.stringify(file, null, 2)}\n`)
}
