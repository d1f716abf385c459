import { encodeU32 } from '@wattfeed/base'
import { childAt, serializePointers } from './branch.ts'
import type { Branch, Extension, Leaf, TrieNode } from './trieNode.ts'

/** A leaf and its ancestors, starting with the root. */
export interface LeafPath {
  leaf: Leaf
  parents: readonly (Branch | Extension)[]
}

export function findLeaf(root: Branch, key: Uint8Array): LeafPath | null {
  const parents: (Branch | Extension)[] = []
  let node: TrieNode | null = root
  for (let depth = 0; node !== null; ) {
    if (node.kind === 'leaf') return isLeafOf(node, key) ? { leaf: node, parents } : null
    parents.push(node)
    if (node.kind === 'branch') node = childAt(node, key[depth++] ?? -1)
    else {
      // The affix need not be compared here, because the leaf has the complete key.
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

/** Returns the `merkle_proof` of a leaf: a list of one `TrieMerkleProof<Key, StoredValue>`. */
export function proveLeaf({ leaf, parents }: LeafPath): Uint8Array {
  const keyAndValue = leaf.bytes.slice(1)
  const steps: Uint8Array[] = []
  let depth = 0
  for (const parent of parents) {
    steps.push(parent.kind === 'branch' ? branchStep(parent, keyAndValue[depth] ?? 0) : extensionStep(parent))
    depth += parent.kind === 'branch' ? 1 : parent.affix.length
  }
  return Buffer.concat([encodeU32(1), keyAndValue, encodeU32(steps.length), ...steps.reverse()])
}

/** Serializes a step: a tag, the index of the hole, then all other pointers with their indices. */
function branchStep(branch: Branch, holeIndex: number): Uint8Array {
  return Buffer.concat([
    Uint8Array.of(0, holeIndex),
    encodeU32(branch.size - 1),
    serializePointers(branch, holeIndex),
  ])
}

function extensionStep({ affix }: Extension): Uint8Array {
  return Buffer.concat([Uint8Array.of(1), encodeU32(affix.length), affix])
}
