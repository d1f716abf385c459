import { MAX_TIMER_MS } from '../client/argument.ts'
import type { ClientOptions } from '../client/index.ts'
import { casperTest } from '../client/networks.ts'
import { chainName, httpUrls, integer, packageHash } from './parsers.ts'

const registry = { parse: packageHash, defaultText: "the test network's" } as const

/** Which chain a program reads: the same settings in every program. */
export const chainSettings = {
  rpcUrls: {
    name: 'CASPER_RPC_URL',
    meaning: 'JSON-RPC of one node or several; a call goes to the next if one fails',
    parse: httpUrls,
    default: casperTest.rpcUrls,
    isSecret: true,
  },
  chainName: {
    name: 'CASPER_CHAIN_NAME',
    meaning: 'name of the chain; nodes of other chains are skipped',
    parse: chainName,
    default: casperTest.chainName,
  },
  feedRegistryPackageHash: {
    ...registry,
    name: 'FEED_REGISTRY_PACKAGE_HASH',
    meaning: 'package of the FeedRegistry',
    default: casperTest.feedRegistryPackageHash,
  },
  attestationRegistryPackageHash: {
    ...registry,
    name: 'ATTESTATION_REGISTRY_PACKAGE_HASH',
    meaning: 'package of the AttestationRegistry',
    default: casperTest.attestationRegistryPackageHash,
  },
} as const

/** How a program calls nodes: the same settings in every program. */
export const callSettings = {
  timeoutMs: {
    name: 'RPC_TIMEOUT_MS',
    meaning: 'for one attempt to call a node',
    parse: integer(1, MAX_TIMER_MS),
    default: 4_000,
  },
  retryAfterMaxMs: {
    name: 'RPC_RETRY_AFTER_MAX_MS',
    meaning: 'the longest pause that a node can ask for (HTTP 429 or 503); 2 s if all ask',
    parse: integer(0, MAX_TIMER_MS),
    default: 30_000,
  },
  concurrency: {
    name: 'RPC_CONCURRENCY',
    meaning: 'calls to nodes in flight at once',
    parse: integer(1, 65_535),
    default: 128,
  },
} as const

type Source = Required<
  Pick<
    ClientOptions,
    'chainName' | 'rpcUrls' | 'feedRegistryPackageHash' | 'attestationRegistryPackageHash' | 'verify'
  >
>

/** Describes what a program reads, for the first line of its log. A URL is shortened to its origin: more may be secret. */
export const describeSource = (source: Source) => ({
  chain_name: source.chainName,
  nodes: source.rpcUrls.map((url) => new URL(url).origin),
  feed_registry_package_hash: source.feedRegistryPackageHash,
  attestation_registry_package_hash: source.attestationRegistryPackageHash,
  verify: source.verify,
})
