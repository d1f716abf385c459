import type { SeriesConfig } from '../../../../src/feeds/file/feedConfig.ts'

/** An invented entry of a feeds file that follows a series of the catalog. */
export const createConfig = (changes: Partial<SeriesConfig> = {}): SeriesConfig => ({
  feed_id: 'EIA.PET.PRICE.WTI.DAILY',
  title: 'WTI spot price',
  description: 'What a barrel costs at Cushing, in € as well',
  source: 'EIA',
  route: 'petroleum/pri/spt',
  frequency: 'daily',
  column: 'value',
  facets: { series: 'RWTC' },
  unit: '$/bbl',
  decimals: 6,
  ...changes,
})
