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
    root: string
    /** The proof of it. Undefined on endpoints that do not prove it. */
    proof?: SeriesProof
  }) => {
    const { query, statement, size, root } = facts
    const what = statement === 'no_series' ? 'no value' : `no value for ${shown(query.period ?? '')}`
    return `${shown(formatSeries(query))} has ${what} among the ${size} values of the dataset with the root ${root}`
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
