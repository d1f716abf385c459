import type { FuzzCase } from './runConversation.ts'

/** A case with the part of all runs that it gets. */
export interface NamedCase extends FuzzCase {
  name: string
  share: number
}

/*
 * What holds while a node lies, and afterwards. "True" is what the chain held at some block; "right" is what it holds at
 * the newest block that the read could know of.
 *
 * Always, whatever a node says: a read ends within its deadline, throws nothing but a `WattfeedError`, and leaves no
 * memory behind. All readings of a list, and all reads of a snapshot, are true at one and the same block. A feed proof
 * that is handed out holds for whoever trusts a switch block of the true chain. A wrong local clock makes reads fail,
 * never old values come, while no node lies; one that is slow lets a liar show what is older by as much.
 *
 * While one node lies:
 * - `off`: the node that is asked is believed, whether there are others or not. Anything may come.
 * - `proofs`, as long as it has no validators of its own: every value was true at a final block no older than
 *   `maxHeadAgeMs`. A single node may hide: say that something is absent, or not answer. Of two nodes, one that lies can
 *   hide nothing that is there, nor keep it from being read in four tries; but nothing is known to be absent until both
 *   say so, so that reads of what is not there, and of a list with a feed that has no value yet, may fail.
 * - `proofs`, with validators of its own: as at `off`.
 * - `full`: as at `proofs`, also with validators of its own.
 *
 * After the lie: once the client has read at one new state root (a node that asked for a pause or rests may need five
 * roots for that), every read at the next root succeeds and is right, at all levels. But at `off`, what a node said that
 * looked right (a value, a feed's metadata, a shorter list) may stay until that feed's next event: nothing shows it.
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
