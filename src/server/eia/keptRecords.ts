import {
  DatasetError,
  EIA_RECORD,
  type EiaRecord,
  readEiaRecord,
  type SnapshotFiles,
} from '@wattfeed/dataset'
import { LRUCache } from 'lru-cache'
import { createOpened, type Opened } from '../readers/snapshots.ts'

/** What a snapshot records of EIA, beside its tree. */
export interface KeptRecord {
  readonly record: EiaRecord
  /** Size of its file, in bytes. */
  readonly bytes: number
}

/** Maximum size of the files of records that are kept in memory, in bytes. */
const MAX_KEPT_BYTES = 2 ** 26

/**
 * Maximum number of characters that a record may add to a row. EIA's add some hundred. A page has 5,000 rows, so that a name of a
 * megabyte would be gigabytes of it.
 */
const MAX_ROW_CHARACTERS = 8_192

/** Finds what snapshots record of EIA, in places that are local folders. Nothing proves it. */
export const createRecords = (places: readonly SnapshotFiles[]): Opened<KeptRecord> =>
  createOpened(
    places.filter(({ isRemote = false }) => !isRemote),
    readKept,
    new LRUCache<string, KeptRecord>({
      maxSize: MAX_KEPT_BYTES,
      sizeCalculation: ({ bytes }) => bytes,
    }),
  )

async function readKept(files: SnapshotFiles): Promise<KeptRecord | null> {
  let bytes = 1
  const record = await readEiaRecord({
    ...files,
    async read(path, maxBytes) {
      const found = await files.read(path, maxBytes)
      bytes += found?.length ?? 0
      return found
    },
  })
  if (record === null) return null
  if (rowCharactersOf(record) > MAX_ROW_CHARACTERS)
    throw new DatasetError({
      what: EIA_RECORD,
      rule: `adds more than ${MAX_ROW_CHARACTERS} characters to a row`,
    })
  return { record, bytes }
}

function rowCharactersOf({ names, unitMembers }: EiaRecord): number {
  let count = 0
  for (const member of unitMembers.values()) count += member.length
  for (const { member, texts } of names ?? []) {
    let longest = 0
    for (const text of texts.values()) longest = Math.max(longest, text?.length ?? 0)
    count += member.length + longest
  }
  return count
}
