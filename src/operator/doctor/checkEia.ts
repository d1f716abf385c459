import { type EiaClient, EiaError } from '@wattfeed/eia'
import { datasetOf, type FeedConfig, isDataset, seriesOf } from '../../feeds/file/feedConfig.ts'
import { type Finding, failed, passed } from './finding.ts'

const check = 'EIA_API_KEY'

/** Asks EIA for one row of the first feed, which shows whether it accepts the key. @throws {EiaError} for any other reason */
export async function checkEia(eia: EiaClient, feed: FeedConfig): Promise<Finding> {
  try {
    return await readOneRow(eia, feed)
  } catch (error) {
    if (!(error instanceof EiaError) || error.code !== 'eia_key') throw error
    return failed(
      check,
      `EIA rejects it (HTTP ${error.status})`,
      'compare it with the mail from EIA; a new key is free at https://www.eia.gov/opendata/register.php',
    )
  }
}

async function readOneRow(eia: EiaClient, feed: FeedConfig): Promise<Finding> {
  if (isDataset(feed)) {
    const { route, frequency, columns, facets } = datasetOf(feed)
    const query = { route, frequency, columns, facets, start: null }
    const { total } = await eia.readDatasetPage(query, { offset: 0, length: 1 })
    return passed(check, `EIA accepts it, and counts ${total} rows of ${route}`)
  }
  const [row] = await eia.listNewestRows(seriesOf(feed))
  return passed(check, `EIA accepts it; ${feed.feed_id} has a row of ${row?.period ?? 'no period'}`)
}
