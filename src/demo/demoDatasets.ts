import { datasetFeedId } from '@wattfeed/dataset'
import type { DatasetConfig } from '../feeds/file/feedConfig.ts'
import { wholeDatasets } from './standIn/wholeDatasets.ts'

const about = {
  'electricity/retail-sales': {
    title: 'Retail sales of electricity, every state and sector',
    columns: ['price', 'sales'],
  },
  'petroleum/pri/gnd': {
    title: 'Gasoline and diesel retail prices, every area and product',
    columns: ['value'],
  },
} as const

/** The datasets whose roots the demo's agent attests. */
export const demoDatasets: readonly DatasetConfig[] = wholeDatasets.map(({ route, frequency, periods }) => ({
  route,
  frequency,
  title: about[route].title,
  feed_id: datasetFeedId(route, frequency),
  description: `Root of EIA's dataset ${route}, newest ${periods} periods.`,
  source: 'EIA',
  unit: 'values',
  decimals: 0,
  dataset: { columns: [...about[route].columns], periods },
}))
