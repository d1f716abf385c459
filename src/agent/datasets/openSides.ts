import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { nullIfMissing } from '@wattfeed/base'
import { DatasetError, isRoot, MANIFEST, openSnapshot } from '@wattfeed/dataset'
import { type Side, sideOfFiles } from '@wattfeed/dataset/compare'
import { folderFiles } from '@wattfeed/dataset/disk'
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'

/** How many of a feed stay open: its own, and the newest on chain. */
const MAX_OPEN = 2

/** Opens snapshots as sides of a comparison, one after the other, because each reads all hashes. The last of each feed stay open. */
export class OpenSides {
  readonly #oneAtATime = pLimit(1)
  /** By the folder of a feed's snapshots. */
  readonly #feeds = new Map<string, LRUCache<string, Promise<Side | null>>>()

  /** Returns the side of a root; null if the folder of a feed's snapshots does not have it as a whole. */
  async open(out: string, root: string): Promise<Side | null> {
    // Another member names it, and it becomes a part of a path.
    if (!isRoot(root)) return null
    const folder = join(out, root)
    const isThere = (await stat(join(folder, MANIFEST)).catch(nullIfMissing)) !== null
    const sides = this.#feeds.get(out) ?? new LRUCache({ max: MAX_OPEN })
    this.#feeds.set(out, sides)
    // Snapshots are removed while their sides are open.
    if (!isThere) sides.delete(root)
    if (!isThere) return null
    const known = sides.get(root)
    if (known !== undefined) return known
    const opening = this.#oneAtATime(() => openSide(folder, root))
    sides.set(root, opening)
    const forget = () => sides.peek(root) === opening && sides.delete(root)
    // A failure may pass.
    opening.then((side) => side === null && forget(), forget)
    return opening
  }
}

async function openSide(folder: string, root: string): Promise<Side | null> {
  const files = folderFiles(folder)
  try {
    const snapshot = await openSnapshot(files)
    if (snapshot?.manifest.root !== root) return null
    return await sideOfFiles(files, snapshot.manifest, { name: `the snapshot ${root}` })
  } catch (error) {
    if (error instanceof DatasetError) return null
    throw error
  }
}
