import { defineError } from '@wattfeed/base'
import { anyChild, childAt, emptyBranch, type Replacement, replaceChildren } from './branch.ts'
import { type Branch, createLeaf, type Extension, type Leaf, type TrieNode } from './trieNode.ts'

/** A key is a prefix of another key. This never occurs with keys of global state. */
export const KeyPrefixError = defineError(
  'KeyPrefixError',
  'key_prefix',
  (facts: { key: string }) =>
    `key ${facts.key} is a prefix of another key; write serialized keys of global state only`,
)

/** A value for a serialized key; null prunes the key. */
export interface Write {
  readonly key: Uint8Array
  readonly value: Uint8Array | null
}

interface KeyedLeaf {
  readonly key: Uint8Array
  readonly leaf: Leaf
}

/**
 * Returns the root after writes. They must be sorted by key, without duplicates. The old root is not modified, and is
 * returned if nothing changes.
 *
 * The shape of the trie does not depend on the order of writes. So all writes of a block are applied together, and every
 * changed node is hashed once.
 */
export function updateTrie(root: Branch, writes: readonly Write[]): Branch {
  return updateBranch(root, writes, 0)
}

function update(node: TrieNode | null, writes: readonly Write[], depth: number): TrieNode | null {
  if (node === null) return build(writes.flatMap(toLeaf), depth)
  if (node.kind === 'leaf') return build(replaceLeaf(node, writes), depth)
  if (node.kind === 'extension') return updateExtension(node, writes, depth)
  return join(updateBranch(node, writes, depth))
}

function updateBranch(old: Branch, writes: readonly Write[], depth: number): Branch {
  const changed: Replacement[] = []
  forEachByte(writes, depth, (byte, group) => {
    const child = childAt(old, byte)
    const node = update(child, group, depth + 1)
    if (node !== child) changed.push({ byte, node })
  })
  return changed.length === 0 ? old : replaceChildren(old, changed)
}

function updateExtension(old: Extension, writes: readonly Write[], depth: number): TrieNode | null {
  const { affix, child } = old
  const split = Math.min(affix.length, ...writes.map(({ key }) => commonLength(affix, key, depth)))
  if (split === affix.length) {
    const next = update(child, writes, depth + split)
    return next === child ? old : next && extend(affix, next)
  }
  const rest = { byte: affix[split] ?? 0, node: extend(affix.slice(split + 1), child) }
  const next = join(updateBranch(replaceChildren(emptyBranch, [rest]), writes, depth + split))
  return next && extend(affix.slice(0, split), next)
}

/** Builds a trie from sorted leaves that share all bytes before `depth`. */
function build(leaves: readonly KeyedLeaf[], depth: number): TrieNode | null {
  const [first] = leaves
  const last = leaves.at(-1)
  if (first === undefined || last === undefined) return null
  if (first === last) return first.leaf
  const end = commonLength(first.key, last.key, 0)
  const children: Replacement[] = []
  forEachByte(leaves, end, (byte, group) => children.push({ byte, node: build(group, end + 1) }))
  return extend(first.key.slice(depth, end), replaceChildren(emptyBranch, children))
}

/** Replaces a branch with fewer than two children by its only child or null. */
function join(branch: Branch): TrieNode | null {
  if (branch.size > 1) return branch
  const only = anyChild(branch)
  return only && extend(Uint8Array.of(only.byte), only.node)
}

function extend(affix: Uint8Array, node: TrieNode): TrieNode {
  if (affix.length === 0 || node.kind === 'leaf') return node
  if (node.kind === 'branch') return { kind: 'extension', affix, child: node }
  return { kind: 'extension', affix: Uint8Array.of(...affix, ...node.affix), child: node.child }
}

function replaceLeaf(old: Leaf, writes: readonly Write[]): KeyedLeaf[] {
  const key = old.bytes.slice(1, 1 + old.keyBytes)
  const leaves = writes.flatMap(toLeaf)
  if (writes.some((write) => Buffer.compare(write.key, key) === 0)) return leaves
  return [{ key, leaf: old }, ...leaves].sort((a, b) => Buffer.compare(a.key, b.key))
}

function toLeaf({ key, value }: Write): KeyedLeaf[] {
  return value === null ? [] : [{ key, leaf: createLeaf(key, value) }]
}

/** Visits sorted items in groups with the same byte at `depth`. */
function forEachByte<T extends { key: Uint8Array }>(
  items: readonly T[],
  depth: number,
  visit: (byte: number, group: readonly T[]) => void,
): void {
  for (let start = 0, end = 0; start < items.length; start = end) {
    const key = items[start]?.key ?? new Uint8Array()
    const byte = key[depth]
    if (byte === undefined) throw new KeyPrefixError({ key: key.toHex() })
    while (items[end]?.key[depth] === byte) end++
    visit(byte, items.slice(start, end))
  }
}

/** Returns the length of the common prefix of `a` and `b`, with `b` starting at `offset`. */
function commonLength(a: Uint8Array, b: Uint8Array, offset: number): number {
  let length = 0
  while (length < a.length && a[length] === b[offset + length]) length++
  return length
}
