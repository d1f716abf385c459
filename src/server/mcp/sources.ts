import type { AbortSignalLike } from '../../async/webTypes.ts'
import type { Client, Network } from '../../client/index.ts'
import type { Catalog } from '../datasets/plugin.ts'
import type { HistoryReader } from '../history/historyReader.ts'

export interface McpSources {
  client: Client
  network: Omit<Network, 'rpcUrls'>
  /** The reader of all endpoints, with their memory limit and their queue. */
  readHistory: HistoryReader
  catalog: Catalog
  /** Epoch milliseconds. */
  now: () => number
}

export interface McpPlace {
  /** Origin of the server whose proofs the answers name, such as `http://localhost:4030`; null if there is none. */
  proofOrigin: string | null
  /** Hash of a switch block that the person who asks trusts; null if unknown. */
  trustedBlockHash: string | null
  /** Whether the tools run on the machine of the person who asks, so that no other party does the checking. */
  isOwnMachine: boolean
}

export interface McpCall {
  sources: McpSources
  place: McpPlace
  /** Aborts when the call takes too long. */
  signal: AbortSignalLike
}
