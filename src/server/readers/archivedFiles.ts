import { filesBelow, isRoot, MANIFEST, type SnapshotFiles } from '@wattfeed/dataset'
import { type ArchivedSnapshot, openArchived } from '@wattfeed/dataset/archive'
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'

/**
 * Maximum memory of the snapshots that are rebuilt from an archive, in bytes. One takes 32 bytes for each value, and what the differences
 * have: two million values take 64 MB, and three of them stay.
 */
const MAX_BYTES = 2 ** 28

/** Size of a manifest that shows that a folder is there, in bytes. */
const MAX_MANIFEST_BYTES = 65_536

/**
 * Returns the files of a place with the snapshots that its archives have, as if they were in folders. They are rebuilt in memory when they
 * are read, one at a time; nothing is written.
 */
export function withArchives(files: SnapshotFiles): SnapshotFiles {
  const rebuilt = new LRUCache<string, ArchivedSnapshot>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ bytes }) => Math.max(1, bytes),
  })
  const oneAtATime = pLimit(1)

  const hasFolder = async (feed: string, root: string): Promise<boolean> =>
    (await files.read(`${feed}/${root}/${MANIFEST}`, MAX_MANIFEST_BYTES)) !== null

  /** Returns a snapshot that was rebuilt, unless the one that it reads leaves from went into the archive, too. */
  async function find(feed: string, root: string): Promise<ArchivedSnapshot | null> {
    const known = rebuilt.get(`${feed}/${root}`) ?? null
    return known !== null && (await hasFolder(feed, known.base)) ? known : null
  }

  async function open(feed: string, root: string): Promise<ArchivedSnapshot | null> {
    const known = await find(feed, root)
    if (known !== null) return known
    return oneAtATime(async () => {
      const opened =
        (await find(feed, root)) ??
        (await openArchived(filesBelow(files, feed), root, MAX_BYTES, (later) => find(feed, later)))
      if (opened !== null) rebuilt.set(`${feed}/${root}`, opened)
      return opened
    })
  }

  return {
    ...files,
    async read(path, maxBytes) {
      const found = await files.read(path, maxBytes)
      const [feed, root, ...rest] = path.split('/')
      if (found !== null || feed === undefined || !isRoot(root) || rest.length === 0) return found
      // A folder may lack a file.
      if (await hasFolder(feed, root)) return null
      const archived = await open(feed, root)
      return (await archived?.files.read(rest.join('/'), maxBytes)) ?? null
    },
  }
}
