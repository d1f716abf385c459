import { Type } from '@sinclair/typebox'
import { casperTest } from '../../client/networks.ts'
import { type ContractName, contractNames } from '../../registry/installation.ts'
import { callOptions } from '../../runtime/chainSettings.ts'
import { formatSettings } from '../../runtime/formatSettings.ts'
import { similarNames } from '../../runtime/misspelt.ts'
import { type Environment, parseSettings, withOptions } from '../../runtime/settings.ts'
import { chainName, httpUrls } from '../../runtime/textTypes.ts'
import { contractsSettings, packageHashSetting } from '../contractsSettings.ts'
import type { ProgramContext } from '../program.ts'

const {
  ATTESTER_KEY_PATH,
  RPC_TIMEOUT_MS,
  RPC_RETRY_AFTER_MAX_MS,
  RPC_CONCURRENCY,
  AGENT_STATE_DIR,
  ...others
} = contractsSettings.properties

const packageHashOf = (contract: ContractName) =>
  withOptions(others[packageHashSetting[contract]], {
    description: `package of the ${contract}, to name its calls`,
    defaultText: "the test network's for its transactions, else none",
  })

const why = 'what signs or sends has no default for it'

export const transactionSettings = Type.Object({
  CASPER_RPC_URL: Type.Optional(
    httpUrls({
      description: 'JSON-RPC of one node or several; show and sign also work without',
      needed: { when: 'to send', why },
      isSecret: true,
    }),
  ),
  CASPER_CHAIN_NAME: Type.Optional(
    chainName({
      description: 'name of the chain; transactions of other chains are refused',
      needed: { when: 'to sign and to send', why },
    }),
  ),
  ATTESTER_KEY_PATH: withOptions(ATTESTER_KEY_PATH, {
    description: 'secret key in PEM that signs',
    needed: { when: 'to sign', why },
  }),
  FEED_REGISTRY_PACKAGE_HASH: packageHashOf('FeedRegistry'),
  ATTESTATION_REGISTRY_PACKAGE_HASH: packageHashOf('AttestationRegistry'),
  ELIGIBILITY_GATE_PACKAGE_HASH: packageHashOf('EligibilityGate'),
  RPC_TIMEOUT_MS,
  RPC_RETRY_AFTER_MAX_MS,
  RPC_CONCURRENCY,
  AGENT_STATE_DIR: withOptions(AGENT_STATE_DIR, { description: 'folder of pending transactions, to send' }),
})

type SettingName = keyof (typeof transactionSettings)['properties']

export type TransactionSettings = ReturnType<typeof readTransactionSettings>

export function readTransactionSettings(
  { environment, terminal }: ProgramContext,
  needed: readonly SettingName[],
) {
  const settings = parseTransactionSettings(environment, needed)
  for (const message of similarNames(environment, transactionSettings)) terminal.warn(message)
  return settings
}

export function parseTransactionSettings(environment: Environment, needed: readonly SettingName[] = []) {
  const settings = parseSettings(transactionSettings, environment, { needed })
  return {
    rpcUrls: settings.CASPER_RPC_URL,
    chainName: settings.CASPER_CHAIN_NAME,
    keyPath: settings.ATTESTER_KEY_PATH,
    packageHashes: {
      FeedRegistry: settings.FEED_REGISTRY_PACKAGE_HASH,
      AttestationRegistry: settings.ATTESTATION_REGISTRY_PACKAGE_HASH,
      EligibilityGate: settings.ELIGIBILITY_GATE_PACKAGE_HASH,
    },
    ...callOptions(settings),
    stateDir: settings.AGENT_STATE_DIR,
  }
}

/** Returns which contract of a chain has a package hash; null for a foreign one. */
export function contractOf(
  { packageHashes }: Pick<TransactionSettings, 'packageHashes'>,
  chain: string,
  packageHash: string,
): ContractName | null {
  const known = chain === casperTest.chainName ? ofTestNetwork : noHashes
  return contractNames.find((name) => (packageHashes[name] ?? known[name]) === packageHash) ?? null
}

const noHashes = { FeedRegistry: null, AttestationRegistry: null, EligibilityGate: null }
const ofTestNetwork = {
  FeedRegistry: casperTest.feedRegistryPackageHash,
  AttestationRegistry: casperTest.attestationRegistryPackageHash,
  EligibilityGate: null,
}

export const transactionHelp = `
How several keys sign a transaction:
  1. a command that pays writes it with --out, for the account that ATTESTER_ACCOUNT names
  2. each key holder looks at the file with show, and adds a signature with sign
  3. anyone sends it; send says what is missing
The file has the node's own JSON, so other Casper tools can read, sign and send it, too.

Settings, from the environment:
${formatSettings(transactionSettings)}

Exit codes:
  0  done
  1  nothing was signed or sent: the file, a setting, the key or a check is the cause
  2  it was sent, and was rejected, failed, expired, or is still pending; send the same file again to resume`
