import { Type } from '@sinclair/typebox'
import { type ClientOptions, casperTest } from 'wattfeed'
import { MAX_TIMER_MS } from 'wattfeed/internal'
import type { SettingValues } from './settings.ts'
import { chainName, hostSecrets, httpUrls, packageHash } from './textTypes.ts'

const defaultText = "the test network's"

/** A header's value: visible ASCII characters, and spaces between them. */
const HEADER = /^[\x21-\x7e]+( +[\x21-\x7e]+)*$/

/** Lists what contradicts the URLs. A setting whose text is wrong is missing here: it is a fault of its own. */
function authorizationConflicts({
  casperRpcUrl: urls,
  casperRpcAuthorization: authorization,
}: {
  casperRpcUrl?: readonly string[] | null
  casperRpcAuthorization?: Readonly<Record<string, string>> | null
}): string[] {
  if (urls === undefined) return []
  const nodes = (urls ?? []).map((url) => new URL(url))
  return Object.entries(authorization ?? {}).flatMap(([host, value]) => {
    const node = nodes.find((each) => each.host === host)
    if (node === undefined)
      return `CASPER_RPC_AUTHORIZATION has a token for ${host}, which is no host of CASPER_RPC_URL; write it as there, with its port`
    if (node.username + node.password !== '')
      return `CASPER_RPC_AUTHORIZATION has a token for ${host}, which has a user or a password in CASPER_RPC_URL; remove one of them`
    return HEADER.test(value)
      ? []
      : `CASPER_RPC_AUTHORIZATION must be visible ASCII, and that of ${host} is not`
  })
}

/** The secrets that nodes want, beside their URLs: the same setting in every program. */
export const authorizationSetting = {
  CASPER_RPC_AUTHORIZATION: Type.Optional(
    hostSecrets({
      conflicts: authorizationConflicts,
      description:
        'whole Authorization header, such as a bare token, for the nodes of CASPER_RPC_URL that need one; each only gets its own. For user and password, use the URL',
    }),
  ),
}

/** Which chain a program reads: the same settings in every program. */
export const chainSettings = {
  CASPER_RPC_URL: httpUrls({
    description: 'JSON-RPC of one node or several; a call goes to the next if one fails',
    default: casperTest.rpcUrls.join(','),
  }),
  ...authorizationSetting,
  CASPER_CHAIN_NAME: chainName({
    description: 'name of the chain; nodes of other chains are skipped',
    default: casperTest.chainName,
  }),
  FEED_REGISTRY_PACKAGE_HASH: packageHash({
    description: 'package of the FeedRegistry',
    default: casperTest.feedRegistryPackageHash,
    defaultText,
  }),
  ATTESTATION_REGISTRY_PACKAGE_HASH: packageHash({
    description: 'package of the AttestationRegistry',
    default: casperTest.attestationRegistryPackageHash,
    defaultText,
  }),
}

/** How a program calls nodes: the same settings in every program, but the agent's longest timeout is shorter. */
export const callSettings = {
  RPC_TIMEOUT_MS: Type.Integer({
    minimum: 1,
    maximum: MAX_TIMER_MS,
    default: 4_000,
    description: 'timeout of one attempt to call a node',
  }),
  RPC_RETRY_AFTER_MAX_MS: Type.Integer({
    minimum: 0,
    maximum: MAX_TIMER_MS,
    default: 30_000,
    description: 'longest pause that a node can request (HTTP 429 or 503); 2 s if all nodes do',
  }),
  RPC_CONCURRENCY: Type.Integer({
    minimum: 1,
    maximum: 65_535,
    default: 128,
    description: 'calls to nodes in flight at once',
  }),
}

/**
 * Describes a program's data source, for the first line of its log. A URL is shortened to its origin: the rest may be
 * secret.
 */
export const describeSource = ({
  verify,
  ...source
}: SettingValues<typeof chainSettings> & { verify: ClientOptions['verify'] }) => ({
  chain_name: source.casperChainName,
  nodes: source.casperRpcUrl.map((url) => new URL(url).origin),
  feed_registry_package_hash: source.feedRegistryPackageHash,
  attestation_registry_package_hash: source.attestationRegistryPackageHash,
  verify,
})
