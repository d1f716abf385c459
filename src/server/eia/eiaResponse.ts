import type { SnapshotTable } from '@wattfeed/dataset/table'
import { type ByRoot, isByNewestRoot } from 'wattfeed/internal'
import { clip } from '../feedTexts.ts'
import type { AnswerHeaders } from '../http/headers.ts'
import type { EiaQuery } from './eiaQuery.ts'
import type { Recorded } from './eiaReader.ts'

/** A warning in an answer, as EIA writes them. */
export interface EiaWarning {
  readonly warning: string
  readonly description: string
}

/** What an endpoint of EIA's API answers. */
export interface EiaResponse {
  readonly response: object
  /** The version of EIA's API that the snapshot records; null if it does not. */
  readonly apiVersion: string | null
  /** What identifies the state that answers; none for what is of several datasets. */
  readonly headers: AnswerHeaders
}

const namesMissing: EiaWarning = {
  warning: 'names are missing',
  description:
    "The snapshot does not record EIA's names of facets. An older version of wattfeed may have taken it. Codes and values are not affected.",
}

const newerNames: EiaWarning = {
  warning: 'newer names',
  description:
    "The snapshot of this root does not record EIA's names of facets and its metadata. Those of the newest snapshot are shown.",
}

const earlierRoot: EiaWarning = {
  warning: 'earlier root',
  description:
    'The files of the newest root are not at hand, so an earlier root answers. The header X-Wattfeed-Root names it.',
}

/** Returns the warnings about the snapshot that answers. */
export const snapshotWarnings = (
  { record, isNewer }: Recorded,
  byRoot: ByRoot,
  isAsOf: boolean,
): EiaWarning[] => [
  ...(record === null || record.names === null ? [namesMissing] : isNewer ? [newerNames] : []),
  ...(isAsOf || isByNewestRoot(byRoot) ? [] : [earlierRoot]),
]

/** Number of codes that a warning names. The others are counted. */
const MAX_CODES = 5

/** Number of characters of a code that are shown. */
const MAX_CODE_TEXT = 60

/** Returns a warning for each facet with codes that no row has, which EIA passes over in silence. */
export const unknownValues = (facets: EiaQuery['facets'], { index }: SnapshotTable): EiaWarning[] =>
  index.facets.flatMap(({ id, codes }) => {
    const known = new Set(codes)
    const given = Object.hasOwn(facets, id) ? facets[id] : undefined
    const unknown = (given ?? []).filter((code) => !known.has(code))
    return unknown.length === 0 ? [] : [unknownIn(id, unknown)]
  })

function unknownIn(facet: string, codes: readonly (string | null)[]): EiaWarning {
  const shown = codes.slice(0, MAX_CODES).map((code) => `'${clip(code ?? '', MAX_CODE_TEXT)}'`)
  const more = codes.length > MAX_CODES ? `, and ${codes.length - MAX_CODES} more` : ''
  return {
    warning: 'unknown facet value',
    description: `No row of the dataset has ${facet} ${shown.join(', ')}${more}. The endpoint /facet/${facet} lists the values.`,
  }
}

/** EIA leaves the member out if there is none. */
export const warningsMember = (warnings: readonly EiaWarning[]): { warnings?: readonly EiaWarning[] } =>
  warnings.length === 0 ? {} : { warnings }

/**
 * Returns the headers that identify the root of an answer.
 *
 * @param proof - path of what proves it; null if nothing does
 */
export const rootHeaders = ({ reading, index }: ByRoot, proof: string | null): AnswerHeaders => ({
  'x-wattfeed-root': reading.source_hash,
  'x-wattfeed-size': String(reading.amount),
  'x-wattfeed-index': String(index),
  'x-wattfeed-attested-at': String(reading.updated_at),
  ...(proof === null ? {} : { 'x-wattfeed-proof': proof }),
})
