import { defineError } from '@wattfeed/base'
import { emptyBranch } from './branch.ts'
import { createElementFinder } from './elementFinder.ts'
import { findLeaf, proveLeaf } from './leafPath.ts'
import { type Branch, hashNode } from './trieNode.ts'
import { updateTrie } from './updateTrie.ts'

/** The state root is unknown: it never existed or is no longer retained. */
export const UnknownRootError = defineError(
  'UnknownRootError',
  'unknown_root',
  (facts: { rootHash: string }) => `unknown state root ${facts.rootHash}; read at a newer block`,
)

/**
 * Global state at many state roots, in memory. It is the trie of casper-node: for the same contents, state roots and Merkle
 * proofs equal those of a real node.
 *
 * Root hashes have 64 hex digits. Keys are the lower-case hex of a serialized `Key`; a URef's access rights are zero.
 * Values are serialized `StoredValue`s.
 */
export interface StateTrie {
  /** Returns a copy of the value, or null. */
  get(rootHash: string, key: string): Uint8Array | null
  /** Returns the `merkle_proof` of a value, or null if there is none. */
  prove(rootHash: string, key: string): Uint8Array | null
  /** Returns the bytes of the trie's element with a hash of 64 hex digits, at any readable root; null if there is none. */
  element(hash: string): Uint8Array | null
  /** Null prunes a key. If a key has several writes, the last applies. Unknown roots throw here and in every read. */
  commit(parentRootHash: string, writes: Iterable<readonly [string, Uint8Array | null]>): string
  has(rootHash: string): boolean
  fork(): StateTrie
  readonly emptyRootHash: string
}

/** Default number of state roots that stay readable. */
export const READABLE_ROOTS = 256

/**
 * Creates an empty global state.
 *
 * @param retainedRoots number of roots that stay readable, including the newest. The memory of older roots is freed. In a
 * state of 60,000 keys, a root with a dozen writes takes 24 kB.
 */
export function createStateTrie(retainedRoots = READABLE_ROOTS): StateTrie {
  return stateOf(new Map([[emptyRootHash, emptyBranch]]), retainedRoots)
}

const emptyRootHash = hashNode(emptyBranch).toHex()

/** @param roots root nodes by hash, oldest first */
function stateOf(roots: Map<string, Branch>, retainedRoots: number): StateTrie {
  const rootOf = (rootHash: string): Branch => {
    const root = roots.get(rootHash)
    if (root === undefined) throw new UnknownRootError({ rootHash })
    return root
  }
  const retain = (rootHash: string, root: Branch): void => {
    // Move a recurring root to the end: it becomes the newest.
    roots.delete(rootHash)
    roots.set(rootHash, root)
    for (const oldest of roots.keys()) {
      if (roots.size <= Math.max(1, retainedRoots)) return
      roots.delete(oldest)
    }
  }
  return {
    emptyRootHash,
    has: (rootHash) => roots.has(rootHash),
    // Tries are immutable, so copies share them.
    fork: () => stateOf(new Map(roots), retainedRoots),
    get(rootHash, key) {
      const leaf = findLeaf(rootOf(rootHash), Uint8Array.fromHex(key))?.leaf
      return leaf?.bytes.slice(1 + leaf.keyBytes) ?? null
    },
    prove(rootHash, key) {
      const path = findLeaf(rootOf(rootHash), Uint8Array.fromHex(key))
      return path && proveLeaf(path)
    },
    element: createElementFinder(roots),
    commit(parentRootHash, writes) {
      const sorted = [...new Map(writes)].sort(([a], [b]) => (a < b ? -1 : 1))
      const root = updateTrie(
        rootOf(parentRootHash),
        sorted.map(([key, value]) => ({ key: Uint8Array.fromHex(key), value })),
      )
      const rootHash = hashNode(root).toHex()
      retain(rootHash, root)
      return rootHash
    },
  }
}
