import { string, u8, u64, u512 } from '@wattfeed/testing/bytesrepr'
import type { Feed } from '../../src/registry/feed.ts'
import { createSyntheticContract, type StoredValue, syntheticAccount } from './syntheticContract.ts'
import type { VersionedStore } from './versionedStore.ts'

/** An attestation without its attester. */
export interface SyntheticAttestation {
  period: number | bigint
  amount: bigint
  source_hash: string
  timestamp: number
}

/** Writes like the contracts of the two registries. */
export interface SyntheticRegistries {
  /** Both with `hash-`. */
  packageHashes: { feedRegistryPackageHash: string; attestationRegistryPackageHash: string }
  register(feedId: string, feed: Feed): void
  attest(feedId: string, attestation: SyntheticAttestation): void
}

const owner = syntheticAccount('owner')

export function createSyntheticRegistries(
  name: string,
  store: VersionedStore<StoredValue>,
): SyntheticRegistries {
  const feeds = createSyntheticContract({
    name: `${name}/FeedRegistry`,
    store,
    entryPoints: ['feed_count', 'get_attester', 'get_feed', 'get_feed_at', 'init', 'register_feed'],
  })
  const attestations = createSyntheticContract({
    name: `${name}/AttestationRegistry`,
    store,
    entryPoints: [
      'attest',
      'get_at',
      'get_attester',
      'get_count',
      'get_latest',
      'init',
      'total_attestations',
    ],
  })
  const counts = new Map<string, number>()
  let total = 0

  const appendId = (feedId: string): void => {
    feeds.write(3, u64(counts.size), string(feedId))
    counts.set(feedId, 0)
    feeds.write(4, '', u64(counts.size))
    feeds.write(5, string(feedId), owner)
  }

  feeds.write(1, '', owner)
  attestations.write(1, '', owner)
  return {
    packageHashes: {
      feedRegistryPackageHash: feeds.packageHash,
      attestationRegistryPackageHash: attestations.packageHash,
    },
    register(feedId, feed) {
      if (!counts.has(feedId)) appendId(feedId)
      feeds.write(2, string(feedId), encodeFeed(feed))
      feeds.emit(
        'FeedRegistered',
        string(feedId) + u8(feed.decimals) + string(feed.unit) + string(feed.source),
      )
    },
    attest(feedId, { period, amount, source_hash, timestamp }) {
      const index = counts.get(feedId)
      if (index === undefined) throw new Error(`${feedId} is not registered`)
      const fields = u64(period) + u512(amount) + string(source_hash)
      counts.set(feedId, index + 1)
      attestations.write(2, string(feedId), fields + owner + u64(timestamp))
      attestations.write(3, string(`${feedId}#${index}`), fields + owner + u64(timestamp))
      attestations.write(4, string(feedId), u64(index + 1))
      attestations.write(5, '', u64(++total))
      attestations.emit('RevenueAttested', string(feedId) + fields + u64(index) + u64(timestamp))
    },
  }
}

function encodeFeed(feed: Feed): string {
  const texts = [feed.unit, feed.title, feed.source, feed.route, feed.frequency, feed.description]
  return u8(feed.decimals) + texts.map(string).join('')
}
