import { DEPTH, loadProver } from './packages.ts'
import { ProverError } from './proverError.ts'
import { formatPublicKey, type Point } from './publicKey.ts'
import { createTree } from './tree.ts'

const MAX_MEMBERS = 2 ** DEPTH

/** A member of a group. It keeps its place in the tree even after it is removed. */
export interface GroupMember {
  publicKey: Point
  /** Hash of the public key: the member's leaf until it is removed. */
  commitment: bigint
  /** Index of the first root that admits it. */
  added: number
  /** Index of the first root that no longer admits it; null if it is a member. */
  removed: number | null
}

/** A group and all the roots that it has had, the newest last. A group that has no root yet has no members. */
export interface Group {
  members: readonly GroupMember[]
  roots: readonly bigint[]
}

/** Returns the root that admits the current members. */
export function newestRoot({ roots }: Group): bigint {
  const root = roots.at(-1)
  if (root === undefined) throw new Error('the group has no root yet')
  return root
}

/** Adds members and removes others. The result has one root more. @throws {ProverError} for keys that do not fit the group */
export async function changeGroup(
  { members, roots }: Group,
  changes: { added: readonly Point[]; removed: readonly Point[] },
): Promise<Group> {
  const kept = removeMembers(members, changes.removed, roots.length)
  const all = await addMembers(kept, changes.added, roots.length)
  return { members: all, roots: [...roots, await rootOf(all)] }
}

function removeMembers(
  members: readonly GroupMember[],
  keys: readonly Point[],
  rootIndex: number,
): readonly GroupMember[] {
  const gone = new Set(keys.map(formatPublicKey))
  const present = new Set(members.filter(isPresent).map(({ publicKey }) => formatPublicKey(publicKey)))
  const [unknown] = gone.difference(present)
  if (unknown !== undefined)
    throw new ProverError({ reason: 'public_key', message: `${unknown} is not a member; leave it out` })
  return members.map((member) =>
    isPresent(member) && gone.has(formatPublicKey(member.publicKey))
      ? { ...member, removed: rootIndex }
      : member,
  )
}

const isPresent = ({ removed }: GroupMember): boolean => removed === null

async function addMembers(
  members: readonly GroupMember[],
  keys: readonly Point[],
  rootIndex: number,
): Promise<readonly GroupMember[]> {
  const added = await Promise.all(
    keys.map(async (publicKey) => ({
      publicKey,
      commitment: await commitmentOf(publicKey),
      added: rootIndex,
      removed: null,
    })),
  )
  const all = [...members, ...added]
  assertMembers(all)
  return all
}

/** Asserts that nobody is listed twice, and that the tree has room for all. */
export function assertMembers(members: readonly GroupMember[]): void {
  const seen = new Set<bigint>()
  for (const { commitment, publicKey, removed } of members) {
    if (removed !== null) continue
    if (seen.has(commitment))
      throw new ProverError({
        reason: 'public_key',
        message: `${formatPublicKey(publicKey)} is already a member; leave it out`,
      })
    seen.add(commitment)
  }
  if (members.length > MAX_MEMBERS)
    throw new ProverError({
      reason: 'group_file',
      message: `${members.length} members exceed the limit of ${MAX_MEMBERS}, which includes removed members; start another group`,
    })
}

export async function commitmentOf([x, y]: Point): Promise<bigint> {
  return (await loadProver()).poseidon2([x, y])
}

/** The leaves of a group's tree: commitments, and 0 in the place of a removed member. */
export const leavesOf = (members: readonly GroupMember[]): bigint[] =>
  members.map(({ commitment, removed }) => (removed === null ? commitment : 0n))

export async function rootOf(members: readonly GroupMember[]): Promise<bigint> {
  return (await createTree(leavesOf(members))).root
}

/** Lists the older roots of a group that still admit a removed member, oldest first. */
export function rootsOfRemoved({ members, roots }: Group): bigint[] {
  const present = new Set(leavesOf(members))
  // Someone who was added again is not gone.
  const gone = members.filter(({ commitment }) => !present.has(commitment))
  return roots.filter((_, rootIndex) =>
    gone.some(({ added, removed }) => added <= rootIndex && removed !== null && rootIndex < removed),
  )
}
