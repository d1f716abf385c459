import { type Codes, firstFrom } from './codes.ts'
import { compareTexts } from './compareTexts.ts'
import { periodsOf, type TableFilter } from './selectRows.ts'
import type { TableIndex } from './tableIndex.ts'

/** Leaves that are one after the other in the tree: the first, and the one after the last. It may be empty. */
export interface Run {
  readonly from: number
  readonly to: number
}

/** Maximum number of series in a list. */
export const MAX_LISTED_SERIES = 100

/**
 * Finds the runs that have all rows of a table, and no others, if it has that form; null for any other table. It is a list of at most
 * {@link MAX_LISTED_SERIES} series, each with every facet; or one run: one column, one code of each of the first facets, and all periods.
 */
export function findRuns(index: TableIndex, filter: TableFilter): Run[] | null {
  const given = index.facets.map(({ id }) =>
    Object.hasOwn(filter.facets, id) ? filter.facets[id] : undefined,
  )
  const firstMissing = given.indexOf(undefined)
  const leading = given
    .slice(0, firstMissing === -1 ? given.length : firstMissing)
    .map((codes = []) => [...new Set(codes)])
  const columns = [...new Set(filter.columns)]
  const count = leading.reduce((product, codes) => product * codes.length, columns.length)
  const isList = firstMissing === -1 && count <= MAX_LISTED_SERIES
  const isRun =
    count === 1 &&
    given.slice(leading.length).every((codes) => codes === undefined) &&
    filter.from === null &&
    filter.to === null
  if (!isList && !isRun) return null
  const keys = leading.reduce<(string | null)[][]>(
    (found, codes) => found.flatMap((key) => codes.map((code) => [...key, code])),
    columns.map((column) => [column]),
  )
  return keys.map((key) => runOf(index, key, filter))
}

/** The run of the series that start with a column and some codes, in the periods of a filter if it is one series. */
function runOf(index: TableIndex, key: readonly (string | null)[], filter: TableFilter): Run {
  const { starts, columns, columnOf, facets, facetsOf } = index
  const lists: { codes: Codes; texts: readonly (string | null)[] }[] = [
    { codes: columnOf, texts: columns },
    ...facets.map(({ codes: texts }, at) => ({ codes: facetsOf[at] ?? columnOf, texts })),
  ]
  let first = 0
  let past = starts.length - 1
  for (const [at, text] of key.entries()) {
    const { codes, texts } = lists[at] ?? { codes: columnOf, texts: columns }
    const rank = countBefore(texts, text)
    const next = texts[rank] === text ? rank + 1 : rank
    const [low, high] = [first, past]
    first = firstFrom(codes, rank, { low, high })
    past = firstFrom(codes, next, { low: first, high })
  }
  const [from, to] = [starts[first] ?? 0, starts[past] ?? 0]
  if (past !== first + 1 || key.length !== lists.length) return { from, to }
  const bounds = periodsOf(index, filter)
  return {
    from: firstFrom(index.periodOf, bounds.from, { low: from, high: to }),
    to: firstFrom(index.periodOf, bounds.to, { low: from, high: to }),
  }
}

/** Counts the texts of a list that are before another. Null is the first. */
function countBefore(texts: readonly (string | null)[], text: string | null): number {
  if (text === null) return 0
  return texts.filter((each) => each === null || compareTexts(each, text) < 0).length
}
