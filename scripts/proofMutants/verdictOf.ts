import { DecodeError } from '@wattfeed/base'
import type { SeriesQuery, SeriesRange } from '@wattfeed/dataset'
import { type FeedProofTrust, verifyFeedProof } from 'wattfeed'

/** The facts to trust and the request of a vector, in the names of `docs/verify-spec.md`. */
export interface VectorTrust {
  trusted_block_hash: string
  chain_name: string
  feed_registry_package_hash: string
  attestation_registry_package_hash: string
  feed_id?: string
  index?: number | null
  list?: 'feeds' | 'history'
  series?: SeriesQuery
  range?: SeriesRange
  max_age_ms?: number
  now?: number
}

export interface Verdict {
  verdict: 'proven' | 'refuted' | 'unreadable'
  /** The first link that does not hold; null unless the proof is refuted. */
  link: string | null
}

/** Returns the trust of a vector as the verifier takes it. */
export function trustOf(trust: VectorTrust): FeedProofTrust {
  const { feed_id, index, list, series, range, max_age_ms, now } = trust
  return {
    trustedBlockHash: trust.trusted_block_hash,
    chainName: trust.chain_name,
    feedRegistryPackageHash: trust.feed_registry_package_hash,
    attestationRegistryPackageHash: trust.attestation_registry_package_hash,
    ...(feed_id === undefined ? {} : { feedId: feed_id }),
    ...(index === undefined ? {} : { index }),
    ...(list === undefined ? {} : { list }),
    ...(series === undefined ? {} : { series }),
    ...(range === undefined ? {} : { range }),
    ...(max_age_ms === undefined ? {} : { maxAgeMs: max_age_ms }),
    ...(now === undefined ? {} : { now: () => now }),
  }
}

/** Verifies a document. Any error but an unreadable document is thrown. */
export async function verdictOf(document: unknown, trust: VectorTrust): Promise<Verdict> {
  try {
    const { links } = await verifyFeedProof(document, trustOf(trust))
    const last = links.at(-1)
    return last?.holds ? { verdict: 'proven', link: null } : { verdict: 'refuted', link: last?.link ?? null }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    return { verdict: 'unreadable', link: null }
  }
}
