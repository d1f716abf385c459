import { type TObject, type TProperties, Type } from '@sinclair/typebox'
import { MIN_PAYMENT_MOTES } from '@wattfeed/casper/transaction'
import type { ContractName } from 'wattfeed/internal'
import { agentSettings } from '../agent/settings/agentSettings.ts'
import { authorizationSetting, chainSettings } from '../runtime/settings/chainSettings.ts'
import {
  type Environment,
  parseSettings,
  type SettingValues,
  settingSecrets,
  vary,
} from '../runtime/settings/settings.ts'
import { chainName, httpUrls, packageHash } from '../runtime/settings/textTypes.ts'
import { verificationSettings } from '../runtime/settings/verificationSettings.ts'
import type { Terminal } from '../runtime/terminal.ts'
import { wirePaymentMotes } from './contracts/payments.ts'
import { CLAIM_PAYMENT_MOTES } from './eligibility/submitClaim.ts'

const { AGENT_HOST: _host, AGENT_PORT: _port, LOG_LEVEL: _logLevel, ...agent } = agentSettings.properties

const { needed: neededForEia } = agent.EIA_API_KEY

/** For the feeds commands, which neither listen nor log. */
export const feedsSettings = Type.Object({
  ...agent,
  ...vary(agent, {
    EIA_API_KEY: {
      needed: {
        ...neededForEia,
        when: 'to attest, to list facet values, and for check --write; optional for check and new',
      },
    },
    ATTESTER_KEY_PATH: {
      description: 'PEM file with the secret key of the account that registers, attests and pays',
    },
    PAYMENT_MOTES: { defaultText: 'as much as needed' },
  }),
})

export const exportSettings = Type.Object({
  ...chainSettings,
  ...vary(agent, { RPC_TIMEOUT_MS: {}, RPC_RETRY_AFTER_MAX_MS: {}, RPC_CONCURRENCY: {} }),
  ...verificationSettings,
})

export const provenanceSettings = Type.Object({
  ...vary(agent, {
    EIA_API_KEY: { needed: { ...neededForEia, when: 'without --row' } },
    EIA_BASE_URL: {},
    EIA_RPS: {},
  }),
  ...exportSettings.properties,
})

/** For the commands that take and check snapshots of datasets. */
export const datasetsSettings = Type.Object({
  ...vary(agent, {
    EIA_API_KEY: { needed: { ...neededForEia, when: 'to take a snapshot' } },
    EIA_BASE_URL: {},
    EIA_RPS: {},
  }),
  ...exportSettings.properties,
})

export const packageHashSetting = {
  FeedRegistry: 'FEED_REGISTRY_PACKAGE_HASH',
  AttestationRegistry: 'ATTESTATION_REGISTRY_PACKAGE_HASH',
  EligibilityGate: 'ELIGIBILITY_GATE_PACKAGE_HASH',
} as const satisfies Record<ContractName, string>

const packageHashes = (use: string, defaultText: string) => {
  const of = (contract: ContractName) =>
    Type.Optional(packageHash({ description: `package of the ${contract}${use}`, defaultText }))
  return {
    FEED_REGISTRY_PACKAGE_HASH: of('FeedRegistry'),
    ATTESTATION_REGISTRY_PACKAGE_HASH: of('AttestationRegistry'),
    ELIGIBILITY_GATE_PACKAGE_HASH: of('EligibilityGate'),
  }
}

/** For the commands that install, upgrade, wire and inspect contracts. */
export const contractsSettings = Type.Object({
  ...vary(agent, {
    CASPER_RPC_URL: {},
    CASPER_RPC_AUTHORIZATION: {},
    CASPER_CHAIN_NAME: {},
    ATTESTER_KEY_PATH: {
      description: 'PEM file with the secret key of the account that owns the contracts and pays',
    },
  }),
  ...packageHashes('; ignored by install', "the deployment file's"),
  ...vary(agent, {
    RPC_TIMEOUT_MS: {
      description: 'timeout of one attempt to call a node; an installation is large',
      default: 30_000,
    },
    RPC_RETRY_AFTER_MAX_MS: {},
    RPC_CONCURRENCY: {},
    PAYMENT_MOTES: {
      description: 'payment for one call; for installations use --payment',
      defaultText: String(wirePaymentMotes),
    },
    ATTESTER_ACCOUNT: {},
    TRANSACTION_TTL_MS: {},
    GAS_PRICE_TOLERANCE: {},
    AGENT_STATE_DIR: { description: 'folder of the deployment file and of pending transactions' },
  }),
})

/** For the commands that call the gate. Even a dry run calls a node: neither node nor chain has a default. */
export const claimSettings = Type.Object(
  vary(contractsSettings.properties, {
    CASPER_RPC_URL: { defaultText: '' },
    CASPER_RPC_AUTHORIZATION: {},
    CASPER_CHAIN_NAME: { defaultText: '' },
    ATTESTER_KEY_PATH: {
      description: 'PEM file with the secret key of the account that the proof is for; it pays',
    },
    PAYMENT_MOTES: {
      description: 'payment for the claim, which consumes about 29.9 CSPR',
      defaultText: String(CLAIM_PAYMENT_MOTES),
    },
    RPC_TIMEOUT_MS: { description: 'timeout of one attempt to call a node' },
    RPC_RETRY_AFTER_MAX_MS: {},
    RPC_CONCURRENCY: {},
    ATTESTER_ACCOUNT: {},
    TRANSACTION_TTL_MS: {},
    GAS_PRICE_TOLERANCE: {},
    AGENT_STATE_DIR: { description: 'folder for pending transactions' },
  }),
)

/** For the command that puts a value on a board. */
export const putSettings = Type.Object(
  vary(claimSettings.properties, {
    CASPER_RPC_URL: {},
    CASPER_RPC_AUTHORIZATION: {},
    CASPER_CHAIN_NAME: {},
    ATTESTER_KEY_PATH: {
      description: 'PEM file with the secret key of the account that pays; any account may',
    },
    PAYMENT_MOTES: {
      description: 'payment for the call, which consumes about 1 CSPR',
      defaultText: String(MIN_PAYMENT_MOTES),
    },
    RPC_TIMEOUT_MS: {},
    RPC_RETRY_AFTER_MAX_MS: {},
    RPC_CONCURRENCY: {},
    ATTESTER_ACCOUNT: {},
    TRANSACTION_TTL_MS: {},
    GAS_PRICE_TOLERANCE: {},
    AGENT_STATE_DIR: {},
  }),
)

/** For the commands that show and change an account's keys. */
export const committeeSettings = Type.Object(
  vary(contractsSettings.properties, {
    CASPER_RPC_URL: {},
    CASPER_RPC_AUTHORIZATION: {},
    CASPER_CHAIN_NAME: {},
    ATTESTER_ACCOUNT: {
      description: 'the account whose keys are shown or changed: account-hash-… or a public key',
    },
    ATTESTER_KEY_PATH: {
      description:
        'secret key in PEM that signs changes; status and plan need it only without ATTESTER_ACCOUNT',
    },
    PAYMENT_MOTES: { description: 'what a change pays', defaultText: 'what it needs' },
    TRANSACTION_TTL_MS: {
      description:
        'how long a change can be executed, and the least time between two steps; set it to the longest of all members',
    },
    GAS_PRICE_TOLERANCE: {},
    RPC_TIMEOUT_MS: { description: 'for one attempt to call a node' },
    RPC_RETRY_AFTER_MAX_MS: {},
    RPC_CONCURRENCY: {},
    AGENT_STATE_DIR: { description: 'folder for pending transactions' },
  }),
)

const why = 'what signs or sends has no default for it'

/** For the commands for transactions in files. */
export const transactionSettings = Type.Object({
  CASPER_RPC_URL: Type.Optional(
    httpUrls({
      description: 'JSON-RPC of one node or several; show and sign also work without',
      needed: { when: 'to send', why },
    }),
  ),
  ...authorizationSetting,
  CASPER_CHAIN_NAME: Type.Optional(
    chainName({
      description: 'name of the chain; transactions of other chains are refused',
      needed: { when: 'to sign and to send', why },
    }),
  ),
  ...vary(contractsSettings.properties, {
    ATTESTER_KEY_PATH: {
      description: 'secret key in PEM that signs',
      needed: { when: 'to sign', why },
    },
  }),
  ...packageHashes(', to name its calls', "the test network's for its transactions, else none"),
  ...vary(contractsSettings.properties, {
    RPC_TIMEOUT_MS: {},
    RPC_RETRY_AFTER_MAX_MS: {},
    RPC_CONCURRENCY: {},
    AGENT_STATE_DIR: { description: 'folder of pending transactions, to send' },
  }),
})

/** The settings of the commands that attest. */
export type FeedsSettings = SettingValues<typeof feedsSettings.properties>

/** The settings of the commands that read the registries and EIA. */
export type CheckSettings = SettingValues<typeof datasetsSettings.properties>

/** The settings of the commands that pay for calls. The key's path is null if it is neither set nor needed. */
export type PayingSettings = SettingValues<typeof claimSettings.properties>

export type ContractsSettings = SettingValues<typeof contractsSettings.properties>

export type TransactionSettings = SettingValues<typeof transactionSettings.properties>

/** What the commands that write to a chain need: node, chain and key have no default then. */
export const neededToPay = ['CASPER_RPC_URL', 'CASPER_CHAIN_NAME', 'ATTESTER_KEY_PATH'] as const

/**
 * Reads the settings of a command, and hides their secrets.
 *
 * @param schema the settings in the command's help
 * @param needed those that must be set
 * @throws {SettingsError} with every fault.
 */
export function readSettings<P extends TProperties>(
  { environment, terminal }: { environment: Environment; terminal: Pick<Terminal, 'hide'> },
  schema: TObject<P>,
  needed: readonly (keyof P)[] = [],
): SettingValues<P> {
  const settings = parseSettings(schema, environment, needed)
  terminal.hide(settingSecrets(schema, settings))
  return settings
}

export type PackageSettings = SettingValues<ReturnType<typeof packageHashes>>

/** Returns the packages that the settings name, in 64 hex digits each; null if not set. */
export const packageHashesOf = (settings: PackageSettings) => ({
  FeedRegistry: settings.feedRegistryPackageHash,
  AttestationRegistry: settings.attestationRegistryPackageHash,
  EligibilityGate: settings.eligibilityGatePackageHash,
})
