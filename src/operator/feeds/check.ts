import type { FeedConfig } from '../../agent/feeds/feedConfig.ts'

/** What is checked of a configured feed, in order. */
export type CheckName =
  | 'dataset'
  | 'frequency'
  | 'column'
  | 'facets'
  | 'series'
  | 'facet_values'
  | 'newest_period'
  | 'upstream_unit'

/** What one check found. */
export interface Check {
  check: CheckName
  /** `skipped`: what it needs was not there. */
  state: 'passed' | 'failed' | 'skipped'
  /** What was found, in words. */
  detail: string
}

/** What of a feed is checked. */
export type CheckedSelection = Pick<FeedConfig, 'route' | 'column' | 'facets' | 'upstream_unit'> & {
  frequency: string
}

const createCheck =
  (state: Check['state']) =>
  (check: CheckName, detail: string): Check => ({ check, state, detail })

export const passed = createCheck('passed')
export const failed = createCheck('failed')
export const skipped = createCheck('skipped')
