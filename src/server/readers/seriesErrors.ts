import { nearestName } from '@wattfeed/base'
import {
  datasetFeedId,
  formatSeries,
  type SeriesQuery,
  type Statement,
  type UnknownCode,
} from '@wattfeed/dataset'
import type { SeriesProof } from 'wattfeed'
import { clip } from '../feedTexts.ts'
import { defineHttpError } from '../http/httpError.ts'

/** The server has no snapshots of datasets. */
export const DatasetsUnsetError = defineHttpError(
  'DatasetsUnsetError',
  'datasets_unset',
  () => 'series need snapshots of datasets, and this server has none; its operator can set DATASETS',
  { status: 404 },
)

/** No feed on chain has the roots of a dataset. */
export const DatasetNotFoundError = defineHttpError(
  'DatasetNotFoundError',
  'dataset_not_found',
  ({
    route,
    frequency,
    known,
  }: Pick<SeriesQuery, 'route' | 'frequency'> & {
    /** Routes and frequencies of the datasets of EIA's catalog that are on chain; null if they are not known. */
    known: readonly string[] | null
  }) =>
    `dataset not found on-chain: ${shown(route)} with the frequency ${shown(frequency)}; its feed would be ${shown(datasetFeedId(route, frequency))}${known === null ? '' : `; ${describeKnown(`${route} ${frequency}`, known)}`}`,
  { status: 404 },
)

const MAX_KNOWN = 5

/** Says which datasets there are, with the one that was most likely meant first. */
function describeKnown(wanted: string, known: readonly string[]): string {
  if (known.length === 0) return 'none is attested'
  const nearest = nearestName(shown(wanted), known) ?? ''
  const first = [nearest, ...known.filter((each) => each !== nearest)].slice(0, MAX_KNOWN)
  const more = known.length - first.length
  return `attested are ${first.join(', ')}${more > 0 ? ` and ${more} more: see /v1/datasets/attested` : ''}`
}

/** The snapshot of a dataset does not list the codes of a facet. */
export const CodesMissingError = defineHttpError(
  'CodesMissingError',
  'codes_missing',
  (facts: { feedId: string; root: string; route: string; facet: string; why: 'too many' | 'no list' }) => {
    const { feedId, root, route, facet, why } = facts
    const reason =
      why === 'no list'
        ? 'an older version took it; take it again'
        : 'there are more than can be listed, or one is too long'
    return `the snapshot of ${feedId} with the root ${root} does not list the codes of ${facet}: ${reason}; "feeds facets ${route} ${facet}" lists EIA’s`
  },
  { status: 404 },
)

/** A dataset has no value of a series, or none for the period. */
export const SeriesAbsentError = defineHttpError(
  'SeriesAbsentError',
  'series_absent',
  (facts: {
    query: SeriesQuery
    statement: Extract<Statement, 'no_period' | 'no_series'>
    size: number
    /** How many of the newest periods the dataset has on chain; null for all. */
    periods: number | null
    root: string
    /** EIA's text of the first period that the root covers; null if it is not known. */
    coversFrom: string | null
    /** A code that the dataset does not have; null if it has all of them, and `unlisted` if they are not known. */
    unknown: UnknownCode | null | 'unlisted'
    /** The proof of it. Undefined on endpoints that do not prove it. */
    proof?: SeriesProof
  }) => {
    const { query, statement, size, periods, root, coversFrom, unknown } = facts
    const range = periods === null ? 'the dataset' : `its newest periods, ${periods} in all`
    const from = coversFrom === null ? '' : `, which covers nothing before ${shown(coversFrom)}`
    const among = `among the ${size} values of ${range}, with the root ${root}${from}`
    return statement === 'no_period'
      ? `${shown(formatSeries(query))} has no value for ${shown(query.period ?? '')} ${among}`
      : `${shown(formatSeries(query))} has no value ${among}; ${describeCodes(query, unknown)}`
  },
  { status: 404, body: ({ proof }) => proof ?? {} },
)

function describeCodes({ route }: SeriesQuery, unknown: UnknownCode | null | 'unlisted'): string {
  if (unknown === 'unlisted') return `"feeds facets ${shown(route)} <facet>" lists a facet’s codes`
  if (unknown === null) return 'it has each of these codes, but not together'
  const { facet, code, nearest } = unknown
  if (code === null)
    return `it has no rows without ${facet}: facet.${facet} must have a code; /v1/datasets/codes lists them`
  const meant = nearest === null ? ';' : `: did you mean ${shown(nearest)}?`
  return `it has no ${facet} ${JSON.stringify(shown(code))}${meant} /v1/datasets/codes lists those there are`
}

/** The files of a snapshot are wrong. */
export const SnapshotFaultError = defineHttpError(
  'SnapshotFaultError',
  'snapshot_fault',
  (facts: { feedId: string; root: string; rule: string }) =>
    `the snapshot of ${facts.feedId} with the root ${facts.root} cannot be used: ${facts.rule}`,
  { status: 502 },
)

/** Tables need local files, and the server has only places by URL. */
export const TablesRemoteError = defineHttpError(
  'TablesRemoteError',
  'tables_remote',
  () =>
    'tables need the files of snapshots in a local folder, and DATASETS of this server names only URLs; its operator can name a folder with a copy',
  { status: 404 },
)

/** Too many pages of tables are being read. */
export const TablesBusyError = defineHttpError(
  'TablesBusyError',
  'tables_busy',
  (facts: { waiting: number }) => `${facts.waiting} pages of tables are waiting; retry in a few seconds`,
  { status: 429, retryable: true },
)

const MAX_SHOWN = 300

const shown = (text: string): string => clip(text, MAX_SHOWN)
