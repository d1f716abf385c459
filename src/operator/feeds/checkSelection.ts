import type { CheckedSelection } from './check.ts'
import { checkCatalog } from './checkCatalog.ts'
import { checkSeries } from './checkSeries.ts'
import { checkUpstream, type UpstreamCheck, upstreamNotAsked } from './checkUpstream.ts'
import type { EiaReads } from './eiaReads.ts'

/** Checks what a feed selects: the catalog's part, and EIA's where there is a client of it. */
export async function checkSelection(
  selection: CheckedSelection,
  eia: EiaReads | null,
): Promise<Pick<UpstreamCheck, 'checks' | 'newest'>> {
  const { checks, newest, isUnique } = eia ? await checkUpstream(eia, selection) : upstreamNotAsked
  return { checks: [...checkCatalog(selection), checkSeries(selection, isUnique), ...checks], newest }
}
