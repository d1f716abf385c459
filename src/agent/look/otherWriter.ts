import { WattfeedError } from '@wattfeed/base'
import pLimit from 'p-limit'
import type { Attestation, Client, Reads } from 'wattfeed'
import type { Log } from '../../runtime/log.ts'
import type { ChainFeed } from '../plan/assertAttestable.ts'
import type { SentLog } from '../state/sentLog.ts'

/** An attestation by this account that neither the agent nor a command on its state folder sent. */
export interface OtherAttestation {
  readonly feedId: string
  readonly value: Pick<Attestation, 'period' | 'amount' | 'timestamp'>
}

/** Finds attestations by another program with the same account. */
export interface OtherWriter {
  /** Notes a feed as read from the chain. It is searched if its newest value has changed. */
  noteRead(feedId: string, state: Pick<ChainFeed, 'latest'>): void
  /** Starts comparing if this state folder is new. Never throws. */
  begin(): Promise<void>
  /** Returns the attestations in feeds whose newest value has changed, each once. Never throws. */
  findNew(): Promise<readonly OtherAttestation[]>
}

const FEEDS_AT_ONCE = 16
const CHUNK = 20
/** The maximum number of values of a feed that one check reads. */
const MAX_VALUES = 2_000

export function createOtherWriter(options: {
  client: Pick<Client, 'snapshot'>
  sentLog: SentLog
  /** `account-hash-…` */
  accountHash: string
  /** Reads the newest block's time, in epoch milliseconds. */
  readTime: () => Promise<number>
  log: Log
}): OtherWriter {
  const { client, sentLog, accountHash, log } = options
  const due = new Set<string>()
  const newest = new Map<string, string>()

  async function search(at: HistoryReads, feedId: string, since: number): Promise<OtherAttestation[]> {
    const { values, count } = await readNewValues(at, feedId, sentLog.countOf(feedId), since)
    const own = values.filter(({ attester, timestamp }) => attester === accountHash && timestamp > since)
    const others = sentLog.compare(feedId, own, count)
    return others.map((value) => ({ feedId, value }))
  }

  return {
    noteRead(feedId, { latest }) {
      const key = latest === null ? '' : `${latest.timestamp} ${latest.period} ${latest.source_hash}`
      if (newest.get(feedId) === key) return
      newest.set(feedId, key)
      due.add(feedId)
    },
    async begin() {
      if (sentLog.since() !== null) return
      await quietly(log, async () => sentLog.begin(await options.readTime()))
    },
    async findNew() {
      const since = sentLog.since()
      if (since === null || due.size === 0) return []
      const at = await quietly(log, () => client.snapshot())
      if (at === null) return []
      const feedIds = [...due]
      // Cleared before the reads, because a cycle may find another newest value meanwhile.
      due.clear()
      const found = await pLimit(FEEDS_AT_ONCE).map(feedIds, async (feedId) => {
        const others = await quietly(log, () => search(at, feedId, since))
        if (others === null) due.add(feedId)
        return others ?? []
      })
      return found.flat()
    },
  }
}

/** Returns null after a failure. The log omits failures of the nodes, because the next cycle tries again. */
async function quietly<T>(log: Log, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof WattfeedError))
      log.warn({ err: error }, 'cannot check for attestations by other programs')
    return null
  }
}

type HistoryReads = Pick<Reads, 'getValueCount' | 'getValueHistory'>

/** Reads the values that were not compared yet and are later than a block time. */
async function readNewValues(
  at: HistoryReads,
  feedId: string,
  compared: number | null,
  since: number,
): Promise<{ values: readonly Attestation[]; count: number }> {
  const count = await at.getValueCount(feedId)
  // A lagging node has fewer values.
  if (compared !== null && compared > count) return { values: [], count: compared }
  const first = Math.max(compared ?? 0, count - MAX_VALUES)
  let from = count
  let values: readonly Attestation[] = []
  // Usually at most one value is new.
  for (let size = 1; from > first && (values[0]?.timestamp ?? since + 1) > since; size = CHUNK) {
    const to = from
    from = Math.max(first, to - size)
    values = [...(await at.getValueHistory(feedId, { from, to })), ...values]
  }
  return { values, count }
}
