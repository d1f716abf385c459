import { LRUCache } from 'lru-cache'
import type { SourcedAttestation } from './decide.ts'

/** The values that were planned lately, with the rows behind them. */
export interface PlannedSources {
  keep(values: readonly SourcedAttestation[]): void
  of(hashes: readonly string[]): Pick<SourcedAttestation, 'source_hash' | 'source'>[]
}

/** More than a member plans while it checks a proposal. */
const MAX_SOURCES = 5_000

export function createPlannedSources(): PlannedSources {
  const known = new LRUCache<string, SourcedAttestation>({ max: MAX_SOURCES })
  return {
    keep(values) {
      for (const each of values) known.set(each.source_hash, each)
    },
    of: (hashes) => hashes.flatMap((hash) => known.get(hash) ?? []),
  }
}
