import { isRecord } from '../../casper/types/isRecord.ts'
import { writeAtomically } from '../../runtime/writeAtomically.ts'
import { parseFieldElement } from './fieldElement.ts'
import {
  assertMembers,
  commitmentOf,
  formatPublicKey,
  type Group,
  type Member,
  parsePublicKeys,
  rootOf,
} from './group.ts'
import { assertKind, readJson } from './jsonFile.ts'
import { ProverError } from './proverError.ts'
import { DEPTH } from './tree.ts'

/** Reads a group file; null if it does not exist. @throws {ProverError} if it is invalid. */
export async function readGroupFile(path: string): Promise<Group | null> {
  const value = await readJson(path, 'group_file')
  if (value === null) return null
  assertKind(value, 'group', path)
  const { depth, members, root, earlier_roots } = isRecord(value) ? value : {}
  const fault = (rule: string) =>
    new ProverError(
      'group_file',
      `${path} is not a group file: ${rule}; get the one that the gate's owner publishes`,
    )
  if (depth !== DEPTH) throw fault(`its depth is not ${DEPTH}`)
  const roots = parseRoots(earlier_roots, root)
  if (roots === null) throw fault('its roots are not numbers below the field’s order')
  const group = { members: await parseMembers(members, roots.length, fault), roots }
  assertMembers(group.members)
  if ((await rootOf(group.members)) !== roots.at(-1)) throw fault('its root is not that of its members')
  return group
}

/** Reads a group file. @throws {ProverError} if it does not exist or is invalid. */
export async function readGroup(path: string): Promise<Group> {
  const group = await readGroupFile(path)
  if (group === null)
    throw new ProverError('group_file', `there is no group file ${path}; "group" creates one`)
  return group
}

function parseRoots(earlier: unknown, root: unknown): bigint[] | null {
  const texts = Array.isArray(earlier) ? [...earlier, root] : []
  const roots = texts.map((text) => (typeof text === 'string' ? parseFieldElement(text) : null))
  const numbers = roots.filter((each) => each !== null)
  return numbers.length > 0 && numbers.length === roots.length ? numbers : null
}

async function parseMembers(
  value: unknown,
  versions: number,
  fault: (rule: string) => ProverError,
): Promise<Member[]> {
  const members: Member[] = []
  for (const each of Array.isArray(value) ? value : []) {
    const { public_key, added, removed = null } = isRecord(each) ? each : {}
    const isVersion = (version: unknown, first: number): version is number =>
      Number.isSafeInteger(version) && Number(version) >= first && Number(version) < versions
    if (typeof public_key !== 'string') throw fault('a member has no public_key')
    if (!isVersion(added, 0) || (removed !== null && !isVersion(removed, added + 1)))
      throw fault('a member was added or removed with a root that is not there')
    const [publicKey] = await parsePublicKeys([public_key])
    if (publicKey !== undefined)
      members.push({ publicKey, commitment: await commitmentOf(publicKey), added, removed })
  }
  return members
}

/** Replaces a group file atomically. */
export async function writeGroupFile(path: string, { members, roots }: Group): Promise<void> {
  const file = {
    depth: DEPTH,
    root: String(roots.at(-1)),
    members: members.map(({ publicKey, added, removed }) => ({
      public_key: formatPublicKey(publicKey),
      added,
      ...(removed === null ? {} : { removed }),
    })),
    earlier_roots: roots.slice(0, -1).map(String),
  }
  await writeAtomically(path, `${JSON.stringify(file, null, 2)}\n`)
}
