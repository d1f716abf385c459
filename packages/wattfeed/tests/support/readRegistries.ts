import {
  createGlobalState,
  findContractKey,
  getStateRootHash,
  type Rpc,
  readEventLogLength,
  readOdraContract,
} from '@wattfeed/casper'
import { readEvents } from '@wattfeed/casper/testing/readEvents'
import type { Devnet } from '@wattfeed/casper-devnet'
import { localFetch } from '@wattfeed/casper-devnet/testing/localNode'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { createClient } from '../../src/client/createClient.ts'
import type { Snapshot } from '../../src/client/snapshot.ts'
import type { Attestation } from '../../src/registry/attestation.ts'
import type { Feed } from '../../src/registry/feed.ts'
import type { RegistryName } from '../../src/registry/layout.ts'

/** All data of both registries at one state root. */
export interface RegistriesState {
  feedCount: number
  attester: string
  total: number
  /** In the order of their ids. */
  feeds: FeedState[]
  /** The events of each log, in hex. */
  events: Record<RegistryName, string[]>
}

/** All data of one feed. */
export interface FeedState {
  feedId: string
  feed: Feed | null
  claimant: string | null
  latest: Attestation | null
  history: Attestation[]
}

/** Reads both registries at the newest state root. @param packages 64 hex digits each */
export async function readRegistries(
  { call, chainName }: Pick<Devnet, 'call' | 'chainName'>,
  packages: Readonly<Record<RegistryName, string>>,
): Promise<RegistriesState> {
  const client = createClient({
    rpcUrls: ['http://node.test/rpc'],
    chainName,
    feedRegistryPackageHash: packages.FeedRegistry,
    attestationRegistryPackageHash: packages.AttestationRegistry,
    fetch: localFetch(call),
  })
  const at = await client.snapshot()
  const feedIds = await at.listFeedIds()
  const rpc = rpcOf(call, { chainName })
  return {
    feedCount: await at.feedCount(),
    attester: await at.getFirstPartyAttester(),
    total: await at.totalAttestations(),
    feeds: await Promise.all(feedIds.map((feedId) => readFeed(at, feedId))),
    events: {
      FeedRegistry: await readLog(rpc, 'FeedRegistry', packages),
      AttestationRegistry: await readLog(rpc, 'AttestationRegistry', packages),
    },
  }
}

const readFeed = async (at: Snapshot, feedId: string): Promise<FeedState> => ({
  feedId,
  feed: await at.getFeed(feedId),
  claimant: await at.getClaimant(feedId),
  latest: await at.getValue(feedId),
  history: await at.getValueHistory(feedId),
})

async function readLog(
  rpc: Rpc,
  name: RegistryName,
  packages: Readonly<Record<RegistryName, string>>,
): Promise<string[]> {
  const state = createGlobalState(rpc)
  const { hash: stateRootHash } = await getStateRootHash(rpc)
  const key = await findContractKey(state, name, packages[name], stateRootHash)
  const log = (await readOdraContract(state, name, key, stateRootHash))?.events
  if (!log) throw new Error(`${name} has no event log`)
  const to = await readEventLogLength(state, log, stateRootHash)
  return readEvents(state, log, {
    from: 0,
    to,
    concurrency: 8,
    stateRootHash,
    decode: (bytes) => bytes.toHex(),
  })
}
