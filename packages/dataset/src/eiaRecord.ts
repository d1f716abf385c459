import { memberAt, parseJson } from '@wattfeed/base'
import { DatasetError } from './errors.ts'
import type { SnapshotFiles } from './snapshotFiles.ts'

/**
 * The file beside the tree with what EIA said about the route. No hash covers it, and nothing proves it. Snapshots of older versions
 * have no such file.
 */
export const EIA_RECORD = 'eia.json'

/** Maximum size of the file, in bytes. */
export const MAX_EIA_RECORD_BYTES = 2 ** 25

/** Members of rows that the value of one facet determines: `stateDescription` by `stateid`. */
export interface EiaNames {
  readonly member: string
  /** EIA's id of the facet. */
  readonly facet: string
  /** By the value of the facet, which is an empty text for rows without one. Null if EIA sent null, or no such member. */
  readonly texts: ReadonlyMap<string, string | null>
}

/** A level of EIA's routes above a dataset. */
export interface EiaLevel {
  /** The last part of its route: `pri` of `petroleum/pri`. It is empty for the root. */
  readonly id: string
  /** Null if EIA does not state it. */
  readonly name: string | null
  /** Null if EIA does not state it. */
  readonly description: string | null
}

/** What EIA said about the dataset of a snapshot, so that a server can answer in EIA's shapes. It never holds the API key. */
export interface EiaRecord {
  /**
   * The `response` of `/v2/<route>` as EIA sent it, with numbers as texts: `id`, `name`, `description`, `frequency`, `facets`, `data`,
   * `startPeriod`, `endPeriod`, `defaultDateFormat`, `defaultFrequency`.
   */
  readonly metadata: Readonly<Record<string, unknown>>
  /** The levels above the route, from the root down: those that EIA sent. */
  readonly levels: readonly EiaLevel[]
  /** `description` of EIA's answer with the rows; null if it had none. */
  readonly description: string | null
  /** `dateFormat` of that answer: `YYYY-MM`; null if it had none. */
  readonly dateFormat: string | null
  /** `apiVersion` of that answer: `2.1.8`; null if it had none. */
  readonly apiVersion: string | null
  /** The names of all members of rows, in EIA's order. */
  readonly members: readonly string[]
  /** The member with the unit in a leaf, by column: `units` or `price-units`. Columns whose leaves have no unit are not there. */
  readonly unitMembers: ReadonlyMap<string, string>
  /** The members of rows that one facet determines, in EIA's order; null if they are too large to be recorded. */
  readonly names: readonly EiaNames[] | null
}

const KIND = 'wattfeed eia record'

/** What is left out of a file that is too large, one after the other. */
const leftOut: readonly Partial<EiaRecord>[] = [
  { names: null },
  { metadata: {} },
  {
    ...{ levels: [], description: null, dateFormat: null, apiVersion: null },
    ...{ members: [], unitMembers: new Map() },
  },
]

/** Returns the text of `eia.json`. If it would be too large, the names are left out; then the metadata; then all. */
export function formatEiaRecord(record: EiaRecord): string {
  let kept = record
  let text = jsonOf(kept)
  for (const none of leftOut) {
    if (new TextEncoder().encode(text).length <= MAX_EIA_RECORD_BYTES) break
    kept = { ...kept, ...none }
    text = jsonOf(kept)
  }
  return text
}

function jsonOf(record: EiaRecord): string {
  const { metadata, levels, description, members, unitMembers, names } = record
  return `${JSON.stringify({
    ...{ kind: KIND, metadata, levels, description },
    date_format: record.dateFormat,
    api_version: record.apiVersion,
    members,
    unit_members: Object.fromEntries(unitMembers),
    names: names?.map(({ texts, ...each }) => ({ ...each, texts: Object.fromEntries(texts) })) ?? null,
  })}\n`
}

/** Parses `eia.json`. Ignores members that a newer version may have added. @throws {DatasetError} */
export function parseEiaRecord(text: string): EiaRecord {
  const json = parseJson(text)
  if (memberAt(json, 'kind') !== KIND)
    throw new DatasetError({ what: EIA_RECORD, rule: 'does not record what EIA said' })
  const member = <T>(name: string, isValid: (value: unknown) => value is T): T => {
    const value = memberAt(json, name)
    if (!isValid(value)) throw new DatasetError({ what: EIA_RECORD, rule: `${name} is missing or malformed` })
    return value
  }
  return {
    metadata: member('metadata', isObject),
    levels: member('levels', isLevels).map(({ id, name, description }) => ({ id, name, description })),
    description: member('description', isTextOrNull),
    dateFormat: member('date_format', isTextOrNull),
    apiVersion: member('api_version', isTextOrNull),
    members: member('members', isTexts),
    unitMembers: new Map(Object.entries(member('unit_members', isObjectOf(isText)))),
    names: member('names', isNamesOrNull)?.map(namesOf) ?? null,
  }
}

const namesOf = ({ member, facet, texts }: NamesInFile): EiaNames => ({
  ...{ member, facet },
  texts: new Map(Object.entries(texts)),
})

/**
 * Reads what a snapshot records of EIA; null if it records nothing, for instance because an older version took it.
 *
 * @example
 * ```ts
 * import { httpFiles, readEiaRecord } from '@wattfeed/dataset'
 *
 * async function printNames(url: string): Promise<void> {
 *   const record = await readEiaRecord(httpFiles(url))
 *   for (const { member, facet, texts } of record?.names ?? []) console.log(`${member} of ${facet}: ${texts.size} texts`)
 * }
 * ```
 *
 * @throws {DatasetError} if the record is malformed or too large.
 */
export async function readEiaRecord(files: SnapshotFiles): Promise<EiaRecord | null> {
  const found = await files.read(EIA_RECORD, MAX_EIA_RECORD_BYTES)
  return found && parseEiaRecord(new TextDecoder().decode(found))
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isTextOrNull = (value: unknown): value is string | null => value === null || isText(value)
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isObjectOf =
  <T>(isValid: (value: unknown) => value is T) =>
  (value: unknown): value is Record<string, T> =>
    isObject(value) && Object.values(value).every(isValid)

const isLevels = (value: unknown): value is EiaLevel[] => Array.isArray(value) && value.every(isLevel)

const isLevel = (value: unknown): value is EiaLevel =>
  isText(memberAt(value, 'id')) &&
  isTextOrNull(memberAt(value, 'name')) &&
  isTextOrNull(memberAt(value, 'description'))

/** {@link EiaNames} as the file has them. */
interface NamesInFile extends Omit<EiaNames, 'texts'> {
  readonly texts: Readonly<Record<string, string | null>>
}

const isNamesOrNull = (value: unknown): value is NamesInFile[] | null =>
  value === null || (Array.isArray(value) && value.every(isNames))

const isNames = (value: unknown): value is NamesInFile =>
  isText(memberAt(value, 'member')) &&
  isText(memberAt(value, 'facet')) &&
  isObjectOf(isTextOrNull)(memberAt(value, 'texts'))
