import { formatSeries, type Leaf } from '@wattfeed/dataset'
import type { LeafDifference } from '@wattfeed/dataset/compare'
import { printable } from '../../../runtime/printable.ts'
import type { AnnouncedRoot } from '../../state/announcedRoots.ts'

/** The first value in which the snapshot of another member differs from this member's. */
export interface FirstDifference extends LeafDifference {
  /** Account hash of the other member's key. */
  readonly member: string
  /** The roots of both snapshots, 64 hex digits each. */
  readonly ownRoot: string
  readonly otherRoot: string
}

/** What a member reports about the roots of datasets. Members are account hashes of their keys. Nothing that it does depends on it. */
export type RootEvent =
  /** A member, or this one, has announced the root that it holds; null if this one holds none any more. Also for each repetition. */
  | {
      readonly event: 'root_announced'
      readonly feedId: string
      readonly member: string
      readonly root: AnnouncedRoot | null
    }
  /** A round has ended in which this member asked EIA again for the keys in which other members differ. */
  | {
      readonly event: 'converged'
      readonly feedId: string
      /** From 1. */
      readonly round: number
      /** Number of keys that EIA was asked for. */
      readonly asked: number
      /** Whether EIA says something else now. */
      readonly isChanged: boolean
      /** The members that were compared. */
      readonly others: readonly string[]
    }
  /** After each comparison: members hold other roots than this one, and too few hold that of this one. */
  | {
      readonly event: 'roots_differ'
      readonly feedId: string
      /** Since when too few agree, in epoch milliseconds. */
      readonly since: number
      /** The members whose roots differ from this member's. */
      readonly members: readonly string[]
      /** Whether enough of them hold one and the same root, and so attest without this member. */
      readonly othersAgree: boolean
      /** Null if no comparison has found one, such as when too many leaves differ. */
      readonly first: FirstDifference | null
    }
  /** Enough members agree on a root again, no other holds another one, or this member holds none any more. */
  | { readonly event: 'roots_agree'; readonly feedId: string }

/** Characters of the text of a value. EIA's texts have at most a few dozen. */
const MAX_TEXT = 60
/** Characters of the text of a key. Facets have short codes. */
const MAX_KEY_TEXT = 300

/**
 * Formats the first difference for people: `petroleum/pri/gnd weekly value area=NUS 2026-11-20: here 3.05 $/GAL, at north 3.06 $/GAL`.
 * The texts of the other member may be anything, so they are cut and escaped.
 */
export function formatFirstDifference(
  { key, own, other, member }: Omit<FirstDifference, 'ownRoot' | 'otherRoot'>,
  nameOf: (member: string) => string,
): string {
  const what = shown(`${formatSeries(key)} ${key.period}`, MAX_KEY_TEXT)
  return `${what}: here ${valueText(own)}, at ${nameOf(member)} ${valueText(other)}`
}

function valueText(leaf: Leaf | null): string {
  if (leaf === null) return 'none'
  const { value, unit } = leaf
  const text = value === null ? 'null' : value === '' ? '""' : shown(value, MAX_TEXT)
  return unit === null ? text : `${text} ${shown(unit, MAX_TEXT)}`
}

/** Cuts before it escapes: an escaped character is never cut. */
const shown = (text: string, max: number): string =>
  printable(text.length <= max ? text : `${text.slice(0, max)}…`)
