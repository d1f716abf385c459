import type { ReadingBody } from './schemas.ts'

/** A reading for the OpenAPI document. */
export const exampleReading: ReadingBody = {
  feed_id: 'EIA.NG.PRICE.HENRYHUB.DAILY',
  decimals: 6,
  unit: '$/MMBtu',
  title: 'NG PRICE HENRYHUB DAILY',
  source: 'EIA',
  route: 'natural-gas/pri/fut',
  frequency: 'daily',
  description: 'Series series=RNGWHHD of natural-gas/pri/fut, column value',
  value: 3.04938,
  amount: '3049380',
  period: 20261120,
  source_hash: '88450b082ec4df2fdccd3a626c6e489b',
  updated_at: 1795168726426,
}
