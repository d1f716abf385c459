import { type LogView, readSnapshot } from '../../live/logView.ts'
import { type Bytes, encode, snapshotBlock } from './frames.ts'

/**
 * Returns a function that formats the current values of feeds. The blocks of all feeds are shared between streams, because
 * thousands of slow clients would otherwise hold as many copies.
 */
export function createSnapshotBlocks() {
  let all: { view: LogView; blocks: Promise<Bytes> } | null = null
  return (view: LogView, ids: ReadonlySet<string> | null): Promise<Bytes> => {
    if (ids !== null) return blocksAt(view, ids)
    if (all?.view === view) return all.blocks
    const blocks = blocksAt(view, null)
    all = { view, blocks }
    blocks.catch(() => {
      if (all?.blocks === blocks) all = null
    })
    return blocks
  }
}

const blocksAt = async (view: LogView, ids: ReadonlySet<string> | null): Promise<Bytes> =>
  encode((await readSnapshot(view, ids)).map(snapshotBlock).join(''))
