import { MAX_TIMER_MS } from '../client/argument.ts'
import { chainName, httpUrls, integer, packageHash } from './parsers.ts'

/** The settings that say which chain a program reads and how: they mean the same to every program. */
export const chainSettings = {
  rpcUrls: { name: 'CASPER_RPC_URL', parse: httpUrls, isSecret: true },
  chainName: { name: 'CASPER_CHAIN_NAME', parse: chainName },
  feedRegistryPackageHash: { name: 'FEED_REGISTRY_PACKAGE_HASH', parse: packageHash },
  attestationRegistryPackageHash: { name: 'ATTESTATION_REGISTRY_PACKAGE_HASH', parse: packageHash },
  eligibilityGatePackageHash: { name: 'ELIGIBILITY_GATE_PACKAGE_HASH', parse: packageHash },
  /** For one attempt to call a node, in milliseconds. */
  timeoutMs: { name: 'RPC_TIMEOUT_MS', parse: integer(1, MAX_TIMER_MS) },
  /** The most that a node is left alone for where it asks for it, in milliseconds. */
  retryAfterMaxMs: { name: 'RPC_RETRY_AFTER_MAX_MS', parse: integer(0, MAX_TIMER_MS) },
  /** Calls to nodes under way at once. */
  concurrency: { name: 'RPC_CONCURRENCY', parse: integer(1, 65_535) },
} as const
