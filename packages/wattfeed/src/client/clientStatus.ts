import {
  type AbsenceWay,
  MAX_CLOCK_AHEAD_MS,
  type NewestBlock,
  type Node,
  type Rpc,
  StaleNodeError,
} from '@wattfeed/casper'
import type { Absences } from './absences.ts'
import type { ClientOptions } from './clientOptions.ts'
import type { Feeds } from './feeds/feeds.ts'
import type { Head } from './head.ts'
import type { VerifyLevel } from './verification.ts'

/** State of a client. */
export interface ClientStatus {
  /**
   * Newest block of the node that answered last: the verified block, or with `verify: 'off'` the block that the node
   * reported. That report is at most about 15 s old while the client reads. Null before the first.
   */
  readonly block: NewestBlock | null
  /**
   * Protocol version of the network, such as `2.2.2`: of the newest block that was verified, or with `verify: 'off'` as the node of
   * {@link ClientStatus.block} reported it. Null while unknown.
   */
  readonly protocolVersion: string | null
  /** Number of registered feeds; null before the first {@link Reads.listReadings}. */
  readonly feeds: number | null
  /** Number of feeds that do not decode; null before the first {@link Reads.listReadings}. */
  readonly undecodable: number | null
  /** How the latest absence of a value was shown; null before the first, and with `verify: 'off'`. */
  readonly absenceShownBy: AbsenceWay | null
}

interface StatusSource {
  rpc: Rpc
  /** Newest block of each node, from its status. */
  blocks: ReadonlyMap<Node, NewestBlock>
  /** Protocol version of each node, from its status; null if that has none. */
  versions: ReadonlyMap<Node, string | null>
  /** Its `protocolVersion` is called with each version, when it is first read. */
  observe: NonNullable<ClientOptions['observe']>
  head: Pick<Head, 'root'>
  feeds: Pick<Feeds, 'newest'>
  absences: Absences | null
  verify: VerifyLevel
  /** Maximum lag of a node behind the others, in milliseconds. */
  maxHeadAgeMs: number
  /** Milliseconds of a monotonic clock. */
  now: () => number
  /** Epoch milliseconds. */
  wallClock: () => number
}

/** Minimum interval between requests for the nodes' newest blocks. */
const MIN_POLL_INTERVAL_MS = 15_000

/** Creates the status of a client. With `verify: 'off'`, polls the nodes for their newest blocks in the background. */
export function createClientStatus(source: StatusSource) {
  const { verify, blocks, versions, head, feeds, absences, now } = source
  const knownVersions = new Set<string>()
  let askedAt = Number.NEGATIVE_INFINITY

  function newestBlock(): NewestBlock | null {
    const root = head.root()
    if (root?.verification) {
      const { blockHeight: height, blockHash: hash, blockTimestamp: timestamp } = root.verification
      return { height, hash, timestamp }
    }
    return (root && blocks.get(root.node)) ?? null
  }

  function protocolVersion(): string | null {
    const root = head.root()
    return root && (root.protocolVersion ?? versions.get(root.node) ?? null)
  }

  function tellProtocolVersion(): void {
    const version = protocolVersion()
    if (version === null || knownVersions.has(version)) return
    knownVersions.add(version)
    source.observe.protocolVersion?.(version)
  }

  return {
    /** Polls the nodes for their newest blocks if the last poll is old enough. Called after each read of the newest root. */
    refresh(): void {
      tellProtocolVersion()
      if (verify !== 'off' || now() - askedAt < MIN_POLL_INTERVAL_MS) return
      // The check of the chain's name has already read the first one.
      const isFirst = askedAt < 0
      askedAt = now()
      if (!isFirst) void askNewestBlocks(source)
    },
    status(): ClientStatus {
      const list = feeds.newest()
      return {
        block: newestBlock(),
        protocolVersion: protocolVersion(),
        feeds: list?.entries.size ?? null,
        undecodable: list?.undecodable ?? null,
        absenceShownBy: absences?.latest() ?? null,
      }
    },
  }
}

/** Polls the status of every node, and penalizes nodes whose newest block is far older than the newest of all. */
async function askNewestBlocks({ rpc, blocks, maxHeadAgeMs, wallClock }: StatusSource): Promise<void> {
  await Promise.allSettled(rpc.nodes.map((node) => rpc.getStatus(node)))
  const times = rpc.nodes
    .map((node) => ({ node, timestamp: blocks.get(node)?.timestamp ?? Number.POSITIVE_INFINITY }))
    // A block from the future must not make the others look old.
    .filter(({ timestamp }) => timestamp <= wallClock() + MAX_CLOCK_AHEAD_MS)
  const newest = Math.max(...times.map(({ timestamp }) => timestamp))
  for (const { node, timestamp } of times)
    if (newest - timestamp > maxHeadAgeMs) rpc.penalize(node, new StaleNodeError(newest - timestamp))
}
