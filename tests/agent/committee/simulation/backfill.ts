import type { NewAttestation } from '../../../../packages/wattfeed/src/registry/calls.ts'
import type { ModelChain } from './chain.ts'
import { type EiaModel, listPast } from './eia.ts'

export interface BackfillOptions {
  readonly eia: EiaModel
  readonly chain: ModelChain
  readonly feedId: string
  /** Height of the block at which the operator reads the chain. */
  readonly height: number
}

/** The most past values of a transaction. */
const MOST = 4

/** Returns what a careful operator backfills next: the oldest values that the chain lacks, and the newest value again. */
export function nextBackfill({ eia, chain, feedId, height }: BackfillOptions): readonly NewAttestation[] {
  const latest = chain.latest(feedId, height)
  const prints = chain.prints(feedId, height)
  const missing = listPast(eia, feedId).filter(({ period }) => !prints.has(period))
  if (latest === null || missing.length === 0) return []
  return [...missing.slice(0, MOST), { feed_id: feedId, ...latest }]
}

/** Returns values of a backfill that breaks the rules more often than not. */
export function anyBackfill(
  { eia, chain, feedId, height }: BackfillOptions,
  random: () => number,
): readonly NewAttestation[] {
  const isFalse = random() < 0.1
  const all = listPast(eia, feedId).map((each) => (isFalse ? { ...each, amount: each.amount + 1n } : each))
  const from = Math.floor(random() * all.length)
  const some = all.slice(from, from + 1 + Math.floor(MOST * random()))
  const order = random()
  const past = order < 0.1 ? some.toReversed() : order < 0.3 ? [...some, ...some].slice(0, MOST) : some
  const back = random() < 0.3 ? Math.floor(60 * random()) : 0
  const latest = chain.latest(feedId, Math.max(0, height - back))
  return latest === null || random() < 0.2 ? past : [...past, { feed_id: feedId, ...latest }]
}
