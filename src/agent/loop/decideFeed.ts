import type { EiaClient } from '../../eia/createEiaClient.ts'
import type { EiaRow } from '../../eia/series.ts'
import { WattfeedError } from '../../errors.ts'
import { type DecisionResult, decide } from '../decide.ts'
import type { FeedConfig } from '../feeds/feedConfig.ts'
import { FeedPendingError } from '../outbox/createOutbox.ts'
import { assertAttestable } from './assertAttestable.ts'
import type { FeedReader } from './feedReader.ts'
import { isPublicNetwork } from './publicNetwork.ts'

/** A feed of which nobody knows yet that EIA has its series. */
export class UnverifiedFeedError extends WattfeedError {
  static override readonly name = 'UnverifiedFeedError'
  readonly code = 'feed_unverified'
  readonly retryable = false

  constructor(
    readonly feedId: string,
    /** Why it is not verified. */
    readonly reason: string,
    readonly chainName: string,
  ) {
    super(
      `${feedId} is not attested to ${chainName}, because its series is not verified (${reason}): see what "feeds check ${feedId}" says, then take "unverified" out of the feeds file`,
    )
  }
}

/** Rows that state another unit than the configured one. */
export class UpstreamUnitError extends WattfeedError {
  static override readonly name = 'UpstreamUnitError'
  readonly code = 'upstream_unit'
  readonly retryable = false

  constructor(
    readonly feedId: string,
    /** What upstream states, or null where it states none. */
    readonly stated: string | null,
    /** The configured `upstream_unit`. */
    readonly expected: string,
  ) {
    const states = stated === null ? 'no unit' : `the unit ${JSON.stringify(stated)}`
    super(
      `EIA states ${states} for ${feedId}, not ${JSON.stringify(expected)}: the series may have changed; change upstream_unit once that is understood`,
    )
  }
}

export interface DecideFeedOptions {
  reader: FeedReader
  eia: Pick<EiaClient, 'listNewestRows'>
  chainName: string
  /** Of the key that is going to sign; null where there is none. */
  accountHash: string | null
  /** Transactions that are on their way already, by feed id. */
  underWay: ReadonlyMap<string, string>
  /** Epoch milliseconds. */
  now: () => number
  /** Aborted when the agent is to stop. */
  stop: AbortSignal
  /** Told of the row as soon as it is there. */
  onRow: (row: EiaRow) => void
}

/**
 * Reads a feed on chain and upstream, and decides.
 *
 * Throws what {@link assertAttestable}, the client, the EIA client and {@link decide} throw, an
 * {@link UnverifiedFeedError} or {@link UpstreamUnitError}, or the reason of the stop.
 */
export async function decideFeed(feed: FeedConfig, options: DecideFeedOptions): Promise<DecisionResult> {
  const { reader, eia, chainName, accountHash, underWay, now, stop } = options
  const { feed_id, route, frequency, column, facets } = feed
  stop.throwIfAborted()
  assertVerified(feed, chainName)
  assertFree(feed_id, underWay)
  const state = await reader.read(feed_id)
  assertAttestable(feed, state, accountHash)
  const rows = await eia.listNewestRows({ route, frequency, column, facets }, { length: 1, signal: stop })
  const row = newestOf(rows, feed)
  options.onRow(row)
  return decide({ row, feed, latest: state.latest, now: now() })
}

function assertVerified({ feed_id, unverified }: FeedConfig, chainName: string): void {
  if (unverified !== undefined && isPublicNetwork(chainName))
    throw new UnverifiedFeedError(feed_id, unverified, chainName)
}

/** Another transaction could attest the same twice. */
function assertFree(feedId: string, underWay: DecideFeedOptions['underWay']): void {
  const transactionHash = underWay.get(feedId)
  if (transactionHash !== undefined) throw new FeedPendingError(feedId, transactionHash)
}

function newestOf([row]: readonly EiaRow[], { feed_id, upstream_unit }: FeedConfig): EiaRow {
  if (row === undefined) throw new TypeError('the client gave no row')
  if (upstream_unit !== undefined && row.statedUnit !== upstream_unit)
    throw new UpstreamUnitError(feed_id, row.statedUnit, upstream_unit)
  return row
}
