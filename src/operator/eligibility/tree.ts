import { DEPTH, type LeanTree, loadProver } from './packages.ts'

/** The path from a leaf to the root: the leaf's place, and the sibling hash at each of the 16 levels. */
export interface Path {
  index: number
  siblings: readonly bigint[]
}

export interface Tree {
  readonly root: bigint
  /** Returns the path of a leaf; null if it is not in the tree. */
  pathOf(leaf: bigint): Path | null
}

/**
 * Creates the tree of a group that fills the circuit: empty places are zero leaves, as Semaphore does for removed members.
 *
 * Semaphore's own trees are only as deep as their members need, and the circuit accepts any path of up to 16 levels. If the
 * root of another tree is a leaf, each leaf of that tree could prove membership by a longer path.
 *
 * Here every path has all 16 levels. For a longer path the circuit returns root 0, which the gate rejects.
 */
export async function createTree(leaves: readonly bigint[]): Promise<Tree> {
  const { Group, poseidon2 } = await loadProver()
  const size = 2 ** Math.ceil(Math.log2(Math.max(1, leaves.length)))
  const used = new Group([...leaves, ...Array<bigint>(size - leaves.length).fill(0n)])
  // Above Semaphore's tree, which is on the left, the right half of each level is empty.
  const above: bigint[] = []
  let { root } = used
  let empty = 0n
  for (let level = 0; level < DEPTH; level += 1) {
    if (level >= used.depth) {
      above.push(empty)
      root = poseidon2([root, empty])
    }
    empty = poseidon2([empty, empty])
  }
  return { root, pathOf: (leaf) => pathIn(used, leaf, above) }
}

function pathIn(used: LeanTree, leaf: bigint, above: readonly bigint[]): Path | null {
  const place = used.indexOf(leaf)
  if (place === -1) return null
  const { index, siblings } = used.generateMerkleProof(place)
  return { index, siblings: [...siblings, ...above] }
}
