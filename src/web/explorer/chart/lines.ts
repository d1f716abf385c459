/** Points from left to right. */
export interface Line {
  /** Epoch milliseconds, ascending. */
  readonly x: readonly number[]
  readonly y: readonly number[]
  /** Whether a value holds until the next one. */
  readonly isStepped: boolean
}

/** What a point is drawn from. */
export interface LineRow {
  /** ISO 8601; null if it is not known. */
  readonly period_start: string | null
  readonly value: number
  /** Epoch milliseconds. */
  readonly attested_at: number
}

/** Points, and the row of each. */
export interface LineOf<Row> extends Line {
  readonly rows: readonly Row[]
}

/** Returns the points of rows: at their periods, or as steps at their times of attestation. */
export function lineOf<Row extends LineRow>(rows: readonly Row[], isByTime: boolean): LineOf<Row> {
  const [x, y, kept]: [number[], number[], Row[]] = [[], [], []]
  for (const row of rows) {
    const at = isByTime ? row.attested_at : Date.parse(row.period_start ?? '')
    if (Number.isNaN(at) || !Number.isFinite(row.value)) continue
    // Rows of one block have the same time: show the last one.
    const place = x.at(-1) === at ? x.length - 1 : x.length
    x[place] = at
    y[place] = row.value
    kept[place] = row
  }
  return { x, y, rows: kept, isStepped: isByTime }
}

/** Lines over one x axis: its values, and the values of each line, which are undefined if it has no point there. */
export type AlignedLines = [x: number[], ...y: (number | undefined)[][]]

export function alignLines(lines: readonly Line[]): AlignedLines {
  const [only] = lines
  if (only !== undefined && lines.length === 1) return [[...only.x], [...only.y]]
  const x = [...new Set(lines.flatMap((line) => line.x))].sort((one, other) => one - other)
  const placeOf = new Map(x.map((at, place) => [at, place]))
  const aligned = lines.map((line) => {
    const y = new Array<number | undefined>(x.length).fill(undefined)
    for (const [index, at] of line.x.entries()) y[placeOf.get(at) ?? 0] = line.y[index]
    return y
  })
  return [x, ...aligned]
}

/** Returns the index of the point at a time: the nearest one, or the last one before it if stepped; -1 for none. */
export function pointAt({ x, isStepped }: Line, at: number): number {
  let [low, high] = [0, x.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((x[middle] ?? 0) <= at) low = middle + 1
    else high = middle
  }
  const before = low - 1
  if (isStepped || low === x.length) return before
  if (before < 0) return low
  return at - (x[before] ?? 0) <= (x[low] ?? 0) - at ? before : low
}
