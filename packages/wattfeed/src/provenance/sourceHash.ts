import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { encodeHex } from '@wattfeed/base'

/** The source of a value, with all texts as EIA sent them. */
export interface Source {
  /** EIA's route, below `/v2/`. */
  readonly route: string
  /** EIA's frequency: `daily`. */
  readonly frequency: string
  /** One value for each facet id; their order does not matter. */
  readonly facets: Readonly<Record<string, string>>
  /** EIA's text of the period: `2026-11-16`. */
  readonly period: string
  /** EIA's text of the value, with every digit. */
  readonly value: string
  /** The unit of the row, or the feed's if the row has none. */
  readonly unit: string
}

/**
 * Returns the JSON text that is hashed: members in a fixed order, facets as pairs sorted by UTF-16 code unit.
 *
 * @example
 * ```ts
 * import { canonicalJson } from 'wattfeed/provenance'
 *
 * canonicalJson({
 *   route: 'petroleum/pri/spt',
 *   frequency: 'daily',
 *   facets: { series: 'RWTC' },
 *   period: '2026-11-16',
 *   value: '59.91',
 *   unit: '$/BBL',
 * }) // {"route":"petroleum/pri/spt","frequency":"daily","facets":[["series","RWTC"]],"period":…
 * ```
 */
export function canonicalJson(source: Source): string {
  const { route, frequency, period, value, unit } = source
  // Not localeCompare, whose order depends on the locale.
  const facets = Object.entries(source.facets).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify({ route, frequency, facets, period, value, unit })
}

/**
 * Returns the `source_hash` of a value: the first 32 hex digits of the SHA-256 of its {@link canonicalJson}.
 *
 * @example
 * ```ts
 * import { hashSource } from 'wattfeed/provenance'
 *
 * hashSource({
 *   route: 'petroleum/pri/spt',
 *   frequency: 'daily',
 *   facets: { series: 'RWTC' },
 *   period: '2026-11-16',
 *   value: '59.91',
 *   unit: '$/BBL',
 * }) // 'd40bab3b102d38fc6074ccb9317bee27'
 * ```
 */
export function hashSource(source: Source): string {
  return encodeHex(sha256(utf8ToBytes(canonicalJson(source)))).slice(0, 32)
}
