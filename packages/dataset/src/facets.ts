import { editDistance, memberAt, parseJson } from '@wattfeed/base'
import { DatasetError } from './errors.ts'
import { isKeyText, type Leaf } from './leaf.ts'
import type { Manifest } from './manifest.ts'

/** A code of a facet: a value of it that leaves have. */
export interface FacetCode {
  /** EIA's text; null for the leaves whose rows have none. */
  readonly id: string | null
  /** What EIA's rows call it; null if they do not. */
  readonly name: string | null
  /** Number of leaves that have it. */
  readonly values: number
}

/** A facet of a snapshot, and its codes. */
export interface Facet {
  /** EIA's: `stateid`. */
  readonly id: string
  /** In the order of their ids; null if there are too many, or if one is too long. */
  readonly codes: readonly FacetCode[] | null
}

/**
 * The facets of a snapshot. No hash covers the file: `checkSnapshot` compares codes and numbers with the leaves, and nothing proves
 * the names. Snapshots of older versions have no such file.
 */
export const FACETS = 'facets.json'

/** Maximum size of the file, in bytes. */
export const MAX_FACETS_BYTES = 2 ** 22

/** Maximum number of codes that are listed of a facet. */
const MAX_CODES = 50_000

/** Maximum length of a code or a name that is listed. */
const MAX_TEXT = 300

const KIND = 'wattfeed dataset facets'

/** Counts the codes of leaves that come one by one. Memory is limited, whatever they have. */
export function createCodeCounter(facets: readonly string[]) {
  /** Null for a facet whose codes are not listed. */
  const counts = new Map<string, Map<string | null, number> | null>(facets.map((id) => [id, new Map()]))
  return {
    add({ facets: named }: Pick<Leaf, 'facets'>): void {
      for (const [id, counted] of counts) {
        if (counted === null) continue
        const code = named[id] ?? null
        counted.set(code, (counted.get(code) ?? 0) + 1)
        if (counted.size > MAX_CODES || (code?.length ?? 0) > MAX_TEXT) counts.set(id, null)
      }
    },
    /** Returns the facets, with the names of their codes. @default no names */
    facets: (nameOf: (facet: string, code: string) => string | null = () => null): Facet[] =>
      [...counts].map(([id, counted]) => ({
        id,
        codes: counted && [...counted].map(([code, values]) => codeOf(code, values, nameOf, id)).sort(byId),
      })),
  }
}

function codeOf(
  id: string | null,
  values: number,
  nameOf: (facet: string, code: string) => string | null,
  facet: string,
): FacetCode {
  const name = id === null ? null : nameOf(facet, id)
  return { id, name: isName(name) ? name : null, values }
}

const isName = (name: unknown): name is string => isKeyText(name) && name.length <= MAX_TEXT

/** No code is empty, so null is first. */
const byId = (one: FacetCode, other: FacetCode): number => (isBefore(one.id, other.id) ? -1 : 1)

const isBefore = (one: string | null, other: string | null): boolean => (one ?? '') < (other ?? '')

/** Returns the text of `facets.json`. The codes of the largest facets are left out if it would be too large. */
export function formatFacets(facets: readonly Facet[]): string {
  const text = `${JSON.stringify({ kind: KIND, facets })}\n`
  const most = Math.max(0, ...facets.map(({ codes }) => codes?.length ?? 0))
  if (most === 0 || new TextEncoder().encode(text).length <= MAX_FACETS_BYTES) return text
  return formatFacets(facets.map((each) => (each.codes?.length === most ? { ...each, codes: null } : each)))
}

/** Parses `facets.json`. Ignores members that a newer version may have added. @throws {DatasetError} */
export function parseFacets(text: string, { facets: ids, size }: Pick<Manifest, 'facets' | 'size'>): Facet[] {
  const json = parseJson(text)
  const fail = (rule: string) => new DatasetError({ what: FACETS, rule })
  if (memberAt(json, 'kind') !== KIND) throw fail('does not list the facets of a snapshot')
  const facets = memberAt(json, 'facets')
  if (!Array.isArray(facets) || facets.length !== ids.length)
    throw fail('has other facets than the manifest names')
  return ids.map((id, index) => {
    if (memberAt(facets[index], 'id') !== id) throw fail('has other facets than the manifest names')
    const codes = memberAt(facets[index], 'codes')
    if (codes === null) return { id, codes }
    const read = Array.isArray(codes) && codes.length <= MAX_CODES ? codes.map(parseCode) : [null]
    if (!isListed(read)) throw fail(`the codes of ${id} are missing or malformed`)
    if (read.reduce((sum, { values }) => sum + values, 0) !== size)
      throw fail(`the codes of ${id} do not have ${size} values in all`)
    return { id, codes: read }
  })
}

function parseCode(code: unknown): FacetCode | null {
  const [id, name, values] = ['id', 'name', 'values'].map((member) => memberAt(code, member))
  const isId = id === null || (isKeyText(id) && id.length <= MAX_TEXT)
  if (!isId || !(name === null || isName(name)) || !Number.isSafeInteger(values)) return null
  return Number(values) > 0 ? { id, name, values: Number(values) } : null
}

/** Returns whether all codes are well-formed, in their order, each once. */
const isListed = (codes: readonly (FacetCode | null)[]): codes is FacetCode[] =>
  codes.every((code, index) => {
    const before = codes[index - 1]
    return code !== null && (index === 0 || (before != null && isBefore(before.id, code.id)))
  })

/** Returns whether two lists have the same codes, as often. Their names may differ. */
export const hasSameCodes = (one: readonly FacetCode[], other: readonly FacetCode[]): boolean =>
  one.length === other.length &&
  one.every(({ id, values }, index) => id === other[index]?.id && values === other[index]?.values)

/** What is no code of its facet. */
export interface UnknownCode {
  /** EIA's id of the facet: `stateid`. */
  readonly facet: string
  /** The code that was asked for; null for rows without one, of which there are none. */
  readonly code: string | null
  /** The code that it most likely means; null if none is like it. */
  readonly nearest: string | null
}

/** Returns the first facet of a series whose code a snapshot does not have; null if it has all that it lists. */
export function findUnknownCode(
  facets: readonly Facet[],
  series: Readonly<Record<string, string | null>>,
): UnknownCode | null {
  for (const { id: facet, codes } of facets) {
    const code = series[facet]
    if (code === undefined || codes === null || codes.some(({ id }) => id === code)) continue
    return { facet, code, nearest: code === null ? null : nearestCode(codes, code) }
  }
  return null
}

/** Number of texts that are compared letter by letter, and their maximum length. */
const MAX_COMPARED = 2_000
const MAX_COMPARED_LENGTH = 60

/** Length from which the start of a name is enough. */
const MIN_START = 3

/**
 * Returns the code that a text most likely means: one in other letters, one with this name, or else a similar one; null if none is
 * like it.
 *
 * @example
 * ```ts
 * import { nearestCode } from '@wattfeed/dataset'
 *
 * nearestCode([{ id: 'CA', name: 'California', values: 12 }], 'california') // 'CA'
 * ```
 */
export function nearestCode(codes: readonly FacetCode[], text: string): string | null {
  const wanted = text.trim().toLowerCase()
  const known = codes.flatMap(({ id, name }) =>
    [id, name].flatMap((each) => (id === null || each === null ? [] : [{ id, text: each.toLowerCase() }])),
  )
  const same = known.find((each) => each.text === wanted)
  const started = wanted.length < MIN_START ? undefined : known.find((each) => each.text.startsWith(wanted))
  const found = same ?? started
  if (found !== undefined) return found.id
  let nearest: string | null = null
  let fewest = Number.POSITIVE_INFINITY
  for (const each of known.filter(({ text }) => mayBeLike(wanted, text)).slice(0, MAX_COMPARED)) {
    const letters = editDistance(wanted, each.text)
    if (letters >= fewest || !isFew(letters, wanted, each.text)) continue
    nearest = each.id
    fewest = letters
  }
  return nearest
}

/** Returns whether so many letters are less than half of the longer text. */
const isFew = (letters: number, one: string, other: string): boolean =>
  2 * letters < Math.max(one.length, other.length)

/** Returns whether lengths alone do not make two texts too different, or take too long to compare. */
const mayBeLike = (one: string, other: string): boolean =>
  Math.max(one.length, other.length) <= MAX_COMPARED_LENGTH &&
  isFew(Math.abs(one.length - other.length), one, other)
