import { type EiaRecord, readEiaRecord, type SnapshotFiles } from '@wattfeed/dataset'
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
  return record && { record, bytes }
}
