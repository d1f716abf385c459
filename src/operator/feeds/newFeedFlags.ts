/** What is given of a new feed; the rest is asked for at a terminal, or suggested. */
export interface NewFeedFlags {
  /** EIA's route. */
  route?: string
  frequency?: string
  column?: string
  /** Values by facet id. */
  facets: Readonly<Record<string, string>>
  id?: string
  title?: string
  description?: string
  unit?: string
  decimals?: string
  allowFuture?: boolean
}
