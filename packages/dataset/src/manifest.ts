import { memberAt, parseJson } from '@wattfeed/base'
import { DatasetError } from './errors.ts'
import { type DatasetRecipe, LEAF_VERSION } from './recipe.ts'

/** What a snapshot's `manifest.json` says. Only `root` and `size` are attested; the rest can be checked against the leaves. */
export interface Manifest extends DatasetRecipe {
  /** EIA's route, below `/v2/`. */
  readonly route: string
  /** EIA's frequency: `weekly`. */
  readonly frequency: string
  /** Number of leaves. */
  readonly size: number
  /** 64 hex digits. */
  readonly root: string
  /** EIA's text of the oldest period; null if a version that did not state it took the snapshot. */
  readonly oldestPeriod: string | null
  /** EIA's text of the newest period. */
  readonly newestPeriod: string
  /** When the first page was read, in epoch milliseconds. */
  readonly retrievedAt: number
}

export const MANIFEST = 'manifest.json'

/** Maximum size of a manifest, in bytes. */
export const MAX_MANIFEST_BYTES = 65_536

const KIND = 'wattfeed dataset snapshot'

/** Returns the text of `manifest.json`. */
export const formatManifest = (manifest: Manifest): string =>
  `${JSON.stringify(
    {
      kind: KIND,
      leaf: LEAF_VERSION,
      route: manifest.route,
      frequency: manifest.frequency,
      columns: manifest.columns,
      facets: manifest.facets,
      periods: manifest.periods,
      ...(manifest.oldestPeriod === null ? {} : { oldest_period: manifest.oldestPeriod }),
      newest_period: manifest.newestPeriod,
      size: manifest.size,
      root: manifest.root,
      retrieved_at: manifest.retrievedAt,
    },
    null,
    2,
  )}\n`

/** Parses `manifest.json`. @throws {DatasetError} */
export function parseManifest(text: string): Manifest {
  const json = parseJson(text)
  const fail = (rule: string) => new DatasetError({ what: MANIFEST, rule })
  if (memberAt(json, 'kind') !== KIND) throw fail(`not the manifest of a ${KIND}`)
  if (memberAt(json, 'leaf') !== LEAF_VERSION)
    throw fail(`its leaves have another version than ${LEAF_VERSION}; use a newer wattfeed`)
  const member = <T>(name: string, isValid: (value: unknown) => value is T): T => {
    const value = memberAt(json, name)
    if (!isValid(value)) throw fail(`${name} is missing or malformed`)
    return value
  }
  return {
    route: member('route', isText),
    frequency: member('frequency', isText),
    columns: member('columns', isTexts),
    facets: member('facets', isTexts),
    periods: member('periods', isCountOrNull),
    oldestPeriod: memberAt(json, 'oldest_period') === undefined ? null : member('oldest_period', isText),
    newestPeriod: member('newest_period', isText),
    size: member('size', isCount),
    root: member('root', isRoot),
    retrievedAt: member('retrieved_at', isCount),
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText)
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0
const isCountOrNull = (value: unknown): value is number | null => value === null || isCount(value)

/** Returns whether this is the text of a root: 64 lower-case hex digits. */
export const isRoot = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
