import type { Leaf } from '@wattfeed/dataset'
import type { LeafDifference } from '@wattfeed/dataset/compare'
import { printable } from '../../../runtime/printable.ts'

/** Characters of another member's leaf that are printed. */
const MAX_SHOWN = 300

/** Describes a leaf that differs: `petroleum/pri/gnd weekly value of 2026-11-20, area NUS: here 3.05, there 3.06`. */
export function describeDifference({ key, own, other }: LeafDifference): string {
  const facets = Object.entries(key.facets).map(([facet, value]) => `${facet} ${value ?? 'none'}`)
  const where = [`${key.route} ${key.frequency} ${key.column} of ${key.period}`, ...facets].join(', ')
  return printable(`${where}: here ${valueOf(own)}, there ${valueOf(other)}`).slice(0, MAX_SHOWN)
}

const valueOf = (leaf: Leaf | null): string => {
  if (leaf === null) return 'no value'
  return leaf.unit === null ? `${leaf.value}` : `${leaf.value} ${leaf.unit}`
}
