import { datasetFeedId } from '@wattfeed/dataset'
import type { DatasetConfig } from '../feeds/file/feedConfig.ts'

/** What the demo's agent attests the roots of. */
const attested = [
  {
    route: 'electricity/retail-sales',
    frequency: 'monthly',
    title: 'Retail sales of electricity, every state and sector',
    dataset: { columns: ['price', 'sales'], periods: 2 },
  },
  {
    route: 'petroleum/pri/gnd',
    frequency: 'weekly',
    title: 'Gasoline and diesel retail prices, every area and product',
    dataset: { columns: ['value'], periods: 3 },
  },
] as const

/** The datasets whose roots the demo's agent attests. A few periods make their snapshots small. */
export const demoDatasets: readonly DatasetConfig[] = attested.map(({ dataset, ...each }) => ({
  ...each,
  feed_id: datasetFeedId(each.route, each.frequency),
  description: `Root of EIA's dataset ${each.route}, newest ${dataset.periods} periods.`,
  source: 'EIA',
  unit: 'values',
  decimals: 0,
  dataset: { ...dataset, columns: [...dataset.columns] },
}))
