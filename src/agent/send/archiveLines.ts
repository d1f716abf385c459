import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { parseJson } from '@wattfeed/base'
import { canonicalJson, type Source } from 'wattfeed/provenance'
import { type ReadLines, readJsonLines } from '../../runtime/jsonLines.ts'

const text = Type.String()
const CanonicalSource = Type.Object(
  {
    route: text,
    frequency: text,
    facets: Type.Array(Type.Tuple([text, text])),
    period: text,
    value: text,
    unit: text,
  },
  { additionalProperties: false },
)

/** Parses the canonical JSON of a source; null for any other text, because it would have another hash. */
export function parseSource(text: string): Source | null {
  const value = parseJson(text)
  if (!Value.Check(CanonicalSource, value)) return null
  const source = toSource(value)
  return canonicalJson(source) === text ? source : null
}

const toSource = ({ facets, ...row }: Static<typeof CanonicalSource>): Source => ({
  ...row,
  facets: Object.fromEntries(facets),
})

/**
 * Reads an archive of lines of canonical JSON: one that `provenance archive` printed, or one that the agent wrote before
 * its archive was a database. Null if the file does not exist.
 *
 * @throws the system's error if the file cannot be read
 */
export const readArchiveLines = (path: string): Promise<ReadLines<Source> | null> =>
  readJsonLines(path, (_, line) => parseSource(line))
