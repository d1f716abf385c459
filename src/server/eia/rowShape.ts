import type { EiaRecord, Leaf } from '@wattfeed/dataset'

/** A row as EIA's API sends it. */
export type EiaRow = Readonly<Record<string, string | null>>

/** The leaves of a row, by column. They have the same period and facets, and there is at least one. */
export type LeavesOfRow = ReadonlyMap<string, Leaf>

/** Returns a member of a row; undefined if the row lacks it. */
type ReadMember = (leaves: LeavesOfRow, first: Leaf) => string | null | undefined

/**
 * Creates a function that makes rows of leaves: with EIA's members in EIA's order if these are recorded; otherwise the period, the facets,
 * and each column with its unit.
 *
 * @param columns - those that the rows show
 * @param facets - ids of every facet
 */
export function createRowShape(
  columns: readonly string[],
  facets: readonly string[],
  record: EiaRecord | null,
): (leaves: LeavesOfRow) => EiaRow {
  const known = new Map<string, ReadMember>([
    ['period', (_, { period }) => period],
    ...facets.map((id) => [id, (_: LeavesOfRow, first: Leaf) => first.facets[id] ?? null] as const),
    ...(record?.names ?? []).map(
      ({ member, facet, texts }) =>
        [member, (_: LeavesOfRow, first: Leaf) => texts.get(first.facets[facet] ?? '')] as const,
    ),
    ...columns.map((column) => [column, (leaves: LeavesOfRow) => leaves.get(column)?.value] as const),
  ])
  for (const column of columns) {
    const member = record === null ? `${column}-units` : record.unitMembers.get(column)
    // Several columns may have one member, whose text is then the same.
    if (member !== undefined && !known.has(member)) known.set(member, (leaves) => leaves.get(column)?.unit)
  }
  const ordered = (record?.members ?? []).filter((member) => known.has(member))
  const members = [...new Set([...ordered, ...known.keys()])].flatMap((member) => {
    const read = known.get(member)
    return read === undefined ? [] : [{ member, read }]
  })
  return (leaves) => {
    const [first] = leaves.values()
    if (first === undefined) throw new TypeError('a row has at least one leaf')
    return Object.fromEntries(
      members.flatMap(({ member, read }): [string, string | null][] => {
        const text = read(leaves, first)
        return text === undefined ? [] : [[member, text]]
      }),
    )
  }
}
