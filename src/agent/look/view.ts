import type { Node, Rpc } from '@wattfeed/casper'
import { getBlock } from '@wattfeed/casper/light-client'
import { decodeBlock } from '@wattfeed/casper/types'
import { LRUCache } from 'lru-cache'
import type { Client, ClientOptions, Reads } from 'wattfeed'
import { connect, type RootSource } from 'wattfeed/internal'
import type { ViewedBlock } from '../plan/plan.ts'
import { findLag, type SettledBlock } from '../state/settledBlocks.ts'

/** The chain as of one block. */
export interface View {
  readonly block: ViewedBlock
  readonly at: Reads
  /** The block that settled each feed's last transaction, as known before the view's block was read. */
  readonly settled: ReadonlyMap<string, SettledBlock>
}

/** Roots that reads in progress may still refer to. */
const MAX_ROOTS = 20

/** Connects to nodes with a client that knows the block of each state root. */
export function connectToBlocks(options: ClientOptions): {
  readonly client: Client
  readonly rpc: Rpc
  /** @throws the errors of the client */
  readBlock(): Promise<Pick<View, 'block' | 'at'>>
  /**
   * Opens a view of the newest block. A node that is behind a settled transaction is called last from then on, and another one is
   * asked. If all are behind, the view is the newest of theirs.
   *
   * @throws the errors of the client and of `readSettled`
   */
  openView(readSettled: () => View['settled']): Promise<View>
} {
  const blocks = new LRUCache<string, ViewedBlock>({ max: MAX_ROOTS })
  const rootsOf =
    (rpc: Rpc): RootSource =>
    async (signal) => {
      const { node, height, time, stateRootHash, protocolVersion } = await getBlock(rpc, {
        identifier: null,
        signal,
        decode(json, node) {
          const { height, timestamp: time, stateRootHash, protocolVersion } = decodeBlock(json).header
          return { node, height, time, stateRootHash, protocolVersion: protocolVersion.join('.') }
        },
      })
      // Several blocks may have the same state root. The last one is the highest.
      blocks.set(stateRootHash, { height, time, stateRootHash })
      return { hash: stateRootHash, node, verification: null, protocolVersion }
    }
  const { client, rpc, lastRoot } = connect(options, { rootsOf })

  async function readBlock(): Promise<Pick<View, 'block' | 'at'>> {
    const at = await client.snapshot()
    const { stateRootHash, verification } = at
    const block = verification
      ? { height: verification.blockHeight, time: verification.blockTimestamp, stateRootHash }
      : blocks.get(stateRootHash)
    if (block === undefined) throw new TypeError(`no known block has state root ${stateRootHash}`)
    return { block, at }
  }

  /** Returns the node that has served a block; null if another read has moved on since. */
  function nodeOf({ stateRootHash }: ViewedBlock): Node | null {
    const root = lastRoot()
    return root?.hash === stateRootHash ? root.node : null
  }

  return {
    client,
    rpc,
    readBlock,
    async openView(readSettled) {
      // Read before the block, because another process may settle a transaction in a later block meanwhile.
      const settled = readSettled()
      let view: View = { ...(await readBlock()), settled }
      for (let others = rpc.nodes.length - 1; others > 0; others--) {
        const lag = findLag(view)
        const node = lag && nodeOf(view.block)
        if (lag === null || node === null) return view
        rpc.penalize(node, lag)
        const next = await readBlock()
        if (next.block.height > view.block.height) view = { ...next, settled }
      }
      return view
    },
  }
}
