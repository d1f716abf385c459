import { isRecord } from '../../src/casper/types/isRecord.ts'
import { writeAtomically } from '../../src/runtime/writeAtomically.ts'
import { parseFieldElement } from './fieldElement.ts'
import { type Group, loadProver } from './packages.ts'
import { ProverError } from './proverError.ts'
import { readJson } from './readJson.ts'

/** Depth of the circuit whose verification key the contract holds. */
export const DEPTH = 16
const MAX_MEMBERS = 2 ** DEPTH

/** The members' commitments in order, which affects the root. */
export type Members = readonly bigint[]

/** Parses commitments in decimal or hex. @throws {ProverError} */
export function parseCommitments(texts: readonly string[]): Members {
  return texts.map((text) => {
    const commitment = parseFieldElement(text)
    if (commitment !== null) return commitment
    throw new ProverError(
      'commitment',
      `${text.slice(0, 100)} is not a commitment: give a positive number below the field’s order, in decimal or in hex with 0x`,
    )
  })
}

/** Reads the members of a group file; null if it does not exist. @throws {ProverError} if it is invalid. */
export async function readGroupFile(path: string): Promise<Members | null> {
  const value = await readJson(path, 'group_file')
  if (value === null) return null
  const { depth, members: texts, root } = isRecord(value) ? value : {}
  const fault = (rule: string) =>
    new ProverError(
      'group_file',
      `${path} is not a group file: ${rule}; get the one that the gate's owner publishes`,
    )
  if (depth !== DEPTH) throw fault(`its depth is not ${DEPTH}`)
  if (!Array.isArray(texts) || !texts.every((text) => typeof text === 'string'))
    throw fault('its members are not a list of texts')
  const members = addMembers([], parseCommitments(texts))
  if ((await rootOf(members)).toString() !== root) throw fault('its root is not that of its members')
  return members
}

/** Replaces a group file atomically, and returns the root. */
export async function writeGroupFile(path: string, members: Members): Promise<bigint> {
  const root = await rootOf(members)
  const file = { depth: DEPTH, root: root.toString(), members: members.map(String) }
  await writeAtomically(path, `${JSON.stringify(file, null, 2)}\n`)
  return root
}

/** Appends new members. @throws {ProverError} if one is a duplicate, or the tree is full. */
export function addMembers(members: Members, added: Members): Members {
  const all = [...members, ...added]
  const seen = new Set<bigint>()
  for (const member of all) {
    if (seen.has(member)) throw new ProverError('commitment', `${member} is a member already; leave it out`)
    seen.add(member)
  }
  if (all.length > MAX_MEMBERS)
    throw new ProverError('group_file', `a group holds ${MAX_MEMBERS} members at most, not ${all.length}`)
  return all
}

/** Creates the tree of a group. */
export async function createGroup(members: Members): Promise<Group> {
  const { Group } = await loadProver()
  return new Group(members)
}

/** Returns the root of a group, which the gate's owner sets. */
export async function rootOf(members: Members): Promise<bigint> {
  return (await createGroup(members)).root
}
