import type { EiaClient } from '@wattfeed/eia'
import { datasetOf, type FeedConfig, isDataset, seriesOf } from '../../agent/feeds/feedConfig.ts'
import { type Finding, passed } from './finding.ts'

/** Asks EIA for one row of the first feed, which shows whether it accepts the key. @throws {EiaError} */
export async function checkEia(eia: EiaClient, feed: FeedConfig): Promise<Finding> {
  const check = 'EIA_API_KEY'
  if (isDataset(feed)) {
    const { route, frequency, columns, facets } = datasetOf(feed)
    const query = { route, frequency, columns, facets, start: null }
    const { total } = await eia.readDatasetPage(query, { offset: 0, length: 1 })
    return passed(check, `EIA accepts it, and counts ${total} rows of ${route}`)
  }
  const [row] = await eia.listNewestRows(seriesOf(feed))
  return passed(check, `EIA accepts it; ${feed.feed_id} has a row of ${row?.period ?? 'no period'}`)
}
