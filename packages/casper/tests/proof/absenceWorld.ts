import { expect } from 'bun:test'
import { createStateTrie, type StateTrie } from '@wattfeed/casper-devnet/testing/internals'
import { list, u8 } from '@wattfeed/testing/bytesrepr'
import { createRandom } from '@wattfeed/testing/random'
import { MerkleProofError } from '../../src/proof/merkleProofError.ts'
import { type AbsenceEvidence, type AbsenceVerdict, verifyAbsence } from '../../src/proof/verifyAbsence.ts'
import { formatKey } from '../../src/types/keyKinds.ts'
import { walkElements } from '../support/walkElements.ts'

const what = 'the value'

/** Returns the verdict, or the broken link and the rule of the error. */
export function verdictOf(key: string, stateRootHash: string, evidence: AbsenceEvidence): string {
  try {
    return verifyAbsence({ key: formatKey(Uint8Array.fromHex(key)), stateRootHash, evidence, what })
  } catch (error) {
    if (error instanceof MerkleProofError) return `${error.link}: ${error.rule}`
    throw error
  }
}

export const random = createRandom(34)
export const byte = (): number => Math.floor(random() * 256)
export const bytes = (length: number): string => Buffer.from(Array.from({ length }, byte)).toString('hex')

/** Keys of every fixed length: hashes, URefs, dictionary items, eras. */
export const newKey = (): string => {
  const kind = random()
  if (kind < 0.6) return `09${bytes(32)}`
  if (kind < 0.8) return `01${bytes(32)}`
  return kind < 0.95 ? `02${bytes(32)}00` : `05${bytes(2)}000000000000`
}

/** A stored `CLValue` of one byte. */
const value = (number: number): Uint8Array => Uint8Array.fromHex(`00${list(u8(number))}03`)

export interface World {
  state: StateTrie
  root: string
  keys: readonly string[]
  has(key: string): boolean
}

export const createWorld = (size: number): World => worldOf(Array.from({ length: size }, newKey))

export function worldOf(keys: readonly string[]): World {
  const state = createStateTrie()
  const root = state.commit(
    state.emptyRootHash,
    keys.map((key, index) => [key, value(index % 256)] as const),
  )
  const known = new Set(keys)
  return { state, root, keys, has: (key) => known.has(key) }
}

export const pick = <T>(items: readonly T[]): T => {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error('there are no items')
  return item
}

/** A random key, or an existing one with its end replaced, so that it shares any number of bytes with it. */
export function probe({ keys }: World): string {
  if (random() < 0.2) return newKey()
  const near = pick(keys)
  if (random() < 0.2) return near
  const shared = 2 * (1 + Math.floor(random() ** 3 * (near.length / 2 - 1)))
  const changed = near.slice(0, shared) + bytes((near.length - shared) / 2)
  return near.startsWith('02') ? `${changed.slice(0, 66)}00` : changed
}

export const proofOf = ({ state, root }: World, key: string): AbsenceEvidence => ({
  merkleProof: state.prove(root, key)?.toHex() ?? '',
})

export const walkOf = ({ state, root }: World, key: string): { trieElements: string[] } => ({
  trieElements: walkElements(state, root, key),
})

/** Bytes that count to 250 again and again, of which the hash of a node is known. */
export function countingBytes(length: number): Uint8Array {
  const period = Uint8Array.from({ length: 251 }, (_, index) => index)
  const bytes = new Uint8Array(length)
  for (let offset = 0; offset < length; offset += 251) bytes.set(period.subarray(0, length - offset), offset)
  return bytes
}

/** Expects that a walk decides random keys. */
export function expectWalksDecide(world: World, rounds: number): void {
  for (let round = 0; round < rounds; round++) {
    const key = probe(world)
    expect(verdictOf(key, world.root, walkOf(world, key))).toBe(truth(world, key))
  }
}

/** Expects that proofs of other keys give no false verdict, but every true one, and this many absences. */
export function expectProofsDecide(world: World, rounds: number, absences: number): void {
  const seen = new Map<string, number>()
  for (let round = 0; round < rounds; round++) {
    const key = probe(world)
    // Mostly a neighbor: only these can decide in a large trie.
    const start = key.slice(0, 2 * Math.floor(1 + random() * 3))
    const neighbor = world.keys.find((each) => each.startsWith(start)) ?? pick(world.keys)
    const verdict = verdictOf(key, world.root, proofOf(world, neighbor))
    expect([truth(world, key), 'not shown']).toContain(verdict)
    seen.set(verdict, (seen.get(verdict) ?? 0) + 1)
  }
  expect([...seen.keys()].sort()).toEqual(['absent', 'not shown', 'present'])
  expect(seen.get('absent')).toBeGreaterThan(absences)
}

export const truth = (world: World, key: string): AbsenceVerdict => (world.has(key) ? 'present' : 'absent')
