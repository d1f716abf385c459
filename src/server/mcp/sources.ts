import type { AbortSignalLike } from '../../async/webTypes.ts'
import type { Client, Network } from '../../client/index.ts'
import type { Catalog } from '../datasets.ts'
import type { HistoryReader } from '../historyReader.ts'

/** The sources of the tools' answers. */
export interface McpSources {
  client: Client
  /** The chain and registries that the client reads. */
  network: Omit<Network, 'rpcUrls'>
  /** The reader of all endpoints, with their memory limit and their queue. */
  readHistory: HistoryReader
  catalog: Catalog
  /** Epoch milliseconds. */
  now: () => number
}

/** The place where the tools run. */
export interface McpPlace {
  /** Origin of the server whose proofs the answers name, such as `http://localhost:4030`; null if there is none. */
  proofOrigin: string | null
  /** Hash of a switch block that the person who asks trusts; null if unknown. */
  trustedBlockHash: string | null
  /** Whether the tools run on the machine of the person who asks, so that no other party does the checking. */
  isOwnMachine: boolean
}

/** One call of a tool. */
export interface McpCall {
  sources: McpSources
  place: McpPlace
  /** Aborts when the call takes too long. */
  signal: AbortSignalLike
}
