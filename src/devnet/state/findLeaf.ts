import { type Branch, childAt } from './branch.ts'
import type { Extension, Leaf, TrieNode } from './trieNode.ts'

/** A leaf and the nodes that lead to it, the root first. */
export interface LeafPath {
  leaf: Leaf
  parents: readonly (Branch | Extension)[]
}

/** The leaf of a serialized key, or null where there is none. */
export function findLeaf(root: Branch, key: Uint8Array): LeafPath | null {
  const parents: (Branch | Extension)[] = []
  let node: TrieNode | null = root
  for (let depth = 0; node !== null; ) {
    if (node.kind === 'leaf') return isLeafOf(node, key) ? { leaf: node, parents } : null
    parents.push(node)
    if (node.kind === 'branch') node = childAt(node, key[depth++] ?? -1)
    else {
      // Whether the key goes this way, the leaf tells.
      const { affix, child }: Extension = node
      node = child
      depth += affix.length
    }
  }
  return null
}

function isLeafOf({ bytes, keyBytes }: Leaf, key: Uint8Array): boolean {
  return keyBytes === key.length && key.every((byte, index) => bytes[1 + index] === byte)
}
