import { hashedChildren } from './branch.ts'
import { type Branch, hashNode, serializeNode, type TrieNode } from './trieNode.ts'

/** Enough for a walk through all of a large trie's branches. More would keep old tries in memory. */
const MAX_REMEMBERED = 100_000

/**
 * Creates a finder of the elements of all roots. Nodes do not store their hash, so it searches them. It remembers the
 * children of what it found, because a walk down the trie asks for these next.
 *
 * @param roots root nodes by hash, oldest first
 */
export function createElementFinder(roots: ReadonlyMap<string, Branch>): (hash: string) => Uint8Array | null {
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
