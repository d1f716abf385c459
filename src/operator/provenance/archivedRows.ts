import { readFile } from 'node:fs/promises'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { canonicalJson, hashSource, type Source } from '../../eia/sourceHash.ts'
import { WattfeedError } from '../../errors.ts'
import { parseJson } from '../../runtime/parseJson.ts'
import { systemReason } from '../../runtime/systemReason.ts'

/** A file of archived rows that cannot be read, or holds something else. */
export class ArchiveError extends WattfeedError {
  static override readonly name = 'ArchiveError'
  readonly code = 'archive'
  readonly retryable = false

  constructor(
    readonly path: string,
    readonly rule: string,
  ) {
    super(`${path} ${rule}`)
  }
}

const text = Type.String()
const ArchivedRow = Type.Object(
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

/** The sources of values that an agent archived, by their hashes. */
export type ArchivedRows = ReadonlyMap<string, Source>

/**
 * Reads lines of canonical JSON, as the agent appends them to `ARCHIVE_FILE`.
 *
 * @throws {ArchiveError} with the first line that is none.
 */
export async function readArchive(path: string): Promise<ArchivedRows> {
  const content = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new ArchiveError(
      path,
      `cannot be read (${systemReason(error)}); name a file that this user can read`,
    )
  })
  const lines = content.split('\n').filter((line) => line !== '')
  const sources = lines.map((line, index) => {
    const source = parseLine(line)
    if (source !== null) return source
    throw new ArchiveError(
      path,
      `has no canonical JSON of a value in line ${index + 1}, as ARCHIVE_FILE has it`,
    )
  })
  return new Map(sources.map((source) => [hashSource(source), source]))
}

function parseLine(line: string): Source | null {
  const row = parseJson(line)
  if (!Value.Check(ArchivedRow, row)) return null
  const source = toSource(row)
  return canonicalJson(source) === line ? source : null
}

const toSource = ({ facets, ...row }: Static<typeof ArchivedRow>): Source => ({
  ...row,
  facets: Object.fromEntries(facets),
})
