import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { nullIfMissing } from '@wattfeed/base'
import { DatasetError, isRoot, MANIFEST, openSnapshot } from '@wattfeed/dataset'
import { type Side, sideOfFiles } from '@wattfeed/dataset/compare'
import { folderFiles } from '@wattfeed/dataset/disk'
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'

/** How many of a feed stay open that members compare: the last two that were written, and the newest on chain. */
const MAX_COMPARED = 3
/** And of those that another member may ask for besides. */
const MAX_OTHERS = 1

interface FeedSides {
  readonly compared: LRUCache<string, Promise<Side | null>>
  readonly others: LRUCache<string, Promise<Side | null>>
}

/** Opens snapshots as sides of a comparison, one after the other, because each reads all hashes. The last of each feed stay open. */
export class OpenSides {
  readonly #oneAtATime = pLimit(1)
  /** By the folder of a feed's snapshots. */
  readonly #feeds = new Map<string, FeedSides>()

  /**
   * Returns the side of a root; null if the folder of a feed's snapshots does not have it as a whole.
   *
   * @param isCompared - whether members compare it: what they ask for besides does not close it
   */
  async open(out: string, root: string, isCompared: boolean): Promise<Side | null> {
    // Another member names it, and it becomes a part of a path.
    if (!isRoot(root)) return null
    const folder = join(out, root)
    const isThere = (await stat(join(folder, MANIFEST)).catch(nullIfMissing)) !== null
    const { compared, others } = this.#sidesOf(out)
    // Snapshots are removed while their sides are open.
    if (!isThere) for (const each of [compared, others]) each.delete(root)
    if (!isThere) return null
    const sides = isCompared ? compared : others
    const known = sides.get(root) ?? compared.peek(root) ?? others.peek(root)
    if (known !== undefined) return known
    const opening = this.#oneAtATime(() => openSide(folder, root))
    sides.set(root, opening)
    const forget = () => sides.peek(root) === opening && sides.delete(root)
    // A failure may pass.
    opening.then((side) => side === null && forget(), forget)
    return opening
  }

  #sidesOf(out: string): FeedSides {
    const known = this.#feeds.get(out) ?? {
      compared: new LRUCache({ max: MAX_COMPARED }),
      others: new LRUCache({ max: MAX_OTHERS }),
    }
    this.#feeds.set(out, known)
    return known
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
