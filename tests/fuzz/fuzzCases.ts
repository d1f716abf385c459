import type { FuzzCase } from './runConversation.ts'

/** A case with its share of all runs. */
export interface NamedCase extends FuzzCase {
  name: string
  share: number
}

/*
 * The guarantees while a node lies, and afterwards. "True" is the chain's state at some block. "Right" is its state at the
 * newest block that the read could know.
 *
 * Always, for any answer of a node: a read ends within its deadline, throws only `WattfeedError`, and leaks no memory. All
 * readings of a list, and all reads of a snapshot, are true at the same block. A returned feed proof is valid for a reader
 * who trusts a switch block of the true chain.
 *
 * A wrong local clock makes reads fail, but never returns old values, unless a node lies. If the clock is slow, a lying
 * node can show values that are older by the same amount.
 *
 * While one node lies:
 *
 * - `off`: the client believes the node that it calls, with or without other nodes. Any answer may come.
 *
 * - `proofs`, if the node has no validators of its own: every value was true at a final block no older than
 *   `maxHeadAgeMs`. A single node may hide items: it can report them as absent, or not answer. If one of two nodes lies,
 *   it cannot hide an existing item, nor prevent a read of it within four tries.
 *
 *   An item counts as absent only if both nodes say so. Reads of an absent item may therefore fail, as may a list with a
 *   feed that has no value yet.
 *
 * - `proofs`, with validators of the node's own: as for `off`.
 *
 * - `full`: as for `proofs`, also with validators of the node's own.
 *
 * After the lie, the client first reads at one new state root. This may take five roots if a node requested a pause or
 * rests. Then every read at the next root succeeds and is right, at all levels.
 *
 * There is one exception, at `off`: a false answer that looked right (a value, a feed's metadata, a shorter list) may stay
 * until that feed's next event.
 */

/** Every case; the shares add up to 1. */
export const fuzzCases: readonly NamedCase[] = [
  {
    name: 'off, one node that breaks, hides, stands still or is of another chain',
    share: 0.12,
    verify: 'off',
    nodes: 1,
    groups: ['transport', 'absence', 'frozen', 'otherChain'],
    whileLying: 'believed',
    recovers: 'wholly',
  },
  {
    name: 'off, one node that says what is plausible',
    share: 0.12,
    verify: 'off',
    nodes: 1,
    groups: ['plausible', 'stale'],
    whileLying: 'believed',
    recovers: 'as it is attested',
  },
  {
    name: 'off, two nodes, of which one lies',
    share: 0.12,
    verify: 'off',
    nodes: 2,
    groups: ['transport', 'absence', 'frozen', 'otherChain'],
    whileLying: 'believed',
    recovers: 'wholly',
  },
  {
    name: 'proofs, one node',
    share: 0.14,
    verify: 'proofs',
    nodes: 1,
    groups: ['transport', 'absence', 'frozen', 'stale', 'plausible', 'plausible', 'unsigned'],
    whileLying: 'proven',
    recovers: 'wholly',
  },
  {
    name: 'proofs, two nodes, of which one lies',
    share: 0.14,
    verify: 'proofs',
    nodes: 2,
    groups: ['transport', 'absence', 'frozen', 'stale', 'plausible', 'plausible', 'unsigned'],
    whileLying: 'confirmed',
    recovers: 'wholly',
  },
  {
    name: 'proofs, one node with validators of its own',
    share: 0.06,
    verify: 'proofs',
    nodes: 1,
    groups: ['forged', 'otherChain'],
    whileLying: 'believed',
    recovers: 'wholly',
  },
  {
    name: 'proofs, two nodes, of which one has validators of its own',
    share: 0.06,
    verify: 'proofs',
    nodes: 2,
    groups: ['forged', 'otherChain'],
    whileLying: 'believed',
    recovers: 'wholly',
  },
  {
    name: 'full, one node',
    share: 0.12,
    verify: 'full',
    nodes: 1,
    groups: [
      'transport',
      'absence',
      'frozen',
      'stale',
      'plausible',
      'plausible',
      'unsigned',
      'forged',
      'otherChain',
    ],
    whileLying: 'proven',
    recovers: 'wholly',
  },
  {
    name: 'full, two nodes, of which one lies',
    share: 0.12,
    verify: 'full',
    nodes: 2,
    groups: [
      'transport',
      'absence',
      'frozen',
      'stale',
      'plausible',
      'plausible',
      'unsigned',
      'forged',
      'otherChain',
    ],
    whileLying: 'confirmed',
    recovers: 'wholly',
  },
]
