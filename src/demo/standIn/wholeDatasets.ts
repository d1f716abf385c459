/** The routes and frequencies of the demo's datasets, and how many periods they have: five years. */
export const wholeDatasets = [
  { route: 'electricity/retail-sales', frequency: 'monthly', periods: 60 },
  { route: 'petroleum/pri/gnd', frequency: 'weekly', periods: 260 },
] as const

/** How many roots of each dataset are attested before the newest, one for each release. */
export const EARLIER_ROOTS = 2

/** Returns how many periods before the newest the rows of a whole dataset have; null for any other. */
export function wholeDepth(series: { readonly route: string; readonly frequency: string }): number | null {
  const found = wholeDatasets.find(
    ({ route, frequency }) => route === series.route && frequency === series.frequency,
  )
  // The earliest root has as many periods as the newest.
  return found === undefined ? null : found.periods - 1 + EARLIER_ROOTS
}
