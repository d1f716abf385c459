import { defineError } from '../../defineError.ts'
import { emptyBranch, hashedChildren } from './branch.ts'
import { findLeaf, proveLeaf } from './findLeaf.ts'
import { type Branch, hashNode, serializeNode, type TrieNode } from './trieNode.ts'
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

/**
 * Creates an empty global state.
 *
 * @param retainedRoots number of roots that stay readable, including the newest. The memory of older roots is freed. In a
 * state of 60,000 keys, a root with a dozen writes takes 24 kB.
 */
export function createStateTrie(retainedRoots = 256): StateTrie {
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

/** Enough for a walk through all of a large trie's branches. More would keep old tries in memory. */
const MAX_REMEMBERED = 100_000

/**
 * Creates a finder of the elements of all roots. Nodes do not store their hash, so it searches them. It remembers the
 * children of what it found, because a walk down the trie asks for these next.
 *
 * @param roots root nodes by hash, oldest first
 */
function createElementFinder(roots: ReadonlyMap<string, Branch>): StateTrie['element'] {
  const remembered = new Map<string, TrieNode>()

  function remember(node: TrieNode): void {
    if (remembered.size > MAX_REMEMBERED) remembered.clear()
    for (const child of childrenOf(node)) remembered.set(child.hash.toHex(), child.node)
  }

  return (hash) => {
    const node = roots.get(hash) ?? remembered.get(hash) ?? search([...roots.values()], hash)
    if (node === null) return null
    remember(node)
    // A copy, because the next serialization reuses the buffer.
    return serializeNode(node).slice()
  }
}

function childrenOf(node: TrieNode): Iterable<{ node: TrieNode; hash: Uint8Array }> {
  if (node.kind === 'branch') return hashedChildren(node)
  return node.kind === 'leaf' ? [] : [{ node: node.child, hash: hashNode(node.child) }]
}

/** Searches the newest root first. Subtrees that roots share are searched only once. */
function search(roots: readonly TrieNode[], hash: string): TrieNode | null {
  const wanted = Uint8Array.fromHex(hash)
  const left = [...roots]
  const seen = new Set<TrieNode>()
  for (let node = left.pop(); node !== undefined; node = left.pop())
    for (const child of childrenOf(node)) {
      if (Buffer.compare(child.hash, wanted) === 0) return child.node
      if (child.node.kind === 'leaf' || seen.has(child.node)) continue
      seen.add(child.node)
      left.push(child.node)
    }
  return null
}
