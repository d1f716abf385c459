import {
  dictionaryKey,
  encodeDictionaryItem,
  encodeStoredValue,
  formatKey,
  hashKey,
} from '@wattfeed/casper/types'
import { startWalk, takeElement } from '../packages/casper/src/proof/trieWalk.ts'
import { blake2b } from '../packages/casper-devnet/src/blake2b.ts'
import { createStateTrie, type StateTrie } from '../packages/casper-devnet/src/state/stateTrie.ts'

/** Writes `fixtures/absence/vectors.jsonl`: `bun scripts/generateAbsenceVectors.ts`. The same vectors every time. */

interface Vector {
  name: string
  key: string
  state_root_hash: string
  evidence: { merkle_proof: string } | { trie_elements: readonly string[] }
  /** `absent`, `present`, `not shown`, or `invalid` if the evidence must be refused. */
  verdict: string
}

const utf8 = new TextEncoder()
const seed = blake2b(utf8.encode('seed'))

const itemKey = (name: string): Uint8Array => dictionaryKey(blake2b(seed, utf8.encode(name)))

const item = (name: string): Uint8Array =>
  encodeStoredValue({
    kind: 'CLValue',
    value: encodeDictionaryItem({
      value: { clType: 'U8', bytes: Uint8Array.of(7) },
      seed,
      itemKey: utf8.encode(name),
    }),
  })

/** Two hashes that share their first 9 bytes, so that the trie has an extension. */
const paired = (last: number): Uint8Array => hashKey(new Uint8Array(32).fill(8).fill(last, 8))

const names = Array.from({ length: 600 }, (_, index) => `item ${index}`)
const state = createStateTrie()
const root = state.commit(state.emptyRootHash, [
  ...names.map((name) => [itemKey(name).toHex(), item(name)] as const),
  [paired(1).toHex(), item('a')],
  [paired(2).toHex(), item('b')],
])
const otherRoot = state.commit(root, [[itemKey('item 0').toHex(), null]])

const present = itemKey('item 0')
const absentNames = Array.from({ length: 4_000 }, (_, index) => `absent ${index}`)

/** Returns the kind of element at which the way to a key ends, and all elements. */
function walk(trie: StateTrie, stateRootHash: string, key: Uint8Array): { kind: number; elements: string[] } {
  const elements: string[] = []
  let place = startWalk(Uint8Array.fromHex(stateRootHash))
  for (;;) {
    const element = trie.element(place.pointer.hash.toHex())
    if (element === null) throw new Error('the trie lacks an element')
    elements.push(element.toHex())
    const next = takeElement(place, element, key)
    if (typeof next === 'string') return { kind: element[0] ?? 0, elements }
    place = next
  }
}

const endingAt = (kind: number): Uint8Array => {
  const key = absentNames.map(itemKey).find((each) => walk(state, root, each).kind === kind)
  if (key === undefined) throw new Error(`no key ends at an element of kind ${kind}`)
  return key
}
const atLeaf = endingAt(0)
const atSlot = endingAt(1)
const inExtension = hashKey(new Uint8Array(32).fill(8).fill(9, 4))

const proofOf = (key: Uint8Array): { merkle_proof: string } => ({
  merkle_proof: state.prove(root, key.toHex())?.toHex() ?? '',
})
const walkTo = (key: Uint8Array, stateRootHash = root) => ({
  trie_elements: walk(state, stateRootHash, key).elements,
})

/** The stored item whose key shares the most bytes with a key. */
function neighbor(key: Uint8Array): Uint8Array {
  const shared = (other: Uint8Array): number => other.findIndex((byte, index) => byte !== key[index])
  return names.map(itemKey).reduce((best, each) => (shared(each) > shared(best) ? each : best))
}

const vector = (
  name: string,
  key: Uint8Array,
  evidence: Vector['evidence'],
  verdict: string,
  state_root_hash = root,
): Vector => ({ name, key: formatKey(key), state_root_hash, evidence, verdict })

const { trie_elements: elements } = walkTo(atLeaf)
const flip = (hex: string): string => hex.slice(0, -1) + (hex.endsWith('0') ? '1' : '0')

const vectors: Vector[] = [
  vector('the walk ends at an empty slot', atSlot, walkTo(atSlot), 'absent'),
  vector('the walk ends at the leaf of another key', atLeaf, walkTo(atLeaf), 'absent'),
  vector('the walk ends in an extension', inExtension, walkTo(inExtension), 'absent'),
  vector('the walk ends at the leaf of the key', present, walkTo(present), 'present'),
  vector('the state is empty', present, walkTo(present, state.emptyRootHash), 'absent', state.emptyRootHash),
  vector('the key was removed at this root', present, walkTo(present, otherRoot), 'absent', otherRoot),
  vector('a neighbor’s proof shows the empty slot', atSlot, proofOf(neighbor(atSlot)), 'absent'),
  vector('a neighbor’s proof ends at its own leaf', atLeaf, proofOf(neighbor(atLeaf)), 'absent'),
  vector('a proof shows the extension', inExtension, proofOf(paired(1)), 'absent'),
  vector('the proof of the key', present, proofOf(present), 'present'),
  vector('a proof leaves the way at an occupied slot', atLeaf, proofOf(paired(1)), 'not shown'),
  vector('the key is stored, a proof leaves its way', present, proofOf(paired(1)), 'not shown'),
  vector(
    'a kind of key with several lengths',
    Uint8Array.of(15, 0, ...new Uint8Array(32)),
    proofOf(present),
    'not shown',
  ),
  vector('a walk from another root', atLeaf, walkTo(atLeaf, otherRoot), 'invalid'),
  vector('a proof at another root', atLeaf, proofOf(neighbor(atLeaf)), 'invalid', otherRoot),
  vector('the last element is missing', atLeaf, { trie_elements: elements.slice(0, -1) }, 'invalid'),
  vector('the first element is missing', atLeaf, { trie_elements: elements.slice(1) }, 'invalid'),
  vector('an element twice', atLeaf, { trie_elements: [...elements, elements.at(-1) ?? ''] }, 'invalid'),
  vector(
    'a changed element',
    atLeaf,
    { trie_elements: elements.with(-1, flip(elements.at(-1) ?? '')) },
    'invalid',
  ),
  vector('no elements', atLeaf, { trie_elements: [] }, 'invalid'),
  vector('the walk to another key', atLeaf, walkTo(paired(1)), 'invalid'),
  vector(
    'a changed proof',
    atLeaf,
    { merkle_proof: flip(proofOf(neighbor(atLeaf)).merkle_proof) },
    'invalid',
  ),
  vector(
    'a proof cut short',
    atLeaf,
    { merkle_proof: proofOf(present).merkle_proof.slice(0, -2) },
    'invalid',
  ),
]

const path = new URL('../fixtures/absence/vectors.jsonl', import.meta.url)
await Bun.write(path, vectors.map((each) => `${JSON.stringify(each)}\n`).join(''))
