import { defineError } from '@wattfeed/base'
import { datasetFeedId, formatSeries, type SeriesQuery, type Statement } from '@wattfeed/dataset'
import type { SeriesProof } from '../../library/client/index.ts'
import { clip } from '../feedTexts.ts'

/** The server has no snapshots of datasets. */
export const DatasetsUnsetError = defineError(
  'DatasetsUnsetError',
  'datasets_unset',
  () => 'series need snapshots of datasets, and this server has none; its operator can set DATASETS',
)

/** No feed on chain has the roots of a dataset. */
export const DatasetNotFoundError = defineError(
  'DatasetNotFoundError',
  'dataset_not_found',
  (facts: Pick<SeriesQuery, 'route' | 'frequency'>) =>
    `dataset not found on-chain: ${shown(facts.route)} with the frequency ${shown(facts.frequency)}; its feed would be ${shown(datasetFeedId(facts.route, facts.frequency))}`,
)

/** A dataset has no value of a series, or none for the period. */
export const SeriesAbsentError = defineError(
  'SeriesAbsentError',
  'series_absent',
  (facts: {
    query: SeriesQuery
    statement: Extract<Statement, 'no_period' | 'no_series'>
    size: number
    /** How many of the newest periods the dataset has on chain; null for all. */
    periods: number | null
    root: string
    /** The proof of it. Undefined on endpoints that do not prove it. */
    proof?: SeriesProof
  }) => {
    const { query, statement, size, periods, root } = facts
    const range = periods === null ? 'the dataset' : `its newest periods, ${periods} in all`
    const among = `among the ${size} values of ${range}, with the root ${root}`
    return statement === 'no_period'
      ? `${shown(formatSeries(query))} has no value for ${shown(query.period ?? '')} ${among}`
      : `${shown(formatSeries(query))} has no value ${among}; "feeds facets ${shown(query.route)} <facet>" lists a facet’s codes`
  },
)

/** The files of a snapshot are wrong. */
export const SnapshotFaultError = defineError(
  'SnapshotFaultError',
  'snapshot_fault',
  (facts: { feedId: string; root: string; rule: string }) =>
    `the snapshot of ${facts.feedId} with the root ${facts.root} cannot be used: ${facts.rule}`,
)

const MAX_SHOWN = 300

const shown = (text: string): string => clip(text, MAX_SHOWN)
