import type { Feed } from '../../registry/feed.ts'
import type { FeedConfig } from './feedConfig.ts'

/** A field whose text or number on chain is not the configured one. */
export interface Difference {
  field: keyof Feed
  configured: string | number
  on_chain: string | number
}

const fields = ['decimals', 'unit', 'title', 'source', 'route', 'frequency', 'description'] as const

/** The metadata that a configured feed has on chain once it is registered. */
export const feedMetadata = (config: FeedConfig): Feed => ({
  decimals: config.decimals,
  unit: config.unit,
  title: config.title,
  source: config.source,
  route: config.route,
  frequency: config.frequency,
  description: config.description,
})

/** What a registration would change of a feed, in the contract's order; empty where all is as configured. */
export function listDifferences(config: FeedConfig, feed: Feed): Difference[] {
  return fields
    .filter((field) => config[field] !== feed[field])
    .map((field) => ({ field, configured: config[field], on_chain: feed[field] }))
}
