import { type DatasetSeries, datasetFeedId } from '@wattfeed/dataset'
import { shapeOf } from '../../../api/shape.ts' with { type: 'macro' }
import type { FeedReading } from './readings.ts'
import { useAnswer } from './resource.ts'

const readingsShape = shapeOf('wholeReadingsBody')
/** A new root is shown without a reload. */
const RELOAD_MS = 30_000

/** The feed that has the roots of the dataset; `updated_at` is null until it is known to have one. */
export type DatasetFeed = Pick<FeedReading, 'feed_id' | 'title'> & { readonly updated_at: number | null }

/** Returns the feed of the dataset of a series. */
export function useDatasetFeed({
  route,
  frequency,
}: Pick<DatasetSeries, 'route' | 'frequency'>): DatasetFeed {
  const feedId = datasetFeedId(route, frequency)
  // For a feed without a value, this endpoint has no error status, which the browser's console would log.
  const path = `/v1/readings?id=${encodeURIComponent(feedId)}`
  const result = useAnswer(path, readingsShape, { everyMs: RELOAD_MS }).answer?.results[0]
  return result?.status === 200 ? result.reading : { feed_id: feedId, title: '', updated_at: null }
}
