import type { AbortSignalLike } from '@wattfeed/base'
import type { HistoryReaders } from '../readers/historyReaders.ts'
import type { SeriesReader } from '../readers/seriesReader.ts'
import type { Server } from '../server.ts'

/** What the tools read. The reader of histories has the memory limit and the queue of all endpoints. */
export interface McpSources
  extends Pick<Server, 'client' | 'network' | 'now'>,
    Pick<HistoryReaders, 'readHistory'> {
  /** Null without snapshots of datasets. */
  series: SeriesReader | null
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
