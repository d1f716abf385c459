import type { RootAt } from './datasetRoots.ts'

/** Where the next page of a range starts, and by which root. */
export interface RangeCursor extends RootAt {
  /** EIA's text of the next period. */
  readonly period: string
}

/** Number of digits of a root that a cursor has: enough to tell roots of another chain apart. */
const ROOT_DIGITS = 16

/** Formats a cursor: `12.f3ab20c4d5e6f708.2026-11-20`. */
export const formatRangeCursor = ({ index, root, period }: RangeCursor): string =>
  `${index}.${root.slice(0, ROOT_DIGITS)}.${period}`

/** Parses a cursor; null if {@link formatRangeCursor} does not write it. The period may be any text. */
export function parseRangeCursor(text: string): RangeCursor | null {
  const [, digits = '', root = '', period = ''] =
    /^(0|[1-9]\d{0,15})\.([0-9a-f]{16})\.(.+)$/s.exec(text) ?? []
  const index = Number(digits)
  return period === '' || !Number.isSafeInteger(index) ? null : { index, root, period }
}
