import { type Branch, childAt, listPointers } from './branch.ts'
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

/** The `merkle_proof` of a leaf: one `TrieMerkleProof<Key, StoredValue>` in a list, as a node serves it. */
export function proveLeaf({ leaf, parents }: LeafPath): Uint8Array {
  const keyAndValue = leaf.bytes.slice(1)
  const steps: Uint8Array[] = []
  let depth = 0
  for (const parent of parents) {
    steps.push(parent.kind === 'branch' ? branchStep(parent, keyAndValue[depth] ?? 0) : extensionStep(parent))
    depth += parent.kind === 'branch' ? 1 : parent.affix.length
  }
  return Buffer.concat([u32(1), keyAndValue, u32(steps.length), ...steps.reverse()])
}

/** Tag, the index that is left out, then every other pointer after its index. */
function branchStep(branch: Branch, holeIndex: number): Uint8Array {
  return Buffer.concat([Uint8Array.of(0, holeIndex), u32(branch.size - 1), listPointers(branch, holeIndex)])
}

function extensionStep({ affix }: Extension): Uint8Array {
  return Buffer.concat([Uint8Array.of(1), u32(affix.length), affix])
}

function u32(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value, true)
  return bytes
}
