import { getBlock } from '../../casper/lightClient/getBlock.ts'
import type { Rpc } from '../../casper/rpc/rpc.ts'
import { decodeBlock } from '../../casper/types/block.ts'
import type { RootSource } from '../../client/chainSource.ts'
import type { ClientOptions } from '../../client/clientOptions.ts'
import { type Client, connect } from '../../client/createClient.ts'
import type { Reads } from '../../client/reads.ts'
import type { EiaClient } from '../../eia/createEiaClient.ts'
import type { Report } from '../events.ts'
import type { ViewedBlock } from '../plan/plan.ts'
import type { LostPeriods } from '../state/lostPeriods.ts'
import type { SettledBlock } from '../state/settledBlocks.ts'
import type { LastPrints } from './lastPrints.ts'

/** What an agent looks at feeds with. */
export interface Look {
  readonly eia: Pick<EiaClient, 'listNewestRows' | 'listRowsSince'>
  readonly chainName: string
  /** The account of the signing key; null if there is none. */
  readonly accountHash: string | null
  /** `CATCH_UP` */
  readonly catchUp: number
  /** `LOOK_BACK` */
  readonly lookBack: number
  readonly lastPrints: LastPrints
  /** @default gaps that are too old to be requested are forgotten */
  readonly lostPeriods?: LostPeriods | null
  /**
   * Logs a warning about a feed, once in each run of the agent.
   *
   * @param about what it is about, if its texts vary @default `message`
   */
  readonly warnOnce: (feedId: string, message: string, about?: string) => void
  /** Whether this machine's clock differs from a server's, so that a row may be in place. @default never */
  readonly isClockOff?: () => boolean
  /** Called when EIA states the configured unit. */
  readonly onUnit?: (feedId: string, unit: string) => void
  /** Hears of each feed that is read from the chain. */
  readonly report?: Report
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly stop: AbortSignal
}

/** The chain as of one block. */
export interface View {
  readonly block: ViewedBlock
  readonly at: Reads
  /** The block that settled each feed's last transaction, as known before the view's block was read. */
  readonly settled: ReadonlyMap<string, SettledBlock>
}

export interface ViewedChain {
  readonly client: Client
  readonly rpc: Rpc
  /** @throws the errors of the client */
  readBlock(): Promise<{ block: ViewedBlock; at: Reads }>
}

/** Roots that reads in progress may still refer to. */
const MAX_ROOTS = 20

/** Connects to nodes with a client that knows the block of each state root. */
export function connectToBlocks(options: ClientOptions): ViewedChain {
  const blocks = new Map<string, ViewedBlock>()
  const rootsOf =
    (rpc: Rpc): RootSource =>
    async (signal) => {
      const { node, height, time, stateRootHash } = await getBlock(rpc, {
        identifier: null,
        signal,
        decode(json, node) {
          const { height, timestamp: time, stateRootHash } = decodeBlock(json).header
          return { node, height, time, stateRootHash }
        },
      })
      // Several blocks may have the same state root. The last one is the highest.
      blocks.delete(stateRootHash)
      blocks.set(stateRootHash, { height, time, stateRootHash })
      const [oldest] = blocks.size > MAX_ROOTS ? blocks.keys() : []
      if (oldest !== undefined) blocks.delete(oldest)
      return { hash: stateRootHash, node, verification: null }
    }
  const { client, rpc } = connect(options, { rootsOf })
  return {
    client,
    rpc,
    async readBlock() {
      const at = await client.snapshot()
      const { stateRootHash, verification } = at
      const block = verification
        ? { height: verification.blockHeight, time: verification.blockTimestamp, stateRootHash }
        : blocks.get(stateRootHash)
      if (block === undefined) throw new TypeError(`no known block has state root ${stateRootHash}`)
      return { block, at }
    },
  }
}
