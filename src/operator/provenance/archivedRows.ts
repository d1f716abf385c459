import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { canonicalJson, hashSource, type Source } from '../../eia/sourceHash.ts'
import { WattfeedError } from '../../errors.ts'
import { readJsonLines } from '../../runtime/jsonLines.ts'
import { systemReason } from '../../runtime/systemReason.ts'

/** A file of archived rows that cannot be read, or has other content. */
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

/** An archive, and the numbers of its unreadable lines, from 1. A crash or a full disk cut them off. */
export interface Archive {
  readonly rows: ArchivedRows
  readonly brokenLines: readonly number[]
}

/**
 * Reads lines of canonical JSON, as the agent appends them to `ARCHIVE_FILE`. Broken lines are skipped.
 *
 * @throws {ArchiveError} if the file cannot be read, or all of its lines are broken.
 */
export async function readArchive(path: string): Promise<Archive> {
  const lines = await readJsonLines(path, parseRow).catch((error: unknown) => {
    throw new ArchiveError(path, `cannot be read (${systemReason(error)}); let this user read it`)
  })
  if (lines === null) throw new ArchiveError(path, 'does not exist; name the ARCHIVE_FILE of an agent')
  const { entries, broken } = lines
  if (entries.length === 0 && broken.length > 0)
    throw new ArchiveError(
      path,
      `contains no canonical JSON of a value (line ${broken[0]} is the first invalid one); name the ARCHIVE_FILE of an agent`,
    )
  return { rows: new Map(entries.map((source) => [hashSource(source), source])), brokenLines: broken }
}

function parseRow(row: unknown, line: string): Source | null {
  if (!Value.Check(ArchivedRow, row)) return null
  const source = toSource(row)
  return canonicalJson(source) === line ? source : null
}

const toSource = ({ facets, ...row }: Static<typeof ArchivedRow>): Source => ({
  ...row,
  facets: Object.fromEntries(facets),
})
